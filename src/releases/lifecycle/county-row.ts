import type { EntityManager } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { County } from '../../counties/county.js';

export type CountyHistory = Pick<County, 'currentReleaseId' | 'releaseHistory'>;

export const historyColumns = { fips: true, currentReleaseId: true, releaseHistory: true } as const;

/** Keeps the county as it is until the transaction ends. @throws AppError not_found */
export async function lockCountyRow(manager: EntityManager, fips: string): Promise<CountyHistory> {
  const county = await manager.findOne(County, {
    where: { fips },
    select: historyColumns,
    lock: { mode: 'pessimistic_write' },
  });
  if (!county) throw new AppError('not_found', `There is no county with the FIPS code ${fips}.`);
  return county;
}
