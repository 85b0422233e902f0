import { setTimeout as pause } from 'node:timers/promises';
import type { Client, ClientConfig } from 'pg';
import type { Logger } from 'pino';
import { sqlStatesOf } from '../../core/errors.js';
import { ServiceClient } from '../service-client.js';

// Longer than Postgres' `deadlock_timeout` (1 s), after which an autovacuum in the way is ended. Shorter than the time that a spend waits for
// a lock (2 s).
const lockTimeoutMs = 1_500;
const shortestPauseMs = 500;
const longestPauseMs = 5_000;
const pollMs = 300;
const slowMs = 1_000;
const logEveryMs = 30_000;

// lock timeout, deadlock
const gaveWay = ['55P03', '40P01'];

/** A session that has a lock which the migration waits for. Postgres shows what it does only to its own role and to `pg_monitor`. */
export interface LockWait {
  /** A table, `virtualxid` (an index built concurrently waits for older transactions), or `migration` (another start). */
  lock: string;
  pid: number;
  role: string | null;
  application: string | null;
  state: string | null;
  /** When its transaction began. */
  since: Date | null;
}

/**
 * The class of sessions that change tables, each of which joins `all`. While such a statement waits for a table's lock, all later
 * statements wait behind it. So it gives up soon, and `untilLocked` repeats it.
 */
export function changingClient(all: Set<Client>): new (config?: ClientConfig) => Client {
  return class ChangingClient extends ServiceClient {
    constructor(config?: ClientConfig) {
      super({ ...config, lock_timeout: lockTimeoutMs });
      this.on('error', () => {}); // the next statement on it fails
      this.once('end', () => all.delete(this));
      all.add(this);
    }

    // An index built concurrently lets the others pass, and giving up would leave it invalid.
    // biome-ignore lint/suspicious/noExplicitAny: pg has many overloads of this method, and all of them are kept
    override query(...given: any[]): any {
      const run = () => super.query(...(given as [string]));
      if (typeof given[0] !== 'string' || !/\bindex\s+concurrently\b/i.test(given[0])) return run();
      return super
        .query('set lock_timeout = 0')
        .then(run)
        .finally(() => super.query('reset lock_timeout'));
    }
  };
}

/** Repeats a step that did not get a lock, with growing pauses, as long as that takes. */
export async function untilLocked<T>(step: () => Promise<T>): Promise<T> {
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await step();
    } catch (error) {
      if (!sqlStatesOf(error).some((state) => gaveWay.includes(state))) throw error;
    }
    await pause(pauseMs);
  }
}

/**
 * Says in the log which sessions a migration waits for, each new one, and all of them again after a while. Runs until `signal` ends it.
 * @param guard the session that holds the migration's lock; the others have the same application name
 * @param onSlow called with them once the migration takes longer than a second
 */
export async function watchLocks(
  guard: Client,
  migrationLock: bigint,
  log: Logger,
  signal: AbortSignal,
  onSlow: (waits: LockWait[]) => void = () => {},
): Promise<void> {
  const startedAt = performance.now();
  let [logged, loggedAt] = ['', Number.NEGATIVE_INFINITY];
  // Between two attempts nothing waits, so the last found are shown until a while has passed without any.
  for (let waits: LockWait[] = [], pauses = 0; ; ) {
    await pause(pollMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const found = await findWaits(guard, migrationLock).catch(() => []);
    pauses = found.length > 0 ? 0 : pauses + 1;
    if (found.length > 0 || pauses * pollMs > 2 * longestPauseMs) waits = found;
    const pids = found.map(({ pid }) => pid).join();
    if (pids !== '' && (pids !== logged || performance.now() - loggedAt > logEveryMs)) {
      log.warn({ waitsFor: found }, 'the migration waits for locks of other sessions');
      [logged, loggedAt] = [pids, performance.now()];
    }
    if (performance.now() - startedAt > slowMs) onSlow(waits);
  }
}

async function findWaits(guard: Client, migrationLock: bigint): Promise<LockWait[]> {
  const { rows } = await guard.query<LockWait>(
    `with blocking as (
       select coalesce(relation::regclass::text, locktype) as lock, unnest(pg_blocking_pids(pid)) as pid
         from pg_locks join pg_stat_activity using (pid)
        where not granted and datname = current_database() and application_name = current_setting('application_name')
       union
       select 'migration', pid from pg_locks
        where locktype = 'advisory' and granted and objsubid = 1 and pid <> pg_backend_pid()
          and database = (select oid from pg_database where datname = current_database())
          and classid::bigint << 32 | objid::bigint = $1
     )
     select lock, pid, usename as role, application_name as application, state, xact_start as since
       from blocking left join pg_stat_activity using (pid) order by pid, lock`,
    [migrationLock],
  );
  return rows;
}
