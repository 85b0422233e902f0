import { Field, ID, Int, ObjectType } from 'type-graphql';

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

  @Field({ description: 'What all overage that is not invoiced yet costs in US dollars; negative for a credit.' })
  openOverageUsd: string;

  /** Not shown. */
  stripeCustomerId: string;
}
