import type { ClientBase, Pool } from 'pg';
import { AppError } from '../../errors.js';

export interface County {
  fips: string;
  name: string;
  state: string;
  status: 'loaded' | 'loading' | 'planned' | 'unavailable';
  /** west, south, east, north */
  bounds: [number, number, number, number];
  currentReleaseId: number | null;
}

/** @throws AppError when no county has the code */
export async function findCounty(db: ClientBase | Pool, fips: string): Promise<County> {
  const { rows } = await db.query<County>(
    `select fips, name, state, status, bounds, current_release_id as "currentReleaseId" from county where fips = $1`,
    [fips],
  );
  if (!rows[0]) throw new AppError('not_found', `There is no county with the FIPS code ${fips}.`);
  return rows[0];
}

/** Says to whoever looks at the county that its first data is on its way. */
export async function markLoading(db: ClientBase, fips: string): Promise<void> {
  await db.query(`update county set status = 'loading' where fips = $1 and current_release_id is null`, [fips]);
}

/** Takes `markLoading` back, after a load that published nothing. */
export async function restoreStatus(db: ClientBase, { fips, status }: County): Promise<void> {
  await db.query(`update county set status = $2 where fips = $1 and status = 'loading'`, [fips, status === 'loading' ? 'planned' : status]);
}

/**
 * Says what is known of a county without data. One that is loaded is withdrawn: its records are no longer found.
 * Returns whether that was so.
 */
export async function setCountyStatus(
  db: ClientBase,
  fips: string,
  status: 'planned' | 'unavailable',
  note: string | null,
): Promise<boolean> {
  const { rows } = await db.query<{ was_loaded: boolean }>(
    `with before as (
       select fips, current_release_id from county where fips = $1 for update
     ), withdrawn as (
       update parcel_release r set superseded_at = service_now() from before b where r.id = b.current_release_id
     ), changed as (
       update county c
          set status = $2, note = coalesce($3, note), current_release_id = null, parcel_count = 0, source_date = null, loaded_at = null
         from before b where c.fips = b.fips
     )
     select current_release_id is not null as was_loaded from before`,
    [fips, status, note],
  );
  if (!rows[0]) throw new AppError('not_found', `There is no county with the FIPS code ${fips}.`);
  return rows[0].was_loaded;
}
