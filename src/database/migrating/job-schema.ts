import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Client, Pool, type PoolConfig } from 'pg';
import type { Logger } from 'pino';
import { untilLocked } from './lock-waits.js';

/**
 * Installs or updates graphile-worker's tables and functions. The caller holds the migration lock.
 * @param db a connection to the same database
 * @param settings of further connections
 */
export async function installJobSchema(db: Client, settings: PoolConfig, log: Logger): Promise<void> {
  // Avoids loading the library, which takes a tenth of a second in each command.
  if ((await installedMigration(db)) === (await newestMigration())) return;
  const { runMigrations } = await import('graphile-worker');
  const pool = new Pool({ ...settings, max: 1 });
  const say = (error: Error) => log.warn({ error }, 'a database connection broke');
  pool.on('error', say);
  pool.on('connect', (client) => client.on('error', say));
  try {
    await untilLocked(() => runMigrations({ pgPool: pool }));
  } finally {
    await pool.end();
  }
}

async function installedMigration(db: Client): Promise<number | null> {
  const { rows } = await db.query<{ isThere: boolean }>(`select to_regclass('graphile_worker.migrations') is not null as "isThere"`);
  if (!rows[0]!.isThere) return null;
  const newest = await db.query<{ id: number | null }>('select max(id) as id from graphile_worker.migrations');
  return newest.rows[0]!.id;
}

/** The number of the library's newest migration file, such as 19 for `000019.sql`. */
export async function newestMigration(): Promise<number> {
  const library = dirname(createRequire(import.meta.url).resolve('graphile-worker/package.json'));
  return Math.max(...(await readdir(join(library, 'sql'))).map((file) => Number.parseInt(file, 10)));
}
