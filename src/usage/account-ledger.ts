import { Field, ID, Int, ObjectType } from 'type-graphql';
import { LedgerEntry } from '../ledger/entries/ledger-entry.js';
import type { LedgerFilter } from './ledger-search.js';

@ObjectType({ description: 'A line of the ledger, traced to the token that called and the records that it returned.' })
export class AccountLedgerEntry extends LedgerEntry {
  @Field(() => ID, { description: 'Whose it is.' })
  accountId: string;

  @Field(() => ID)
  balanceId: string;

  @Field(() => Int, { description: 'Its place in the balance, from 1 without a gap.' })
  sequence: number;

  @Field(() => Int, { description: 'Overage records of the period after it.' })
  overageAfter: number;

  @Field({ description: 'The period that it belongs to.' })
  periodStart: Date;

  @Field(() => String, { nullable: true, description: 'As in the Idempotency-Key header of its request.' })
  idempotencyKey: string | null;

  /** Of an operator, for operators. */
  actor: string | null;

  @Field(() => String, { nullable: true, description: 'Why, where somebody gave a reason.' })
  reason: string | null;

  @Field(() => ID, { nullable: true, description: 'The entry that this one takes back.' })
  reverses: string | null;

  @Field(() => ID, { nullable: true, description: 'The entry whose records this one delivered once more.' })
  repeats: string | null;

  @Field(() => String, { nullable: true })
  tokenName: string | null;

  @Field({ description: 'The hash of the entry before it in the balance, as hexadecimal digits.' })
  previousHash: string;

  @Field({ description: 'SHA-256 of that hash and all that the entry says.' })
  hash: string;

  /** What was read, as flat triples; the room of parcels tells of which releases. */
  triples: number[];
}

@ObjectType({ description: 'A line of the ledger with what came of it.' })
export class LinkedLedgerEntry extends AccountLedgerEntry {}

@ObjectType()
export class LedgerPage {
  @Field(() => [AccountLedgerEntry], { description: 'Newest first.' })
  entries: AccountLedgerEntry[];

  @Field(() => ID, {
    nullable: true,
    description:
      'Older entries are before this one; null: none fits. A page looks at 50,000 entries at the most, so it may end before it is full.',
  })
  older: string | null;

  /** What `total` counts. */
  filter: LedgerFilter;
}

@ObjectType({ description: 'Entries as lines of comma-separated values, times in UTC.' })
export class LedgerCsv {
  @Field({ description: 'The first page begins with the names of the columns.' })
  text: string;

  @Field(() => Int)
  rows: number;

  @Field(() => ID, { nullable: true, description: 'Older entries are before this one; null: none fits.' })
  older: string | null;
}
