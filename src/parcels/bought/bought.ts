import type { Pool } from 'pg';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { Segment } from '../page.js';

/** Neighbouring records of a release that an account read. */
export interface BoughtRun extends Segment {
  countyFips: string;
}

@ObjectType({ description: 'The latest read that returned a record.' })
export class BoughtRead {
  @Field(() => ID)
  entryId: string;

  @Field()
  at: Date;
}

@ObjectType({ description: 'How many of the records are of a county.' })
export class BoughtCounty {
  @Field()
  fips: string;

  @Field()
  name: string;

  @Field({ description: "The state's two-letter postal code." })
  state: string;

  @Field(() => Int)
  records: number;
}

@ObjectType({ description: 'Records that the account read, by county and place in their release. Free, since they were paid for.' })
export class BoughtRecords {
  @Field({ description: 'These records as a JSON array.' })
  recordsJson: string;

  @Field(() => [BoughtRead], { description: 'One per record.' })
  reads: BoughtRead[];

  @Field(() => String, {
    nullable: true,
    description: 'Pass as `after` to go on; null at the end. A page searches at most 20,000 records, so it may end before it is full.',
  })
  next: string | null;

  @Field(() => Int, { description: 'How many records this page examined.' })
  searched: number;

  @Field(() => Int, { description: 'The number of records, whatever the search finds among them.' })
  total: number;

  @Field(() => Int, { description: 'Records that are left out because the same parcel was read from a newer release.' })
  olderRecords: number;

  @Field(() => Int, { description: 'Records of reads that may still be reversed, and appear here within minutes.' })
  recentRecords: number;

  /** By county, within it the newest release first, and by ordinal. */
  runs: BoughtRun[];

  /** Runs of releases that were deleted. */
  notKept: BoughtRun[];
}

/** The records that an account read, each record of a release once. */
export type Bought = Pick<BoughtRecords, 'runs' | 'notKept' | 'total' | 'olderRecords' | 'recentRecords'>;

/** A record, and the latest read of it. */
export type BoughtBy = BoughtRead & { releaseId: number; ordinal: number };

/** Where an account's queries run: one after another. */
export type Queries = Pick<Pool, 'query'>;
