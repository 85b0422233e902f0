import { Client } from 'pg';
import { AppError } from '../core/errors.js';
import { withSessionSettings } from './session-settings.js';

/** In both, the records of a release, and with them of a county's load, are on one worker: a page is read from one place. */
const tables = ['parcel', 'parcel_attributes'];

/**
 * Hands the records to the workers of Citus.
 * @returns the tables that were not distributed before
 */
export async function distributeTables(url: string): Promise<string[]> {
  const db = new Client({ connectionString: withSessionSettings(url), application_name: 'parcel-records distribute' });
  await db.connect();
  try {
    const { rows: citus } = await db.query(`select from pg_extension where extname = 'citus'`);
    if (citus.length === 0) {
      throw new AppError('not_configured', 'This database has no Citus: run "create extension citus" on it and its workers first.');
    }
    const { rows: workers } = await db.query('select from pg_dist_node where isactive and shouldhaveshards and groupid <> 0');
    if (workers.length === 0) throw new AppError('not_configured', 'Citus has no workers here: add them with citus_add_node first.');
    const { rows } = await db.query<{ name: string }>(
      `select name from unnest($1::text[]) name where name::regclass not in (select logicalrelid from pg_dist_partition)`,
      [tables],
    );
    await db.query('begin');
    for (const { name } of rows) {
      await db.query(`select create_distributed_table($1, 'release_id', colocate_with => $2)`, [
        name,
        name === 'parcel' ? 'none' : 'parcel',
      ]);
    }
    await db.query('commit');
    // The rows that were copied are still on the coordinator, unseen.
    for (const { name } of rows) await db.query('select truncate_local_data_after_distributing_table($1)', [name]);
    return rows.map(({ name }) => name);
  } finally {
    await db.end();
  }
}
