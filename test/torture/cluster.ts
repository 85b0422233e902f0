import { Client } from 'pg';
import { createLog } from '../../src/core/log.js';
import { clusterPath } from '../../src/database/embedded/cluster.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { readPidFile } from '../../src/database/embedded/postmaster.js';
import { closeAtEnd } from '../harness/closing.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { patiently } from './patiently.js';

/** As `Date.now()` says it; `backAt` infinity while it is still away. */
export interface Crash {
  at: number;
  backAt: number;
}

/** A database that can be killed, and comes back. It ends with the program. */
export interface Cluster {
  /** When it crashed, and when it answered again: a crash empties the table of reads on their way. */
  readonly crashes: Crash[];
  /** As the superuser that the service is not. */
  readonly ownerUrl: string;
  /** As the service's own role: it owns its database and is nobody special. */
  readonly serviceUrl: string;
  /** Kills the server without a word, or one process of it. */
  kill(backend?: number): Promise<void>;
  /** Faults of one that has a standby. */
  switchOver?(): Promise<void>;
  freeze?(): Promise<void>;
  /** A copy by Postgres' own programs. @returns its address */
  restoreDump?(): Promise<string>;
}

/** A Postgres of our own. This process, which uses it, starts it again on its port, as a service does. */
export class EmbeddedCluster implements Cluster {
  readonly crashes: Crash[] = [];

  private constructor(
    private readonly folder: string,
    private readonly postgres: EmbeddedPostgres,
  ) {}

  static async start(): Promise<EmbeddedCluster> {
    const folder = await temporaryFolder();
    const postgres = await acquireEmbeddedPostgres(folder, createLog({ logLevel: 'silent' }));
    closeAtEnd(() => postgres.release());
    const cluster = new EmbeddedCluster(folder, postgres);
    await cluster.run(`create role service login password 'service'; alter database parcel_records owner to service`);
    return cluster;
  }

  get ownerUrl(): string {
    return this.postgres.url;
  }

  get serviceUrl(): string {
    return Object.assign(new URL(this.ownerUrl), { username: 'service', password: 'service' }).href;
  }

  /** It takes the death of one process for a corruption: it throws everybody out and recovers. */
  async kill(backend?: number): Promise<void> {
    const pid = backend ?? (await readPidFile(clusterPath(this.folder)))?.pid;
    if (pid === undefined) return; // it has just been killed
    process.kill(pid, 'SIGKILL');
    const crash = { at: Date.now(), backAt: Number.POSITIVE_INFINITY };
    this.crashes.push(crash);
    await patiently(() => this.run('select 1'));
    crash.backAt = Date.now();
  }

  private async run(sql: string): Promise<void> {
    const client = new Client({ connectionString: this.ownerUrl, connectionTimeoutMillis: 2_000 });
    client.on('error', () => {});
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }
}
