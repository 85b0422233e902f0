import { IsUUID } from 'class-validator';
import { ArgsType, Field, ID, ObjectType } from 'type-graphql';
import { LedgerEntry } from '../ledger/ledger-entry.js';
import { Metering } from '../ledger/metering.js';
import type { TokenIdentity } from '../ledger/token-lookup.js';
import { Balance } from './balance.js';

/** `tokens/` adds the field `token`. */
@ObjectType({ description: "A token's balance and recent ledger entries." })
export class Usage {
  identity: TokenIdentity;

  @Field(() => Balance, { description: 'The balance, which all tokens of a subscription share.' })
  balance: Balance;

  @Field(() => [LedgerEntry], {
    description: 'The latest 100 entries of the token, and of its balance those without a token; newest first. With `cursor`, older ones.',
  })
  ledger: LedgerEntry[];

  @Field(() => String, { nullable: true, description: 'Pass as `cursor` to get the older entries; null if there are none.' })
  nextCursor: string | null;

  @Field(() => Metering, { description: 'The metering of this request, which is free.' })
  metering: Metering;
}

/** The message for a faulty `cursor`, be it malformed or another token's. */
export const cursorRule = 'must be one that a Link header gave this token';

@ArgsType()
export class UsageArgs {
  @Field(() => ID, { nullable: true, description: 'The token to use when the caller is signed in by a session.' })
  tokenId?: string | null;

  @Field(() => String, { nullable: true, description: 'The `nextCursor` of the previous page; null for the latest entries.' })
  @IsUUID(undefined, { message: cursorRule })
  cursor?: string | null;
}
