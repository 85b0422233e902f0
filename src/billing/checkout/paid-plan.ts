import { Field, Int, ObjectType } from 'type-graphql';
import { usd } from '../../ledger/money.js';
import { plans } from '../../ledger/plans.js';

@ObjectType({ description: 'The terms of the paid plan.' })
export class PaidPlan {
  @Field({ description: 'The price of a monthly period in US dollars, as a decimal string.' })
  priceUsd: string;

  @Field(() => Int, { description: 'Records included in each period.' })
  includedRecords: number;

  @Field({ description: 'The price of an overage record in US dollars, as a decimal string.' })
  overageUsd: string;

  @Field({ description: 'Whether the plan can be bought; false without a Stripe key.' })
  isConfigured: boolean;
}

export const paidPlan = (isConfigured: boolean): PaidPlan => ({
  priceUsd: usd(BigInt(plans.paid.priceCents)),
  includedRecords: plans.paid.includedRecords,
  overageUsd: usd(BigInt(plans.paid.overageUnitCents)),
  isConfigured,
});
