import { Field, Int, ObjectType } from 'type-graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const countyStatuses = ['loaded', 'loading', 'planned', 'unavailable'] as const;
export type CountyStatus = (typeof countyStatuses)[number];

@ObjectType({ description: 'A county or county equivalent, and what we hold of it.' })
@Entity('county')
export class County {
  @Field({ description: 'Five-digit FIPS code.' })
  @PrimaryColumn('char', { length: 5 })
  fips: string;

  @Field()
  @Column('text')
  name: string;

  @Field({ description: 'Two-letter postal code of the state.' })
  @Column('char', { length: 2 })
  state: string;

  @Field(() => String, { description: 'loaded, loading, planned or unavailable.' })
  @Column('text')
  status: CountyStatus;

  @Field(() => Int, { description: 'Records that can be read.' })
  @Column('integer', { name: 'parcel_count' })
  parcelCount: number;

  @Field(() => String, { nullable: true, description: 'The day the source data is of, as YYYY-MM-DD.' })
  @Column('date', { name: 'source_date', nullable: true })
  sourceDate: string | null;

  @Field(() => Date, { nullable: true })
  @Column('timestamptz', { name: 'loaded_at', nullable: true })
  loadedAt: Date | null;
}

@ObjectType({ description: 'A run of counties in the order of their FIPS codes.' })
export class CountyList {
  @Field(() => [County])
  counties: County[];

  @Field(() => Int, { description: 'How many counties match in all.' })
  total: number;

  @Field(() => Int)
  limit: number;

  @Field(() => Int)
  offset: number;
}
