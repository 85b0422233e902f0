import type { ClientConfig, PoolConfig } from 'pg';

/**
 * How long anything waits for the database. If Postgres hangs, a caller gets 503 after `connectionTimeoutMillis` plus
 * `query_timeout` at the latest, or twice that where many wait to spend (`ledger/spending/spend.ts`); where a read may have been charged, 1.5 s later
 * (`ledger/delivery/delivery.ts`). The limits of the server itself are a little shorter, since its errors say what was slow.
 */
export const requestLimits: PoolConfig = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 2_500,
  query_timeout: 3_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 15_000,
};

/** Sums over a long ledger: whoever asks for them waits some seconds, and keeps nobody else waiting. */
export const reportLimits: PoolConfig = {
  connectionTimeoutMillis: 10_000,
  statement_timeout: 30_000,
  query_timeout: 31_000,
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

/** Nobody waits for the answer of a job, so it may take longer. And where the end of a job cannot be recorded, all jobs start again. */
export const jobLimits: PoolConfig = {
  connectionTimeoutMillis: 15_000,
  statement_timeout: 60_000,
  query_timeout: 65_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
};

/** What a start does under its lock takes moments: one whose line dies ends, and whoever supervises it starts it again. */
export const startLimits: ClientConfig = {
  connectionTimeoutMillis: 10_000,
  query_timeout: 30_000,
};

/** A load has no time limit. By keep-alive a broken connection is noticed within minutes. */
export const loadLimits: ClientConfig = {
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 30_000,
};

/** An operator at a terminal would rather wait than start the command again. */
export const commandLimits: PoolConfig = {
  connectionTimeoutMillis: 10_000,
  statement_timeout: 300_000,
  query_timeout: 310_000,
  lock_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
};
