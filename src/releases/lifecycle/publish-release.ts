import { type EntityManager, type FindOneOptions, In } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { County } from '../../counties/county.js';
import { ParcelReleaseEntity, requireRelease } from '../catalogue/parcel-release.entity.js';
import { countyLock, lockCountyRow } from './county-lock.js';
import { describeFindings, unaccepted } from './findings.js';
import { makeCurrent } from './release.store.js';

// All of these must run in a transaction. They lock the county before the release, to avoid deadlocks.

/**
 * Publishes a held release.
 * @param accept the names of all its findings
 * @throws AppError if a finding is not named, or if another release was published since, so that the findings are outdated
 */
export async function publishHeld(manager: EntityManager, id: number, accept: string[]): Promise<void> {
  const { countyFips: fips } = await requireRelease(manager, id);
  const [{ locked }] = await manager.query('select pg_try_advisory_xact_lock($1, $2) as locked', [countyLock, Number(fips)]);
  if (!locked) throw new AppError('conflict', `A load of ${fips} is running. Wait for it to end.`);
  const county = await lockCountyRow(manager, fips);
  const report = (await lockHeld(manager, id)).report!;
  if (county.currentReleaseId !== report.replaces) {
    throw new AppError(
      'conflict',
      `Another release of ${fips} has become the current one since release ${id} was loaded. Load its file again.`,
    );
  }
  const open = unaccepted(report.findings, accept);
  if (open.length > 0) throw new AppError('conflict', `Release ${id} is held: ${describeFindings(open)}.`);
  const accepted = report.findings.map(({ name }) => name);
  const published = { state: 'published', publishedAt: () => 'service_now()', report: { ...report, accepted } } as const;
  await manager.update(ParcelReleaseEntity, { id }, published);
  await makeCurrent(manager, id, fips);
}

/** Discards a held release; the next prune deletes its records. @throws AppError if it is not held */
export async function discardHeld(manager: EntityManager, id: number): Promise<void> {
  await lockHeld(manager, id);
  await manager.update(ParcelReleaseEntity, { id }, { state: 'pruned' });
}

async function lockHeld(manager: EntityManager, id: number): Promise<ParcelReleaseEntity> {
  const release = await manager.findOne(ParcelReleaseEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (release?.state !== 'held') throw new AppError('conflict', `Release ${id} is not held.`);
  return release;
}

/** Makes any release that still has its records the current one. @throws AppError if it has no records */
export async function republish(manager: EntityManager, id: number): Promise<void> {
  const county = await lockCountyRow(manager, (await requireRelease(manager, id)).countyFips);
  const release = await manager.findOne(ParcelReleaseEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (release?.state !== 'published') throw new AppError('conflict', `Release ${id} has no records to publish.`);
  await makeCurrent(manager, id, county.fips, county.currentReleaseId === id ? county.releaseHistory : null);
}

/**
 * Makes the previous release current again, or for a withdrawn county the withdrawn one. It shortens `release_history`, so that two
 * rollbacks go back two releases.
 * @throws AppError if no earlier release still has its records
 */
export async function rollBack(manager: EntityManager, fips: string): Promise<{ from: number | null; to: number }> {
  const county = await lockCountyRow(manager, fips);
  const history = await historyRolledBack(manager, county, { mode: 'pessimistic_write' });
  const to = history.at(-1);
  if (to === undefined) throw new AppError('conflict', `${fips} has no earlier release whose records are still kept.`);
  await makeCurrent(manager, to, fips, history);
  return { from: county.currentReleaseId, to };
}

/** The release that a rollback would make current; null if none still has its records. */
export async function releaseToRollBackTo(manager: EntityManager, fips: string): Promise<number | null> {
  return (await historyRolledBack(manager, await manager.findOneByOrFail(County, { fips }))).at(-1) ?? null;
}

/** The history up to the release that a rollback makes current; empty if none still has its records. */
async function historyRolledBack(
  manager: EntityManager,
  { currentReleaseId: current, releaseHistory: history }: County,
  lock?: FindOneOptions['lock'],
): Promise<number[]> {
  const earlier = current === null ? history : history.slice(0, -1);
  const readable = await manager.find(ParcelReleaseEntity, { where: { id: In(earlier), state: 'published' }, ...(lock && { lock }) });
  const last = earlier.findLastIndex((id) => id !== current && readable.some((release) => release.id === id));
  return earlier.slice(0, last + 1);
}
