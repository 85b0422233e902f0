import { GraphQLJSON } from 'graphql-scalars';
import type { Pool } from 'pg';
import { Arg, Field, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { County } from '../counties/county.js';
import { usd } from '../ledger/money.js';
import { plans } from '../ledger/plans.js';
import { currentRecord } from '../releases/record-fields/record-fields.js';

@ObjectType({ description: "A free sample record of a county's current release, always the same one." })
export class SampleRecord {
  @Field(() => GraphQLJSON, { description: 'The record as the API returns it, without the withheld fields.' })
  record: Record<string, unknown>;

  @Field(() => [String], { description: 'The fields of this record that have a value but are withheld.' })
  heldBack: string[];
}

// The best filled of this many first records is shown: the very first is often unusual.
const candidates = 50;
// A coastline of a hundred thousand points is a poor example.
const maxLength = 20_000;

// Parcel records are public, but a page that search engines read must not show a person's name and home address. Several states forbid
// publishing those of judges and police officers.
const personal = ['owner_name', 'owner_name_2', 'mail_address', 'mail_city', 'mail_state', 'mail_zip'];

/** The free sample record of a county; null if there is nothing to show. */
async function sampleOf(pool: Pool, fips: string): Promise<SampleRecord | null> {
  const { rows } = await pool.query<{ record: string; isSample: boolean }>(
    `select p.record, c.is_sample as "isSample"
       from county c join parcel p on p.release_id = c.current_release_id and p.ordinal <= $2
      where c.fips = $1 and length(p.record) <= $3
      order by p.ordinal`,
    [fips, candidates, maxLength],
  );
  if (!rows[0]) return null;
  const record = bestFilled(rows.map((row) => JSON.parse(currentRecord(row.record))));
  // An invented record names no real person.
  const heldBack = rows[0].isSample ? [] : personal.filter((field) => isFilled(record[field]));
  const shown = Object.entries(record).filter(([field]) => !heldBack.includes(field));
  return { record: Object.fromEntries(shown), heldBack };
}

/** A record with a shape goes first, since the page draws it; among equals, the first. */
function bestFilled(records: Record<string, unknown>[]): Record<string, unknown> {
  const score = (record: Record<string, unknown>) =>
    Object.values(record).filter(isFilled).length + (isFilled(record.geometry) ? Object.keys(record).length : 0);
  return records.reduce((best, record) => (score(record) > score(best) ? record : best));
}

const isFilled = (value: unknown): boolean => value !== null && value !== undefined;

/** A county's facts for visitors who think of buying. */
@Resolver(() => County)
export class CountyOfferResolver {
  constructor(private readonly pool: Pool) {}

  @FieldResolver(() => String, {
    description: 'The cost of the overage if the whole county is read within one period of the paid plan, in US dollars.',
  })
  furtherUsd(@Root() { parcelCount }: County): string {
    return usd(furtherCents(parcelCount));
  }

  @FieldResolver(() => String, {
    description: 'The cost of reading the whole county once within one period of the paid plan, in US dollars.',
  })
  fullReadUsd(@Root() { parcelCount }: County): string {
    return usd(BigInt(plans.paid.priceCents) + furtherCents(parcelCount));
  }

  @Query(() => SampleRecord, { nullable: true, description: 'A free sample record of a county; null if there is none.' })
  sampleRecord(@Arg('fips') fips: string): Promise<SampleRecord | null> {
    return sampleOf(this.pool, fips);
  }
}

const furtherCents = (records: number): bigint =>
  BigInt(Math.max(0, records - plans.paid.includedRecords)) * BigInt(plans.paid.overageUnitCents);
