import { Field, ID, Int, ObjectType } from 'type-graphql';
import { LedgerEntry } from './ledger-entry.js';

@ObjectType({ description: 'Records of one release with neighbouring ordinals. A release never changes, so this names them for good.' })
export class LedgerSegment {
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

@ObjectType({ description: 'A line of the ledger, traced to the token that called and the records that it returned.' })
export class AccountLedgerEntry extends LedgerEntry {
  @Field(() => String, { nullable: true, description: 'Why, where somebody gave a reason.' })
  reason: string | null;

  @Field(() => ID, { nullable: true, description: 'The entry that this one takes back.' })
  reverses: string | null;

  @Field(() => ID, { nullable: true })
  tokenId: string | null;

  @Field(() => String, { nullable: true })
  tokenName: string | null;

  @Field(() => String, { nullable: true })
  tokenHint: string | null;

  @Field(() => [LedgerSegment], { description: 'What was read.' })
  segments: LedgerSegment[];
}

@ObjectType()
export class LedgerPage {
  @Field(() => [AccountLedgerEntry], { description: 'Newest first.' })
  entries: AccountLedgerEntry[];

  @Field(() => Int, { description: 'How many match in all.' })
  total: number;
}
