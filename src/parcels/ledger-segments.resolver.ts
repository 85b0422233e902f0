import { FieldResolver, Resolver, Root } from 'type-graphql';
import type { ReleaseDescriptions } from '../releases/catalogue/release-descriptions.js';
import { AccountLedgerEntry } from '../usage/account-ledger.js';
import { LedgerSegment } from './ledger-segment.js';
import { unflatten } from './page.js';

/** Tells of a line of the ledger which records of which counties it returned. */
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
