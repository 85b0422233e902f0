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

@ObjectType({ description: 'A balance with what its period costs.' })
export class AccountBalance extends Balance {
  @Field(() => String, {
    nullable: true,
    description: "The plan's price and the overage so far, in US dollars; null where nobody is billed.",
  })
  billSoFarUsd: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Overage at the period's end if reading goes on at its pace; null where nobody is billed, and in the first three days.",
  })
  projectedOverageRecords: number | null;

  @Field(() => String, { nullable: true, description: 'What the period comes to then, in US dollars; null where that is.' })
  projectedBillUsd: string | null;
}
