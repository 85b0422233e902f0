import type { DataSource } from 'typeorm';
import { ParcelReleaseEntity } from './parcel-release.entity.js';

/** A county's releases, the newest first. */
export function listReleases(dataSource: DataSource, countyFips: string): Promise<ParcelReleaseEntity[]> {
  return dataSource.getRepository(ParcelReleaseEntity).find({ where: { countyFips }, order: { id: 'DESC' } });
}
