import type { Pool } from 'pg';
import type { Logger } from 'pino';

/**
 * Says loudly when Postgres allows fewer connections than the servers of this machine may open. It shows under load only: requests that get
 * none are answered by 503.
 */
export async function warnOfFewConnections(pool: Pool, needed: number, log: Logger): Promise<void> {
  const { rows } = await pool.query<{ allowed: number }>(
    `select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as allowed`,
  );
  const { allowed } = rows[0]!;
  if (allowed >= needed) return;
  const message = `Postgres allows ${allowed} connections, and ${needed} may be opened: under load there will be answers 503.`;
  log.warn({ allowed, needed }, `${message} Raise max_connections by ${needed - allowed}`);
}
