import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { PlanName } from '../ledger/plans.js';

export type TokenState = 'active' | 'exhausted' | 'expired' | 'revoked';

@ObjectType({ description: 'An API token of one account. Its raw value is known to nobody but the person it was shown to, once.' })
export class ApiToken {
  @Field(() => ID)
  id: string;

  @Field(() => ID, { description: 'Whose it is.' })
  accountId: string;

  @Field()
  name: string;

  @Field(() => String, { description: 'trial or paid.' })
  plan: PlanName;

  @Field(() => String, { description: 'active, exhausted, expired or revoked.' })
  state: TokenState;

  @Field(() => Int, { description: 'Included records left; all tokens of one subscription share them.' })
  creditsRemaining: number;

  @Field(() => Int, { description: 'Records that its plan includes: what the remaining ones are measured against.' })
  creditsIncluded: number;

  @Field()
  issuedAt: Date;

  @Field(() => Date, { nullable: true, description: 'Null: as long as its plan lives.' })
  expiresAt: Date | null;

  @Field(() => Date, { nullable: true })
  revokedAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it last read records.' })
  lastUsedAt: Date | null;
}

@ObjectType({ description: 'A token just issued. The raw value is returned here and never again.' })
export class IssuedToken {
  @Field()
  rawToken: string;

  @Field(() => ApiToken)
  token: ApiToken;
}
