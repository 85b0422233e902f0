import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { PlanName } from '../ledger/plans.js';

@ObjectType({ description: 'What a trial token, or all tokens of a subscription together, may still read.' })
export class Balance {
  @Field(() => ID)
  id: string;

  @Field(() => String, { description: 'trial or paid.' })
  plan: PlanName;

  @Field(() => Int, { description: 'Included records left in the current period.' })
  creditsRemaining: number;

  @Field(() => Int, { description: 'Records included in each period.' })
  includedRecords: number;

  @Field(() => Int, { description: 'Overage records in the current period.' })
  overageRecords: number;

  @Field({ description: 'The cost of these overage records in US dollars, as a decimal string.' })
  overageUsd: string;

  @Field(() => Int, { nullable: true, description: "The customer's limit of overage records per period; null if there is none." })
  overageCap: number | null;

  @Field()
  periodStart: Date;

  @Field()
  periodEnd: Date;

  @Field(() => Date, { nullable: true, description: 'When its tokens expire; null if they last as long as the subscription.' })
  endsAt: Date | null;
}

@ObjectType({ description: 'A balance with the cost of its current period.' })
export class AccountBalance extends Balance {
  @Field(() => String, {
    nullable: true,
    description: 'What the overage records of the limit cost in US dollars, as a decimal string; null without a limit.',
  })
  overageCapUsd: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The plan's price plus the overage so far, in US dollars; null if nobody is billed.",
  })
  billSoFarUsd: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The period's expected overage records at the current rate; null if nobody is billed, and in the first three days.",
  })
  projectedOverageRecords: number | null;

  @Field(() => String, {
    nullable: true,
    description: "The period's expected cost at the current rate, in US dollars; null if that is unknown.",
  })
  projectedBillUsd: string | null;
}
