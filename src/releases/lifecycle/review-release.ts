import type { EntityManager } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { County } from '../../counties/county.js';
import { ParcelReleaseEntity } from '../catalogue/parcel-release.entity.js';
import { countyOfRelease } from './change-county.js';
import { countyLock, lockCountyRow } from './county-lock.js';
import { describeFindings, unaccepted } from './findings.js';
import { makeCurrent } from './release.store.js';
import { supersede } from './rollback.js';

/**
 * Publishes a held release. Must run in a transaction.
 * @param accept the names of all its findings
 * @throws AppError if a finding is not named, or if another release was published since, so that the findings are outdated
 */
export async function publishHeld(manager: EntityManager, id: number, accept: string[]): Promise<void> {
  const fips = await countyOfRelease(manager, id);
  const [{ locked }] = await manager.query('select pg_try_advisory_xact_lock($1, $2) as locked', [countyLock, Number(fips)]);
  if (!locked) throw new AppError('conflict', `A load of ${fips} is running. Wait for it to end.`);
  const { currentReleaseId: current, releaseHistory } = await lockCountyRow(manager, fips);
  const { report } = await lockHeld(manager, id);
  if (current !== report!.replaces) {
    throw new AppError(
      'conflict',
      `Another release of ${fips} has become the current one since release ${id} was loaded. Load its file again.`,
    );
  }
  const open = unaccepted(report!.findings, accept);
  if (open.length > 0) throw new AppError('conflict', `Release ${id} is held: ${describeFindings(open)}.`);
  await manager.update(
    ParcelReleaseEntity,
    { id },
    {
      state: 'published',
      publishedAt: () => 'service_now()',
      report: { ...report!, accepted: report!.findings.map(({ name }) => name) },
    },
  );
  await manager.update(County, { fips }, { releaseHistory: [...releaseHistory, id] });
  await supersede(manager, current, id);
  await makeCurrent(manager, id, fips);
}

/** Discards a held release; the next prune deletes its records. Must run in a transaction. @throws AppError if it is not held */
export async function discardHeld(manager: EntityManager, id: number): Promise<void> {
  await lockHeld(manager, id);
  await manager.update(ParcelReleaseEntity, { id }, { state: 'pruned' });
}

async function lockHeld(manager: EntityManager, id: number): Promise<ParcelReleaseEntity> {
  const release = await manager.findOne(ParcelReleaseEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (release?.state !== 'held') throw new AppError('conflict', `Release ${id} is not held.`);
  return release;
}
