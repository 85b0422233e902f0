import type { ClientBase, Pool } from 'pg';
import type { EntityManager } from 'typeorm';
import { AppError } from '../../core/errors.js';
import type { County } from '../../counties/county.js';

/** The first half of the advisory lock's key, which marks these locks; the second half is the county's code. */
export const countyLock = 0x6c6f6164;

/**
 * Lets one load of a county run at a time, on any machine. Postgres releases the lock with the connection, so it ends with its load.
 * @throws AppError while another load has the lock
 */
export async function lockCounty(db: ClientBase, fips: string): Promise<void> {
  const { rows } = await db.query<{ locked: boolean }>(`select pg_try_advisory_lock($1, $2) as locked`, [countyLock, Number(fips)]);
  if (!rows[0]!.locked) throw new AppError('conflict', `Another load of ${fips} is running. Wait for it to end, or stop it.`);
}

/** Locks the county's row until the transaction ends. @throws AppError not_found */
export async function lockCountyRow(manager: EntityManager, fips: string): Promise<County> {
  // By its name: commands that only take the advisory lock, such as a load, do without TypeORM (25 MB).
  const county = await manager.findOne<County>('County', { where: { fips }, lock: { mode: 'pessimistic_write' } });
  if (!county) throw noCounty(fips);
  return county;
}

const noCounty = (fips: string): AppError => new AppError('not_found', `There is no county with the FIPS code ${fips}.`);

export type CountyToLoad = Pick<County, 'fips' | 'name' | 'state' | 'status' | 'currentReleaseId'>;

/** In SQL, since a load queries on the connection with its county's lock. @throws AppError if no county has the code */
export async function findCounty(db: ClientBase | Pool, fips: string): Promise<CountyToLoad> {
  const { rows } = await db.query<CountyToLoad>(
    `select fips, name, state, status, current_release_id as "currentReleaseId" from county where fips = $1`,
    [fips],
  );
  if (!rows[0]) throw noCounty(fips);
  return rows[0];
}

/** Shows a county without data as `loading` during its first load. */
export async function markLoading(db: ClientBase, fips: string): Promise<void> {
  await db.query(`update county set status = 'loading' where fips = $1 and current_release_id is null`, [fips]);
}

/** Undoes `markLoading` after a load that published nothing. */
export async function restoreStatus(db: ClientBase, { fips, status }: CountyToLoad): Promise<void> {
  await db.query(`update county set status = $2 where fips = $1 and status = 'loading'`, [fips, status === 'loading' ? 'planned' : status]);
}
