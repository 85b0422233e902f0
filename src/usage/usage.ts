import { Field, ObjectType } from 'type-graphql';
import { Balance } from './balance.js';
import { LedgerEntry } from './ledger-entry.js';
import { Metering } from './metering.js';
import type { TokenIdentity } from './token-lookup.js';

/** Its field `token` comes from the room of tokens. */
@ObjectType({ description: "A token's balance and recent ledger." })
export class Usage {
  identity: TokenIdentity;

  @Field(() => Balance, { description: 'Shared by all tokens of one subscription.' })
  balance: Balance;

  @Field(() => [LedgerEntry], {
    description: 'The latest 100 entries of the calling token, and of its balance what no token did; newest first.',
  })
  ledger: LedgerEntry[];

  @Field(() => Metering, { description: 'What asking cost: nothing.' })
  metering: Metering;
}
