import { Arg, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { County } from '../counties/county.js';
import { usd } from '../ledger/money.js';
import { plans } from '../ledger/plans.js';
import { SampleRecord, type SampleRecords } from './sample-record.js';

/** What a visitor wants to know about a county before buying. */
@Resolver(() => County)
export class CountyOfferResolver {
  constructor(private readonly samples: SampleRecords) {}

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
    return this.samples.ofCounty(fips);
  }
}

const furtherCents = (records: number): bigint =>
  BigInt(Math.max(0, records - plans.paid.includedRecords)) * BigInt(plans.paid.overageUnitCents);
