import { Field, ObjectType } from 'type-graphql';
import { LedgerEntry } from '../ledger/entries/ledger-entry.js';
import { Metering } from '../ledger/spending/metering.js';
import type { TokenIdentity } from '../ledger/spending/token-lookup.js';
import { Balance } from './balance.js';

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
