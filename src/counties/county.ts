import { Field, Float, Int, ObjectType } from 'type-graphql';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

export const countyStatuses = ['loaded', 'loading', 'planned', 'unavailable'] as const;
export type CountyStatus = (typeof countyStatuses)[number];

@ObjectType({ description: 'A county or county equivalent, and its coverage.' })
@Entity('county')
@Check('county_fips_five_digits', `fips ~ '^[0-9]{5}$'`)
@Check('county_state_two_letters', `state ~ '^[A-Z]{2}$'`)
@Check('county_status_known', `status in ('loaded', 'loading', 'planned', 'unavailable')`)
@Check('county_loaded_means_released', `(status = 'loaded') = (current_release_id is not null)`)
@Check('county_parcel_count_not_negative', 'parcel_count >= 0')
@Check('county_area_share_is_a_share', 'area_share between 0 and 1')
@Index('county_state_status', ['state', 'status'])
export class County {
  @Field({ description: 'Five-digit FIPS code.' })
  @PrimaryColumn('char', { length: 5, primaryKeyConstraintName: 'county_pkey' })
  fips: string;

  @Field()
  @Column('text')
  name: string;

  @Field({ description: "The state's two-letter postal code." })
  @Column('char', { length: 2 })
  state: string;

  @Field(() => String, { description: 'loaded, loading, planned or unavailable.' })
  @Column('text', { default: 'planned' })
  status: CountyStatus;

  @Field(() => Int, { description: 'Records available now.' })
  @Column('integer', { name: 'parcel_count', default: 0 })
  parcelCount: number;

  @Field(() => String, { nullable: true, description: 'The date of the source data, YYYY-MM-DD; null if unknown.' })
  @Column('date', { name: 'source_date', nullable: true })
  sourceDate: string | null;

  @Field(() => Date, { nullable: true, description: 'When the current release was published; null if there is none.' })
  @Column('timestamptz', { name: 'loaded_at', nullable: true })
  loadedAt: Date | null;

  @Field({ description: 'Whether the records are invented sample data, which is not coverage.' })
  @Column('boolean', { name: 'is_sample', default: false })
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
  @Column('boolean', { name: 'is_partial', default: false })
  isPartial: boolean;

  /** For operators only. */
  @Column('text', { nullable: true })
  note: string | null;

  // By the table's name, since the entity is in `releases/`, which imports this room.
  @ForeignKey('parcel_release', { name: 'county_current_release_fkey' })
  @Column('integer', { name: 'current_release_id', nullable: true })
  currentReleaseId: number | null;

  /** The ids of all releases that were current, the latest last; a rollback goes back by one. */
  @Column('integer', { name: 'release_history', array: true, default: [] })
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
