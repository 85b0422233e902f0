import { FieldResolver, Resolver, Root } from 'type-graphql';
import type { ReleaseDescriptions } from '../releases/catalogue/release-descriptions.js';
import { AccountLedgerEntry } from '../usage/account-ledger.js';
import { describeSegments, LedgerSegment } from './ledger-segment.js';
import { unflatten } from './page.js';

/** The records and counties that a ledger entry returned. */
@Resolver(() => AccountLedgerEntry)
export class LedgerSegmentsResolver {
  constructor(private readonly releases: ReleaseDescriptions) {}

  @FieldResolver(() => [LedgerSegment], { description: 'The records that were read; empty for entries other than reads.' })
  segments(@Root() { triples }: AccountLedgerEntry): Promise<LedgerSegment[]> {
    return describeSegments(unflatten(triples), this.releases);
  }
}
