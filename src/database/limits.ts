import type { ClientConfig, PoolConfig } from 'pg';

/**
 * How long anything waits for the database. Of a Postgres that hangs a caller hears 503 after `connectionTimeoutMillis` and
 * `query_timeout` at the latest; the server's own limits are a little shorter, so that their error says what was slow.
 */
export const requestLimits: PoolConfig = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 2_500,
  query_timeout: 3_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 15_000,
};

/** A webhook waits for Stripe within its transaction, and a burst of deliveries queues for a connection. */
export const webhookLimits: PoolConfig = {
  connectionTimeoutMillis: 12_000,
  statement_timeout: 15_000,
  query_timeout: 16_000,
  lock_timeout: 12_000,
  idle_in_transaction_session_timeout: 15_000,
};

/** Nobody waits for a job as people wait for an answer, and an end that cannot be written down starts all jobs anew. */
export const jobLimits: PoolConfig = {
  connectionTimeoutMillis: 15_000,
  statement_timeout: 60_000,
  query_timeout: 65_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
};

/** A load takes as long as it takes. That the other end has gone is noticed within minutes, also where nothing says so. */
export const loadLimits: ClientConfig = {
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 30_000,
};

/** An operator at a terminal would rather wait than begin again. */
export const commandLimits: PoolConfig = {
  connectionTimeoutMillis: 10_000,
  statement_timeout: 300_000,
  query_timeout: 310_000,
  lock_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
};
