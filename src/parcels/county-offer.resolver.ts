import { Arg, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { County } from '../counties/county.js';
import { usd } from '../usage/money.js';
import { plans } from '../usage/plans.js';
import { SampleRecord, type SampleRecords } from './sample-record.js';

/** What somebody wants to know of a county before they buy it. */
@Resolver(() => County)
export class CountyOfferResolver {
  constructor(private readonly samples: SampleRecords) {}

  @FieldResolver(() => String, {
    description:
      'What reading all of it once costs, in US dollars: a period of the paid plan with its included records, and the further ones.',
  })
  fullReadUsd(@Root() { parcelCount }: County): string {
    const { priceCents, includedRecords, overageUnitCents } = plans.paid;
    const further = Math.max(0, parcelCount - includedRecords);
    return usd(BigInt(priceCents) + BigInt(further) * BigInt(overageUnitCents));
  }

  @Query(() => SampleRecord, { nullable: true, description: 'One record of a county, which costs nothing. null: there is none to show.' })
  sampleRecord(@Arg('fips') fips: string): Promise<SampleRecord | null> {
    return this.samples.ofCounty(fips);
  }
}
