import { type EntityManager, type FindOneOptions, In } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { County } from '../../counties/county.js';
import { ParcelReleaseEntity } from '../catalogue/parcel-release.entity.js';
import { countyOfRelease } from './change-county.js';
import { type CountyHistory, historyColumns, lockCountyRow } from './county-lock.js';
import { makeCurrent } from './release.store.js';

/**
 * Makes the previous release current again, or for a withdrawn county the withdrawn one. It shortens `release_history`, so that two
 * rollbacks go back two releases. Must run in a transaction.
 * @throws AppError if no earlier release still has its records
 */
export async function rollBack(manager: EntityManager, fips: string): Promise<{ from: number | null; to: number }> {
  const county = await lockCountyRow(manager, fips);
  const releaseHistory = await historyRolledBack(manager, county, { mode: 'pessimistic_write' });
  const to = releaseHistory.at(-1);
  if (to === undefined) throw new AppError('conflict', `${fips} has no earlier release whose records are still kept.`);
  await manager.update(County, { fips }, { releaseHistory });
  await supersede(manager, county.currentReleaseId, to);
  await makeCurrent(manager, to, fips);
  return { from: county.currentReleaseId, to };
}

/** The release that a rollback would make current; null if none still has its records. */
export async function releaseToRollBackTo(manager: EntityManager, fips: string): Promise<number | null> {
  const county = await manager.findOneOrFail(County, { where: { fips }, select: historyColumns });
  return (await historyRolledBack(manager, county)).at(-1) ?? null;
}

/** The history up to the release that a rollback makes current; empty if none still has its records. */
async function historyRolledBack(
  manager: EntityManager,
  { currentReleaseId: current, releaseHistory: history }: CountyHistory,
  lock?: FindOneOptions['lock'],
): Promise<number[]> {
  const earlier = current === null ? history : history.slice(0, -1);
  const readable = await manager.find(ParcelReleaseEntity, { where: { id: In(earlier), state: 'published' }, ...(lock && { lock }) });
  const last = earlier.findLastIndex((id) => id !== current && readable.some((release) => release.id === id));
  return earlier.slice(0, last + 1);
}

/**
 * Makes any release that still has its records the current one. Must run in a transaction.
 * @throws AppError if it has no records
 */
export async function republish(manager: EntityManager, id: number): Promise<void> {
  const fips = await countyOfRelease(manager, id);
  // The county is locked before the release, as in all changes of the current release, to avoid deadlocks.
  const { currentReleaseId: current, releaseHistory } = await lockCountyRow(manager, fips);
  const release = await manager.findOne(ParcelReleaseEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (release?.state !== 'published') throw new AppError('conflict', `Release ${id} has no records to publish.`);
  if (current !== id) await manager.update(County, { fips }, { releaseHistory: [...releaseHistory, id] });
  await supersede(manager, current, id);
  await makeCurrent(manager, id, fips);
}

export async function supersede(manager: EntityManager, from: number | null, to: number): Promise<void> {
  if (from !== null) await manager.update(ParcelReleaseEntity, { id: from }, { supersededAt: () => 'service_now()' });
  await manager.update(ParcelReleaseEntity, { id: to }, { supersededAt: null });
}
