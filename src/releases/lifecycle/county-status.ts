import type { EntityManager } from 'typeorm';
import { County } from '../../counties/county.js';
import { ParcelReleaseEntity } from '../catalogue/parcel-release.entity.js';
import { lockCountyRow } from './county-row.js';

/**
 * Sets the status of a county without data. One that is loaded is withdrawn: its records can no longer be read. A load that is under way
 * publishes nothing, also where it is the first one. Must run in a transaction.
 * @returns whether it was loaded
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
