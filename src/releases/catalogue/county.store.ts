import type { ClientBase, Pool } from 'pg';
import { AppError } from '../../core/errors.js';

export interface County {
  fips: string;
  name: string;
  state: string;
  status: 'loaded' | 'loading' | 'planned' | 'unavailable';
  currentReleaseId: number | null;
}

/** In SQL, since a load asks on the connection that holds its county's lock. @throws AppError when no county has the code */
export async function findCounty(db: ClientBase | Pool, fips: string): Promise<County> {
  const { rows } = await db.query<County>(
    `select fips, name, state, status, current_release_id as "currentReleaseId" from county where fips = $1`,
    [fips],
  );
  if (!rows[0]) throw new AppError('not_found', `There is no county with the FIPS code ${fips}.`);
  return rows[0];
}

/** Shows a county without data as `loading` during its first load. */
export async function markLoading(db: ClientBase, fips: string): Promise<void> {
  await db.query(`update county set status = 'loading' where fips = $1 and current_release_id is null`, [fips]);
}

/** Undoes `markLoading` after a load that published nothing. */
export async function restoreStatus(db: ClientBase, { fips, status }: County): Promise<void> {
  await db.query(`update county set status = $2 where fips = $1 and status = 'loading'`, [fips, status === 'loading' ? 'planned' : status]);
}
