import { Field, ID, Int, ObjectType } from 'type-graphql';
import { usd } from './money.js';
import { type PlanName, plans } from './plans.js';

@ObjectType({ description: 'What may be had, and what it costs.' })
export class Plan {
  @Field(() => ID, { description: 'trial or paid.' })
  id: PlanName;

  @Field()
  name: string;

  @Field({ description: 'A monthly period of it, in US dollars, as a decimal string.' })
  priceUsd: string;

  @Field(() => Int, { description: 'Records that a period includes.' })
  includedRecords: number;

  @Field(() => String, { nullable: true, description: 'Each further record, in US dollars; null: there is none.' })
  overageUsd: string | null;

  @Field(() => Int, { nullable: true, description: 'Days until it ends; null: it renews.' })
  days: number | null;
}

const trialPlan: Plan = {
  id: 'trial',
  name: 'API Sandbox Trial',
  priceUsd: usd(0n),
  includedRecords: plans.trial.records,
  overageUsd: null,
  days: plans.trial.lifetimeDays,
};

export const paidPlan: Plan = {
  id: 'paid',
  name: 'API Records',
  priceUsd: usd(BigInt(plans.paid.priceCents)),
  includedRecords: plans.paid.includedRecords,
  overageUsd: usd(BigInt(plans.paid.overageUnitCents)),
  days: null,
};

export const planList = [trialPlan, paidPlan];
