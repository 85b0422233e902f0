import { Field, Int, ObjectType } from 'type-graphql';
import { Column, type DataSource, Entity, type EntityManager, IsNull, MoreThan, PrimaryGeneratedColumn } from 'typeorm';
import { AppError } from '../../core/errors.js';
import type { ReleasePart } from './current-release.js';
import { coversLittle, type ReleaseReport } from './release-report.js';

export type ReleaseState = 'loading' | 'held' | 'published' | 'unchanged' | 'failed' | 'pruned';

@ObjectType('Release', { description: 'A release: the result of one load of a county.' })
@Entity('parcel_release')
export class ParcelReleaseEntity {
  @Field(() => Int)
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Field()
  @Column('char', { name: 'county_fips', length: 5 })
  countyFips: string;

  @Field(() => String, { nullable: true, description: 'The part of the county that was loaded; null for the whole county.' })
  @Column('text', { nullable: true })
  part: string | null;

  @Column('text')
  state: ReleaseState;

  @Field({ name: 'sourceName', description: 'The publisher of the source data.' })
  @Column('text')
  source: string;

  @Field(() => String, { nullable: true, description: 'The URL of the source data; null if not stated.' })
  @Column('text', { name: 'source_url', nullable: true })
  sourceUrl: string | null;

  @Column('bytea', { name: 'source_sha256', nullable: true })
  sourceSha256: Buffer | null;

  @Field(() => String, { nullable: true, description: 'The date of the source data, YYYY-MM-DD; null if not stated.' })
  @Column('date', { name: 'source_date', nullable: true })
  sourceDate: string | null;

  @Field()
  @Column('text')
  format: string;

  @Column('jsonb')
  mapping: object;

  @Field(() => Int, { nullable: true, description: "The version of the county's profile that it was made with; null if none was." })
  @Column('integer', { name: 'profile_version', nullable: true })
  profileVersion: number | null;

  @Field(() => Int, { name: 'rowsRead', description: 'Rows read from the file: the loaded and the rejected ones.' })
  @Column('integer', { name: 'read_count' })
  readCount: number;

  @Column('integer', { name: 'loaded_count' })
  loadedCount: number;

  @Field(() => Int, { name: 'rowsRejected' })
  @Column('integer', { name: 'rejected_count' })
  rejectedCount: number;

  @Field(() => Int, { name: 'recordsKept', description: 'Records of other parts, taken over from the previous release.' })
  @Column('integer', { name: 'kept_count' })
  keptCount: number;

  /** All parts; null: the county was loaded as a whole. */
  @Column('jsonb', { nullable: true })
  parts: ReleasePart[] | null;

  /** The version of the records' texts, or the earliest of its parts' (see `record-fields.ts`). */
  @Column('smallint', { name: 'record_version' })
  recordVersion: number;

  /** 24 bytes of each record: half of its id, and the digest of its content. Null: unknown. */
  @Column('bytea', { name: 'content_digests', nullable: true, select: false })
  contentDigests?: Buffer | null;

  /** The load's report; null: unknown. */
  @Column('jsonb', { nullable: true })
  report: ReleaseReport | null;

  @Column('text', { nullable: true })
  failure: string | null;

  @Column('text', { name: 'started_by', nullable: true })
  startedBy: string | null;

  @Field()
  @Column('timestamptz', { name: 'started_at' })
  startedAt: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the release was published; null if it never was.' })
  @Column('timestamptz', { name: 'published_at', nullable: true })
  publishedAt: Date | null;

  /** When another release replaced it. Its records are kept for the retention time from here on. */
  @Column('timestamptz', { name: 'superseded_at', nullable: true })
  supersededAt: Date | null;

  /** Its records are invented. */
  @Column('boolean', { name: 'is_sample' })
  isSample: boolean;

  @Field(() => Int)
  get rowsLoaded(): number {
    return this.loadedCount - this.keptCount;
  }

  @Field({ description: 'Whether the county was loaded as a whole, but records lie in less than half of its area.' })
  get isPartial(): boolean {
    return this.parts === null && !this.isSample && this.report !== null && coversLittle(this.report);
  }

  @Field(() => Date, { nullable: true, description: 'When the load failed; null if it did not.' })
  get failedAt(): Date | null {
    return this.state === 'failed' ? this.endedAt : null;
  }
}

/** @throws AppError not_found */
export async function requireRelease(db: Pick<EntityManager, 'getRepository'>, id: number): Promise<ParcelReleaseEntity> {
  const release = await db.getRepository(ParcelReleaseEntity).findOneBy({ id });
  if (!release) throw new AppError('not_found', `There is no release ${id}.`);
  return release;
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
