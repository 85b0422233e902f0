import type { Pool } from 'pg';
import type { Logger } from 'pino';

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
