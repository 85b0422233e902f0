import type { ClientBase } from 'pg';
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

export type CountyHistory = Pick<County, 'currentReleaseId' | 'releaseHistory'>;

export const historyColumns = { fips: true, currentReleaseId: true, releaseHistory: true } as const;

/** Locks the county's row until the transaction ends. @throws AppError not_found */
export async function lockCountyRow(manager: EntityManager, fips: string): Promise<CountyHistory> {
  // By its name: commands that only take the advisory lock, such as a load, do without TypeORM (25 MB).
  const county = await manager.findOne<County>('County', {
    where: { fips },
    select: historyColumns,
    lock: { mode: 'pessimistic_write' },
  });
  if (!county) throw new AppError('not_found', `There is no county with the FIPS code ${fips}.`);
  return county;
}
