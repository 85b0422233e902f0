import { Arg, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { County } from '../counties/county.js';
import { usd } from '../ledger/money.js';
import { plans } from '../ledger/plans.js';
import { SampleRecord, type SampleRecords } from './sample-record.js';

/** What somebody wants to know of a county before they buy it. */
@Resolver(() => County)
export class CountyOfferResolver {
  constructor(private readonly samples: SampleRecords) {}

  @FieldResolver(() => String, { description: 'What its records beyond those of one period of the paid plan cost, in US dollars.' })
  furtherUsd(@Root() { parcelCount }: County): string {
    return usd(furtherCents(parcelCount));
  }

  @FieldResolver(() => String, { description: 'What reading all of it once within one period of the paid plan costs, in US dollars.' })
  fullReadUsd(@Root() { parcelCount }: County): string {
    return usd(BigInt(plans.paid.priceCents) + furtherCents(parcelCount));
  }

  @Query(() => SampleRecord, { nullable: true, description: 'One record of a county, which costs nothing. null: there is none to show.' })
  sampleRecord(@Arg('fips') fips: string): Promise<SampleRecord | null> {
    return this.samples.ofCounty(fips);
  }
}

const furtherCents = (records: number): bigint =>
  BigInt(Math.max(0, records - plans.paid.includedRecords)) * BigInt(plans.paid.overageUnitCents);
