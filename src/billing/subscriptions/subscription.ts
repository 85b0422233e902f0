import { Field, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({
  description: 'The overage of a period that is not invoiced yet: what the reads of that time cost beyond the included records.',
})
export class OverageLine {
  @Field()
  periodStart: Date;

  @Field({ description: 'When the period ended, or will.' })
  periodEnd: Date;

  @Field(() => Int, { description: 'Overage records less those on earlier invoices; negative for a credit.' })
  records: number;

  @Field({ description: 'The price of each in US dollars, as a decimal string.' })
  unitUsd: string;

  @Field({ description: 'The amount in US dollars, as a decimal string.' })
  amountUsd: string;
}

@ObjectType({ description: 'The next invoice, as far as it is known now.' })
export class NextBill {
  @Field({ description: 'When the current period ends.' })
  at: Date;

  @Field({ description: "The plan's price for the next period in US dollars; 0.00 if there is no next period." })
  planUsd: string;

  @Field({ description: 'All overage that is not invoiced yet, in US dollars; negative for a credit.' })
  overageUsd: string;

  @Field(() => [OverageLine], { description: 'What this overage consists of, the oldest period first.' })
  overage: OverageLine[];

  @Field({ description: 'The total in US dollars, before taxes.' })
  totalUsd: string;
}

@ObjectType({ description: "An account's subscription to the paid plan: the running one, or the latest if none runs." })
export class Subscription {
  @Field(() => ID)
  id: string;

  @Field({ description: "Stripe's status: active, past_due, unpaid, canceled and so on." })
  status: string;

  @Field({ description: "Whether the subscription's tokens may read records." })
  isLive: boolean;

  @Field({ description: 'Whether the subscription can never charge again. Until then the account cannot start another one.' })
  hasEnded: boolean;

  @Field()
  periodStart: Date;

  @Field()
  periodEnd: Date;

  @Field(() => Date, { nullable: true, description: 'When the subscription ends or ended; null if it renews.' })
  endsAt: Date | null;

  @Field(() => Int, { description: 'Included records left in the current period.' })
  creditsRemaining: number;

  @Field(() => Int, { description: 'Overage records in the current period.' })
  overageRecords: number;

  @Field({ description: 'The cost of these overage records in US dollars, as a decimal string.' })
  overageUsd: string;

  @Field(() => Int, { nullable: true, description: "The customer's limit of overage records per period; null if there is none." })
  overageCap: number | null;

  @Field(() => String, { nullable: true, description: 'What these records cost in US dollars, as a decimal string; null without a limit.' })
  overageCapUsd: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The URL of an overage bill whose payment failed. Until it is paid, reads end with the included records. Null if none.',
  })
  overageStoppedBy: string | null;

  @Field(() => NextBill, { nullable: true, description: 'Null if nothing remains to be paid.' })
  nextBill: NextBill | null;
}
