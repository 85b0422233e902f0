import { type DataSource, type EntityManager, In } from 'typeorm';
import { County } from '../../counties/county.js';
import { AppError } from '../../errors.js';
import { ParcelReleaseEntity } from '../../parcels/parcel-release.entity.js';
import { makeCurrent } from './release.store.js';

/** A county's releases, the newest first. */
export function listReleases(dataSource: DataSource, countyFips: string): Promise<ParcelReleaseEntity[]> {
  return dataSource.getRepository(ParcelReleaseEntity).find({ where: { countyFips }, order: { id: 'DESC' } });
}

/**
 * Makes the release before the current one current again, or for a withdrawn county the one that was withdrawn. It goes back in
 * `release_history`, so that two rollbacks go back by two releases. Must run in a transaction.
 * @throws AppError when there is none that still has its records
 */
export async function rollBack(manager: EntityManager, fips: string): Promise<{ from: number | null; to: number }> {
  const { currentReleaseId: current, releaseHistory: history } = await lockCounty(manager, fips);
  const earlier = current === null ? history : history.slice(0, -1);
  const readable = await manager.find(ParcelReleaseEntity, {
    where: { id: In(earlier), state: 'published' },
    lock: { mode: 'pessimistic_write' },
  });
  const index = earlier.findLastIndex((id) => id !== current && readable.some((release) => release.id === id));
  const to = earlier[index];
  if (to === undefined) throw new AppError('conflict', `${fips} has no earlier release that still has its records.`);
  await manager.update(County, { fips }, { releaseHistory: earlier.slice(0, index + 1) });
  await supersede(manager, current, to);
  await makeCurrent(manager, to, fips);
  return { from: current, to };
}

/**
 * Makes any release that still has its records the current one. Must run in a transaction.
 * @throws AppError when it has none
 */
export async function republish(manager: EntityManager, id: number): Promise<void> {
  const release = await manager.findOne(ParcelReleaseEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (release?.state !== 'published') throw new AppError('conflict', `Release ${id} has no records that could be published.`);
  const { currentReleaseId: current, releaseHistory } = await lockCounty(manager, release.countyFips);
  if (current !== id) await manager.update(County, { fips: release.countyFips }, { releaseHistory: [...releaseHistory, id] });
  await supersede(manager, current, id);
  await makeCurrent(manager, id, release.countyFips);
}

/**
 * Sets the status of a county without data. One that is loaded is withdrawn: its records can no longer be read. Must run in a
 * transaction.
 * @returns whether it was loaded
 */
export async function setCountyStatus(
  manager: EntityManager,
  fips: string,
  status: 'planned' | 'unavailable',
  note: string | null,
): Promise<boolean> {
  const { currentReleaseId } = await lockCounty(manager, fips);
  if (currentReleaseId !== null) {
    await manager.update(ParcelReleaseEntity, { id: currentReleaseId }, { supersededAt: () => 'service_now()' });
    await manager.update(County, { fips }, { withdrawnAt: () => 'service_now()' });
  }
  const withoutData = { currentReleaseId: null, parcelCount: 0, sourceDate: null, loadedAt: null, isSample: false };
  await manager.update(County, { fips }, { status, ...(note !== null && { note }), ...withoutData });
  return currentReleaseId !== null;
}

export async function lockCounty(manager: EntityManager, fips: string): Promise<Pick<County, 'currentReleaseId' | 'releaseHistory'>> {
  const county = await manager.findOne(County, {
    where: { fips },
    select: { fips: true, currentReleaseId: true, releaseHistory: true },
    lock: { mode: 'pessimistic_write' },
  });
  if (!county) throw new AppError('not_found', `There is no county with the FIPS code ${fips}.`);
  return county;
}

export async function supersede(manager: EntityManager, from: number | null, to: number): Promise<void> {
  if (from !== null) await manager.update(ParcelReleaseEntity, { id: from }, { supersededAt: () => 'service_now()' });
  await manager.update(ParcelReleaseEntity, { id: to }, { supersededAt: null });
}
