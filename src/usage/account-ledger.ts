import { Field, ID, Int, ObjectType } from 'type-graphql';
import { LedgerEntry } from './ledger-entry.js';

@ObjectType({ description: 'A line of the ledger, traced to the token that called and the records that it returned.' })
export class AccountLedgerEntry extends LedgerEntry {
  @Field(() => ID, { description: 'Whose it is.' })
  accountId: string;

  @Field(() => ID)
  balanceId: string;

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

  /** What was read, as flat triples; the room of parcels tells of which releases. */
  triples: number[];
}

@ObjectType()
export class LedgerPage {
  @Field(() => [AccountLedgerEntry], { description: 'Newest first.' })
  entries: AccountLedgerEntry[];

  @Field(() => Int, { description: 'How many match in all.' })
  total: number;
}
