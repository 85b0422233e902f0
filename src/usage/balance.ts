import { Field, ID, Int, ObjectType } from 'type-graphql';
import { usd } from '../ledger/money.js';
import { type PlanName, plans } from '../ledger/plans.js';

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

  @Field(() => Int, { nullable: true, description: 'Overage records that this limit still allows; null if there is none.' })
  overageLeft: number | null;

  @Field()
  periodStart: Date;

  @Field()
  periodEnd: Date;

  @Field(() => Date, { nullable: true, description: 'When its tokens expire; null if they last as long as the subscription.' })
  endsAt: Date | null;
}

// The first hours do not predict a month: a customer who tries everything at once would be shown thousands of dollars.
const minElapsedMs = 3 * 24 * 60 * 60 * 1000;

@ObjectType({ description: 'A balance with the cost of its current period.' })
export class AccountBalance extends Balance {
  /** The price of an overage record; null without overage. */
  unitCents: number | null;
  /** False for a trial and for a paid plan that an operator gave: neither is billed. */
  isMetered: boolean;
  /** Included records and overage, read in the period. */
  usedRecords: number;
  now: Date;

  @Field(() => String, {
    nullable: true,
    description: 'What the overage records of the limit cost in US dollars, as a decimal string; null without a limit.',
  })
  get overageCapUsd(): string | null {
    return this.overageCap === null ? null : usd(this.centsOf(this.overageCap));
  }

  @Field(() => String, {
    nullable: true,
    description: "The plan's price plus the overage so far, in US dollars; null if nobody is billed.",
  })
  get billSoFarUsd(): string | null {
    return this.isMetered ? this.billUsd(this.overageRecords) : null;
  }

  /** Integers only, rounded down. */
  @Field(() => Int, {
    nullable: true,
    description: "The period's expected overage records at the current rate; null if nobody is billed, and in the first three days.",
  })
  get projectedOverageRecords(): number | null {
    if (!this.isMetered) return null;
    const endsAt = this.endsAt && this.endsAt < this.periodEnd ? this.endsAt : this.periodEnd;
    if (this.now >= endsAt) return this.overageRecords;
    const elapsedMs = this.now.getTime() - this.periodStart.getTime();
    if (elapsedMs < minElapsedMs) return null;
    const furtherRecords = Number((BigInt(this.usedRecords) * BigInt(endsAt.getTime() - this.now.getTime())) / BigInt(elapsedMs));
    const projected = this.overageRecords + Math.max(0, furtherRecords - this.creditsRemaining);
    return this.overageCap === null ? projected : Math.max(this.overageRecords, Math.min(projected, this.overageCap));
  }

  @Field(() => String, {
    nullable: true,
    description: "The period's expected cost at the current rate, in US dollars; null if that is unknown.",
  })
  get projectedBillUsd(): string | null {
    const records = this.projectedOverageRecords;
    return records === null ? null : this.billUsd(records);
  }

  private billUsd(overageRecords: number): string {
    return usd(BigInt(plans.paid.priceCents) + this.centsOf(overageRecords));
  }

  private centsOf(records: number): bigint {
    return BigInt(records) * BigInt(this.unitCents ?? 0);
  }
}
