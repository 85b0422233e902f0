import { Column, type DataSource, Entity, IsNull, MoreThan, PrimaryGeneratedColumn } from 'typeorm';
import type { ReleasePart } from './current-release.js';
import type { ReleaseReport } from './release-report.js';

export type ReleaseState = 'loading' | 'held' | 'published' | 'unchanged' | 'failed' | 'pruned';

/** One load of a county. */
@Entity('parcel_release')
export class ParcelReleaseEntity {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('char', { name: 'county_fips', length: 5 })
  countyFips: string;

  /** The part of the county that was loaded; null: all of it. */
  @Column('text', { nullable: true })
  part: string | null;

  @Column('text', { default: 'loading' })
  state: ReleaseState;

  @Column('text')
  source: string;

  @Column('text', { name: 'source_url', nullable: true })
  sourceUrl: string | null;

  @Column('bytea', { name: 'source_sha256', nullable: true })
  sourceSha256: Buffer | null;

  @Column('date', { name: 'source_date', nullable: true })
  sourceDate: string | null;

  @Column('text')
  format: string;

  @Column('jsonb')
  mapping: object;

  /** The version of the county's profile that it was made with; null: none. */
  @Column('integer', { name: 'profile_version', nullable: true })
  profileVersion: number | null;

  @Column('integer', { name: 'read_count' })
  readCount: number;

  @Column('integer', { name: 'loaded_count' })
  loadedCount: number;

  @Column('integer', { name: 'rejected_count' })
  rejectedCount: number;

  /** Records of other parts, copied from the previous release. */
  @Column('integer', { name: 'kept_count' })
  keptCount: number;

  /** All parts; null: the county was loaded as a whole. */
  @Column('jsonb', { nullable: true })
  parts: ReleasePart[] | null;

  /** The version of the records' texts, or the earliest of its parts' (see `record-fields.ts`). */
  @Column('smallint', { name: 'record_version' })
  recordVersion: number;

  /** Of the records' texts in order, each followed by a newline; null: unknown. */
  @Column('bytea', { name: 'records_sha256', nullable: true })
  recordsSha256: Buffer | null;

  /** 24 bytes of each record: half of its id, and the digest of its content. Null: unknown. */
  @Column('bytea', { name: 'content_digests', nullable: true, select: false })
  contentDigests?: Buffer | null;

  /** What the load found; null: unknown. */
  @Column('jsonb', { nullable: true })
  report: ReleaseReport | null;

  @Column('text', { nullable: true })
  failure: string | null;

  @Column('text', { name: 'started_by', nullable: true })
  startedBy: string | null;

  @Column('timestamptz', { name: 'started_at' })
  startedAt: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;

  @Column('timestamptz', { name: 'published_at', nullable: true })
  publishedAt: Date | null;

  /** When another release replaced it. Its records are kept for the retention time from here on. */
  @Column('timestamptz', { name: 'superseded_at', nullable: true })
  supersededAt: Date | null;

  /** Its records are invented. */
  @Column('boolean', { name: 'is_sample' })
  isSample: boolean;
}

/** A county's releases, the newest first. */
export function listReleases(dataSource: DataSource, countyFips: string): Promise<ParcelReleaseEntity[]> {
  return dataSource.getRepository(ParcelReleaseEntity).find({ where: { countyFips }, order: { id: 'DESC' } });
}

/** The last load of a whole county that found no record changed since its current release; null if there was none. */
export function lastCheck(dataSource: DataSource, countyFips: string, currentId: number): Promise<ParcelReleaseEntity | null> {
  return dataSource.getRepository(ParcelReleaseEntity).findOne({
    where: { countyFips, state: 'unchanged', part: IsNull(), id: MoreThan(currentId) },
    order: { id: 'DESC' },
  });
}
