import { Field, ObjectType } from 'type-graphql';
import { ApiToken } from '../tokens/token.js';
import { Balance } from './balance.js';
import { LedgerEntry } from './ledger-entry.js';
import { Metering } from './metering.js';

@ObjectType({ description: "A token's balance and recent ledger." })
export class Usage {
  @Field(() => ApiToken)
  token: ApiToken;

  @Field(() => Balance)
  balance: Balance;

  @Field(() => [LedgerEntry], { description: "The latest 100 entries of the token's balance, newest first." })
  ledger: LedgerEntry[];

  @Field(() => Metering, { description: 'What asking cost: nothing.' })
  metering: Metering;
}
