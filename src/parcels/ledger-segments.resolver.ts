import { Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { ReleaseDescriptions } from '../releases/catalogue/release-descriptions.js';
import { AccountLedgerEntry } from '../usage/account-ledger.js';
import { type Segment, unflatten } from './page.js';

@ObjectType({ description: 'Consecutive records of one release. Releases never change, so a segment always identifies the same records.' })
export class LedgerSegment {
  @Field(() => Int)
  releaseId: number;

  @Field()
  countyFips: string;

  @Field()
  countyName: string;

  @Field({ description: "The state's two-letter postal code." })
  state: string;

  @Field(() => Int)
  firstOrdinal: number;

  @Field(() => Int)
  count: number;

  @Field({ description: 'The publisher of the source data.' })
  sourceName: string;

  @Field(() => String, { nullable: true, description: 'The date of the source data, YYYY-MM-DD; null if unknown.' })
  sourceDate: string | null;
}

/** Adds what is known of each segment's release. */
export const describeSegments = (segments: Segment[], releases: ReleaseDescriptions): Promise<LedgerSegment[]> =>
  Promise.all(
    segments.map(async ({ releaseId, first, count }) => {
      const { countyFips, countyName, state, source, sourceDate } = await releases.of(releaseId);
      return { releaseId, firstOrdinal: first, count, countyFips, countyName, state, sourceName: source, sourceDate };
    }),
  );

/** The records and counties that a ledger entry returned. */
@Resolver(() => AccountLedgerEntry)
export class LedgerSegmentsResolver {
  constructor(private readonly releases: ReleaseDescriptions) {}

  @FieldResolver(() => [LedgerSegment], { description: 'The records that were read; empty for entries other than reads.' })
  segments(@Root() { triples }: AccountLedgerEntry): Promise<LedgerSegment[]> {
    return describeSegments(unflatten(triples), this.releases);
  }
}
