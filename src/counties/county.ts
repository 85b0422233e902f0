import { Field, Float, Int, ObjectType } from 'type-graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const countyStatuses = ['loaded', 'loading', 'planned', 'unavailable'] as const;
export type CountyStatus = (typeof countyStatuses)[number];

@ObjectType({ description: 'A county or county equivalent, and its coverage.' })
@Entity('county')
export class County {
  @Field({ description: 'Five-digit FIPS code.' })
  @PrimaryColumn('char', { length: 5 })
  fips: string;

  @Field()
  @Column('text')
  name: string;

  @Field({ description: "The state's two-letter postal code." })
  @Column('char', { length: 2 })
  state: string;

  @Field(() => String, { description: 'loaded, loading, planned or unavailable.' })
  @Column('text')
  status: CountyStatus;

  @Field(() => Int, { description: 'Records available now.' })
  @Column('integer', { name: 'parcel_count' })
  parcelCount: number;

  @Field(() => String, { nullable: true, description: 'The date of the source data, YYYY-MM-DD; null if unknown.' })
  @Column('date', { name: 'source_date', nullable: true })
  sourceDate: string | null;

  @Field(() => Date, { nullable: true, description: 'When the current release was published; null if there is none.' })
  @Column('timestamptz', { name: 'loaded_at', nullable: true })
  loadedAt: Date | null;

  @Field({ description: 'Whether the records are invented sample data, which is not coverage.' })
  @Column('boolean', { name: 'is_sample' })
  isSample: boolean;

  @Field(() => Float, {
    nullable: true,
    description: 'How much of its area has records, from 0 to 1, by a grid over its land; null if unknown or without data.',
  })
  @Column('double precision', { name: 'area_share', nullable: true })
  areaShare: number | null;

  @Field(() => [String], { nullable: true, description: 'The towns or other parts that are loaded; null if it is not loaded by parts.' })
  @Column('text', { name: 'part_names', array: true, nullable: true })
  partNames: string[] | null;

  @Field({ description: 'Whether it is loaded, but less than half of its area has records.' })
  @Column('boolean', { name: 'is_partial' })
  isPartial: boolean;

  /** For operators only. */
  @Column('text', { nullable: true })
  note: string | null;

  @Column('integer', { name: 'current_release_id', nullable: true })
  currentReleaseId: number | null;

  /** The ids of all releases that were current, the latest last; a rollback goes back by one. */
  @Column('integer', { name: 'release_history', array: true })
  releaseHistory: number[];

  /** The last withdrawal, also of a county without data. Loads that began before publish nothing, and earlier cursors are refused. */
  @Column('timestamptz', { name: 'withdrawn_at', nullable: true })
  withdrawnAt: Date | null;
}

@ObjectType({ description: 'A page of counties.' })
export class CountyList {
  @Field(() => [County])
  counties: County[];

  @Field(() => Int, { description: 'The number of matching counties on all pages.' })
  total: number;

  @Field(() => Int)
  limit: number;

  @Field(() => Int)
  offset: number;
}
