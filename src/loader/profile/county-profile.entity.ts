import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { County } from '../../counties/county.js';
import { ParcelReleaseEntity } from '../../releases/catalogue/parcel-release.entity.js';
import type { Profile } from './profile.js';

/** A version of what is known of a county's source. Versions are only added. */
@Entity('county_profile')
export class CountyProfileEntity {
  @ForeignKey(() => County, { name: 'county_profile_county_fkey' })
  @PrimaryColumn('char', { name: 'county_fips', length: 5, primaryKeyConstraintName: 'county_profile_pkey' })
  countyFips: string;

  /** Empty: the county as a whole. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'county_profile_pkey' })
  part: string;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'county_profile_pkey' })
  version: number;

  @Column('jsonb')
  body: Profile;

  /** The release whose load proposed it: in use once that was published. Null: an operator brought it. */
  @ForeignKey(() => ParcelReleaseEntity, { name: 'county_profile_release_fkey' })
  @Column('integer', { name: 'release_id', nullable: true })
  releaseId: number | null;

  /** An account's id, or `command line`. */
  @Column('text', { name: 'created_by' })
  createdBy: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'service_now()' })
  createdAt: Date;
}
