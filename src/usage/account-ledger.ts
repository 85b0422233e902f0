import { Field, ID, Int, ObjectType } from 'type-graphql';
import { LedgerEntry } from '../ledger/ledger-entry.js';
import type { LedgerFilter } from './ledger-search.js';

@ObjectType({ description: 'A ledger entry with the token that was used and the records that were returned.' })
export class AccountLedgerEntry extends LedgerEntry {
  @Field(() => ID, { description: 'The account that owns the balance.' })
  accountId: string;

  @Field(() => ID)
  balanceId: string;

  @Field(() => Int, { description: "The entry's number within its balance, from 1 without gaps." })
  sequence: number;

  @Field(() => Int, { description: "The period's overage records after this entry." })
  overageAfter: number;

  @Field({ description: 'The start of the period that the entry belongs to.' })
  periodStart: Date;

  @Field(() => String, { nullable: true, description: 'The Idempotency-Key of the request; null without one.' })
  idempotencyKey: string | null;

  /** The operator who made it; shown to operators only. */
  actor: string | null;

  @Field(() => String, { nullable: true, description: 'The reason that an operator gave; null without one.' })
  reason: string | null;

  @Field(() => ID, { nullable: true, description: 'The entry that this one reverses; null if it is no reversal.' })
  reverses: string | null;

  @Field(() => String, { nullable: true, description: "The token's name; null without a token." })
  tokenName: string | null;

  @Field({ description: 'The hash of the previous entry of the balance, in hexadecimal.' })
  previousHash: string;

  @Field({ description: 'SHA-256 over the previous hash and the content of this entry, in hexadecimal.' })
  hash: string;

  /** The records read, as flat triples; `parcels/` names their releases. */
  triples: number[];
}

@ObjectType({ description: 'A ledger entry with the entries that refer to it.' })
export class LinkedLedgerEntry extends AccountLedgerEntry {
  @Field(() => ID, { nullable: true, description: 'The entry that reversed this one; null if none did.' })
  reversedBy: string | null;

  @Field(() => [ID], { description: 'The latest 100 entries that returned its records again.' })
  replays: string[];
}

@ObjectType()
export class LedgerPage {
  @Field(() => [AccountLedgerEntry], { description: 'Newest first.' })
  entries: AccountLedgerEntry[];

  @Field(() => ID, {
    nullable: true,
    description:
      'Pass as `before` to get the next page; null on the last page. A page examines at most 50,000 entries, so it may end before it is full.',
  })
  older: string | null;

  /** The filter of the entries that `total` counts. */
  filter: LedgerFilter;
}

@ObjectType({ description: 'Ledger entries as CSV, with times in UTC.' })
export class LedgerCsv {
  @Field({ description: 'CSV text. The first page begins with the header row.' })
  text: string;

  @Field(() => Int)
  rows: number;

  @Field(() => ID, { nullable: true, description: 'Pass as `before` to get the next page; null on the last page.' })
  older: string | null;
}
