import { FieldResolver, ID, Int, Resolver, Root } from 'type-graphql';
import { LedgerPage, LinkedLedgerEntry } from './account-ledger.js';
import type { LedgerStore } from './ledger.store.js';

const maxReplays = 100;

/** The reversal and replays of an entry. */
@Resolver(() => LinkedLedgerEntry)
export class LedgerLinksResolver {
  constructor(private readonly entries: LedgerStore) {}

  @FieldResolver(() => ID, { nullable: true, description: 'The entry that reversed this one; null if none did.' })
  reversedBy(@Root() entry: LinkedLedgerEntry): Promise<string | null> {
    return this.entries.reversalOf(entry);
  }

  @FieldResolver(() => [ID], { description: 'The latest 100 entries that returned its records again.' })
  replays(@Root() entry: LinkedLedgerEntry): Promise<string[]> {
    return this.entries.replaysOf(entry, maxReplays);
  }
}

/** Counts only on request: counting examines more entries than a page. */
@Resolver(() => LedgerPage)
export class LedgerTotalResolver {
  constructor(private readonly entries: LedgerStore) {}

  @FieldResolver(() => Int, {
    nullable: true,
    description: 'The number of matching entries; null if more than 50,000 would have to be examined.',
  })
  total(@Root() { filter }: LedgerPage): Promise<number | null> {
    return this.entries.count(filter);
  }
}
