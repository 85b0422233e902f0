import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { PlanName } from '../ledger/plans.js';

export type TokenState = 'active' | 'exhausted' | 'expired' | 'revoked';

@ObjectType({ description: 'An API token of an account. Its raw value was shown once and is not stored.' })
export class ApiToken {
  @Field(() => ID)
  id: string;

  @Field(() => ID, { description: 'The account that owns the token.' })
  accountId: string;

  @Field()
  name: string;

  @Field(() => String, { description: 'trial or paid.' })
  plan: PlanName;

  @Field(() => String, { description: 'active, exhausted, expired or revoked.' })
  state: TokenState;

  @Field(() => Int, { description: 'Included records left. All tokens of a subscription share them.' })
  creditsRemaining: number;

  @Field(() => Int, { description: 'Records that the plan includes per period.' })
  creditsIncluded: number;

  @Field(() => Int, {
    nullable: true,
    description: 'The most records that the token is charged in a period; null if it has no cap of its own.',
  })
  periodCap: number | null;

  @Field(() => Int, { nullable: true, description: 'Records that a capped token was charged in the present period; null without a cap.' })
  periodRecords: number | null;

  @Field()
  issuedAt: Date;

  @Field(() => Date, { nullable: true, description: 'When the token expires; null if it lasts as long as its subscription.' })
  expiresAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the token was revoked; null if it was not.' })
  revokedAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the token last read records; null if never.' })
  lastUsedAt: Date | null;
}

@ObjectType({ description: 'A newly issued token. Its raw value is returned only here.' })
export class IssuedToken {
  @Field()
  rawToken: string;

  @Field(() => ApiToken)
  token: ApiToken;
}

@ObjectType({ description: 'The terms of the trial.' })
export class TrialPlan {
  @Field(() => Int, { description: 'Records that a trial token can read.' })
  records: number;

  @Field(() => Int, { description: 'Days from its issue until the token expires.' })
  lifetimeDays: number;
}
