import { Field, ID, Int, ObjectType } from 'type-graphql';
import { ApiToken } from '../tokens/token.js';
import { LedgerEntry } from '../usage/ledger-entry.js';

@ObjectType({ description: "Somebody's token, as operators see it." })
export class AdminToken extends ApiToken {
  @Field(() => ID)
  accountId: string;

  @Field(() => String, { nullable: true })
  accountEmail: string | null;
}

@ObjectType()
export class AdminTokenPage {
  @Field(() => [AdminToken], { description: 'Newest first.' })
  tokens: AdminToken[];

  @Field(() => Int, { description: 'How many match in all.' })
  total: number;
}

@ObjectType({ description: "A line of somebody's ledger, as operators see it." })
export class AdminLedgerEntry extends LedgerEntry {
  @Field(() => ID)
  balanceId: string;

  @Field(() => ID)
  accountId: string;

  @Field(() => String, { nullable: true })
  accountEmail: string | null;

  @Field(() => String, { nullable: true })
  reason: string | null;

  @Field(() => String, { nullable: true, description: 'The operator who wrote it, where one did.' })
  actor: string | null;

  @Field(() => String, { nullable: true })
  tokenName: string | null;
}

@ObjectType()
export class AdminLedgerPage {
  @Field(() => [AdminLedgerEntry], { description: 'Newest first.' })
  entries: AdminLedgerEntry[];

  @Field(() => Int, { description: 'How many match in all.' })
  total: number;
}
