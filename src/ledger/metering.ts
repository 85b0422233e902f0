import { Field, ID, Int, ObjectType } from 'type-graphql';
import { usd } from './money.js';
import type { PlanName } from './plans.js';
import type { Spent } from './spend.js';

@ObjectType({ description: 'What a metered request cost, and what is left.', simpleResolvers: true })
export class Metering {
  @Field(() => String, { description: 'trial or paid.' })
  plan: PlanName;

  @Field(() => Int, {
    description: 'Credits charged: one per record returned, overage records included; 0 for a replay under the same Idempotency-Key.',
  })
  creditsCharged: number;

  @Field(() => Int, { description: 'Included records left in the trial or in the current monthly period.' })
  creditsRemaining: number;

  @Field(() => Int, { description: 'Overage records in the current period.' })
  overageRecords: number;

  @Field({ description: "The cost of the current period's overage in US dollars, as a decimal string." })
  overageUsd: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'Overage records that the cap still allows in the current period; null without a cap. REST has it in the header Overage-Left.',
  })
  overageLeft: number | null;

  @Field(() => ID, { nullable: true, description: 'The ledger entry of this response; null if nothing was metered.' })
  ledgerEntryId: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The hash of that entry: a receipt for it and all before it in its balance. REST has it in the header Ledger-Hash.',
  })
  ledgerHash: string | null;
}

export const meteringOf = (spent: Spent): Metering => ({
  plan: spent.plan,
  creditsCharged: spent.isReplay ? 0 : spent.records,
  creditsRemaining: spent.creditsRemaining,
  overageRecords: spent.overageRecords,
  overageUsd: usd(BigInt(spent.overageRecords) * BigInt(spent.overageUnitCents)),
  overageLeft: spent.overageLeft,
  ledgerEntryId: spent.entryId,
  ledgerHash: spent.ledgerHash,
});
