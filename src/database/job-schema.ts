import { runMigrations } from 'graphile-worker';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { startLimits } from './limits.js';

/** Installs the job library's own tables and functions, or brings them up to date. The caller holds the migration lock. */
export async function installJobSchema(url: string, log: Logger): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1, application_name: 'parcel-records migrate', ...startLimits });
  const say = (error: Error) => log.warn({ error }, 'a database connection broke');
  pool.on('error', say);
  pool.on('connect', (client) => client.on('error', say));
  try {
    await runMigrations({ pgPool: pool });
  } finally {
    await pool.end();
  }
}
