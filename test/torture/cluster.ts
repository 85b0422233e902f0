import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { createLog } from '../../src/core/log.js';
import { unprivilegedLaunch } from '../../src/database/embedded/cluster.js';
import { acquireEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';

/** As `Date.now()` says it; `backAt` infinity while it is still away. */
export interface Crash {
  at: number;
  backAt: number;
}

/** A Postgres of our own that can be killed and comes back on its port, without a supervisor. */
export class Cluster {
  /** When it crashed, and when it answered again: a crash empties the table of reads on their way. */
  readonly crashes: Crash[] = [];

  private constructor(
    readonly dataDir: string,
    private readonly flags: string[],
    /** As the superuser that the service is not. */
    readonly ownerUrl: string,
  ) {}

  static async start(): Promise<Cluster> {
    const dataDir = await mkdtemp(join(tmpdir(), 'parcel-records-torture-'));
    const made = await acquireEmbeddedPostgres(dataDir, createLog({ logLevel: 'silent' }));
    const owner = new Client({ connectionString: made.url });
    await owner.connect();
    await owner.query(`create role service login password 'service'`);
    await owner.query('alter database parcel_records owner to service');
    await owner.end();
    const flags = (await readFile(`/proc/${await postmasterOf(dataDir)}/cmdline`, 'utf8')).split('\0').slice(1, -1);
    await made.release();
    const cluster = new Cluster(dataDir, flags, made.url);
    await cluster.restart();
    return cluster;
  }

  get port(): number {
    return Number(new URL(this.ownerUrl).port);
  }

  /** As the service's own role: it owns its database and is nobody special. */
  get serviceUrl(): string {
    return Object.assign(new URL(this.ownerUrl), { username: 'service', password: 'service' }).href;
  }

  /** Kills the server without a word; its processes notice and end. */
  async kill(): Promise<void> {
    process.kill(await postmasterOf(this.dataDir), 'SIGKILL');
    this.crashes.push({ at: Date.now(), backAt: Number.POSITIVE_INFINITY });
  }

  /** Kills one process of it, which it takes for a corruption: it throws everybody out and recovers. */
  async killBackend(pid: number): Promise<void> {
    process.kill(pid, 'SIGKILL');
    const crash = { at: Date.now(), backAt: Number.POSITIVE_INFINITY };
    this.crashes.push(crash);
    await this.isReady();
    crash.backAt = Date.now();
  }

  /** Starts it again on its port, as often as that takes: the old processes hold the shared memory for a moment. */
  async restart(): Promise<void> {
    const launch = await unprivilegedLaunch(this.dataDir);
    for (;;) {
      const [command, args] = launch.command('postgres', this.flags);
      const child = spawn(command, args, { ...launch.options, detached: true, stdio: 'ignore' });
      const ended = new Promise<'ended'>((resolve) => child.once('exit', () => resolve('ended')));
      child.unref();
      if ((await Promise.race([ended, this.isReady()])) === 'ready') {
        for (const crash of this.crashes) crash.backAt = Math.min(crash.backAt, Date.now());
        return;
      }
      await pause(100);
    }
  }

  async stop(): Promise<void> {
    const pid = await postmasterOf(this.dataDir);
    process.kill(pid, 'SIGINT');
    while (isAlive(pid)) await pause(50);
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private async isReady(): Promise<'ready'> {
    for (;;) {
      const client = new Client({ connectionString: this.ownerUrl, connectionTimeoutMillis: 2_000 });
      client.on('error', () => {});
      const answered = await client.connect().then(
        () => true,
        () => false,
      );
      await client.end().catch(() => {});
      if (answered) return 'ready';
      await pause(50);
    }
  }
}

async function postmasterOf(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
