import type { DataSource, EntityManager } from 'typeorm';
import { County } from '../../counties/county.js';
import { recordAction } from '../../operator-log/record-action.js';
import { ParcelReleaseEntity } from '../catalogue/parcel-release.entity.js';
import { lockCountyRow } from './county-lock.js';

interface CountyAction {
  /** An account's id, or `commandLine`. */
  actor: string;
  action: string;
  fips: string;
  /** Facts that the county's row does not show. */
  facts?: object;
}

/**
 * Changes a county for an operator and records the action in the activity log, in one transaction.
 * @param work gets the locked county
 */
export function changeCounty(
  dataSource: DataSource,
  { actor, action, fips, facts }: CountyAction,
  work: (manager: EntityManager, before: County) => Promise<unknown>,
): Promise<{ before: County; after: County }> {
  return dataSource.transaction(async (manager) => {
    const before = await lockCountyRow(manager, fips);
    await work(manager, before);
    const after = await manager.findOneByOrFail(County, { fips });
    const change = { before: factsOf(before), after: { ...factsOf(after), ...facts } };
    await recordAction(manager, { actor, action, target: fips, reason: null, ...change });
    return { before, after };
  });
}

const factsOf = ({ status, note, currentReleaseId }: County) => ({ status, note, currentReleaseId });

/**
 * Sets the status of a county without data. A loaded county is withdrawn: its records can no longer be read. A running load publishes
 * nothing, even if it is the first one. Must run in a transaction.
 * @returns whether the county was loaded
 */
export async function setCountyStatus(
  manager: EntityManager,
  fips: string,
  status: 'planned' | 'unavailable',
  note: string | null,
): Promise<boolean> {
  const { currentReleaseId } = await lockCountyRow(manager, fips);
  if (currentReleaseId !== null)
    await manager.update(ParcelReleaseEntity, { id: currentReleaseId }, { supersededAt: () => 'service_now()' });
  const withoutData = { currentReleaseId: null, parcelCount: 0, sourceDate: null, loadedAt: null, isSample: false };
  await manager.update(County, { fips }, { status, ...(note !== null && { note }), ...withoutData, withdrawnAt: () => 'service_now()' });
  return currentReleaseId !== null;
}
