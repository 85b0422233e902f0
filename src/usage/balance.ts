import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { PlanName } from '../ledger/plans.js';

@ObjectType({ description: 'What a token, or all tokens of one subscription together, may still read.' })
export class Balance {
  @Field(() => ID)
  id: string;

  @Field(() => String, { description: 'trial or paid.' })
  plan: PlanName;

  @Field(() => Int, { description: 'Included records left in the period.' })
  creditsRemaining: number;

  @Field(() => Int, { description: 'Records that one period includes.' })
  includedRecords: number;

  @Field(() => Int, { description: 'Records beyond the included ones in this period.' })
  overageRecords: number;

  @Field({ description: 'What they cost, in US dollars, as a decimal string.' })
  overageUsd: string;

  @Field(() => Int, { nullable: true, description: "The customer's bound on overage records a period; null: none." })
  overageCap: number | null;

  @Field()
  periodStart: Date;

  @Field()
  periodEnd: Date;

  @Field(() => Date, { nullable: true, description: 'When its tokens expire; null: as long as its plan lives.' })
  endsAt: Date | null;
}
