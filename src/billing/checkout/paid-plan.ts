import { Field, Int, ObjectType } from 'type-graphql';
import { usd } from '../../ledger/money.js';
import { plans } from '../../ledger/plans.js';

@ObjectType({ description: 'The paid plan as it is offered here.' })
export class PaidPlan {
  @Field({ description: 'A monthly period of it, in US dollars, as a decimal string.' })
  priceUsd: string;

  @Field(() => Int, { description: 'Records that a period includes.' })
  includedRecords: number;

  @Field({ description: 'Each further record, in US dollars, as a decimal string.' })
  overageUsd: string;

  @Field({ description: 'Whether it can be bought: false where no Stripe key is configured.' })
  isConfigured: boolean;
}

export const paidPlan = (isConfigured: boolean): PaidPlan => ({
  priceUsd: usd(BigInt(plans.paid.priceCents)),
  includedRecords: plans.paid.includedRecords,
  overageUsd: usd(BigInt(plans.paid.overageUnitCents)),
  isConfigured,
});
