import { Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { ReleaseDescriptions } from '../releases/catalogue/release-descriptions.js';
import { AccountLedgerEntry } from '../usage/account-ledger.js';
import { unflatten } from './page.js';

@ObjectType({ description: 'Records of one release with neighbouring ordinals. A release never changes, so this names them for good.' })
class LedgerSegment {
  @Field(() => Int)
  releaseId: number;

  @Field()
  countyFips: string;

  @Field()
  countyName: string;

  @Field({ description: 'Two-letter postal code.' })
  state: string;

  @Field(() => Int)
  firstOrdinal: number;

  @Field(() => Int)
  count: number;

  @Field({ description: 'Whose data it is.' })
  sourceName: string;

  @Field(() => String, { nullable: true, description: 'The day the source data is of, as YYYY-MM-DD.' })
  sourceDate: string | null;
}

/** The records and counties that a ledger entry returned. */
@Resolver(() => AccountLedgerEntry)
export class LedgerSegmentsResolver {
  constructor(private readonly releases: ReleaseDescriptions) {}

  @FieldResolver(() => [LedgerSegment], { description: 'What was read.' })
  segments(@Root() { triples }: AccountLedgerEntry): Promise<LedgerSegment[]> {
    return Promise.all(
      unflatten(triples).map(async ({ releaseId, first, count }) => {
        const { countyFips, countyName, state, sourceName, sourceDate } = await this.releases.of(releaseId);
        return { releaseId, firstOrdinal: first, count, countyFips, countyName, state, sourceName, sourceDate };
      }),
    );
  }
}
