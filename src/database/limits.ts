import type { ClientConfig, Pool, PoolConfig } from 'pg';
import type { Logger } from 'pino';

/** In milliseconds. Postgres' own limit of a statement is a little shorter than ours, because its errors say what was slow. */
const limits = (connect: number, statement: number, slack: number, lock: number, idle = 15_000): PoolConfig => ({
  connectionTimeoutMillis: connect,
  statement_timeout: statement,
  query_timeout: statement + slack,
  lock_timeout: lock,
  idle_in_transaction_session_timeout: idle,
});

/**
 * How long a request waits for the database. If Postgres hangs, a caller gets 503 after at most `connectionTimeoutMillis` plus
 * `query_timeout`; twice that if many wait to spend (`ledger/spend.ts`); 1.5 s more if a read may have been charged
 * (`ledger/delivery.ts`).
 */
export const requestLimits = limits(2_000, 2_500, 500, 2_000);

/** For sums over a long ledger, which may take some seconds. */
export const reportLimits = limits(10_000, 30_000, 1_000, 2_000);

/** For webhooks: each waits for Stripe within its transaction, and a burst of deliveries queues for connections. */
export const webhookLimits = limits(12_000, 15_000, 1_000, 12_000);

/** For jobs: nobody waits for their answer, and if the result of one cannot be recorded, the library restarts all jobs. */
export const jobLimits = limits(15_000, 60_000, 5_000, 10_000);

/** For commands: an operator at a terminal prefers waiting to a retry. */
export const commandLimits = limits(10_000, 300_000, 10_000, 30_000, 60_000);

/** For a start, which is short: if its connection dies, the process ends and its supervisor starts it again. */
export const startLimits: ClientConfig = {
  connectionTimeoutMillis: 10_000,
  query_timeout: 30_000,
};

/** For loads: no time limit. Keep-alive detects a broken connection within minutes. */
export const loadLimits: ClientConfig = {
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 30_000,
};

/**
 * Warns if Postgres allows fewer connections than the servers of this machine may open. It would only show under load, as 503 answers.
 */
export async function warnIfTooFewConnections(pool: Pool, needed: number, log: Logger): Promise<void> {
  const { rows } = await pool.query<{ allowed: number }>(
    `select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as allowed`,
  );
  const { allowed } = rows[0]!;
  if (allowed >= needed) return;
  const message = `Postgres allows ${allowed} connections, but up to ${needed} may be needed: under load requests will get 503.`;
  log.warn({ allowed, needed }, `${message} Raise max_connections by ${needed - allowed}`);
}
