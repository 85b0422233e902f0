import { Max, Min } from 'class-validator';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';

@ArgsType()
export class DashboardArgs {
  @Field(() => Int, { defaultValue: 30, description: 'How many days, today (UTC) being the last.' })
  @Min(1, { message: 'must be 1 or more' })
  @Max(400, { message: 'must be 400 or less' })
  days: number;
}

@ObjectType({ description: 'A day (UTC) of the service.' })
export class DashboardDay {
  @Field({ description: 'As YYYY-MM-DD.' })
  date: string;

  @Field(() => Int, { description: 'Metered requests.' })
  reads: number;

  @Field(() => Int, { description: 'Records returned, less those taken back on that day.' })
  records: number;

  @Field({ description: "The plan's price of every period of a subscription opened, and all its overage, in US dollars." })
  revenueUsd: string;

  @Field({ description: 'What paid plans that operators gave would have come to, which nobody is billed for, in US dollars.' })
  givenUsd: string;

  @Field(() => Int, { description: "Stripe's deliveries that failed, and loads that published nothing." })
  errors: number;

  @Field(() => Int, { description: 'Tokens that read.' })
  activeTokens: number;
}

@ObjectType({ description: "A subscription that is not as our checkout makes them, or whose customer was deleted in Stripe's dashboard." })
export class BillingWarning {
  @Field(() => ID)
  subscriptionId: string;

  @Field(() => ID)
  accountId: string;

  @Field(() => String, { nullable: true })
  accountEmail: string | null;

  @Field()
  text: string;
}

@ObjectType({ description: 'A release that waits for a decision, and of which county.' })
export class HeldRelease {
  @Field(() => Int)
  id: number;

  @Field()
  countyFips: string;

  @Field()
  countyName: string;

  @Field({ description: 'Two-letter postal code of the state.' })
  countyState: string;
}

@ObjectType({ description: 'How the service does.' })
export class Dashboard {
  @Field(() => [DashboardDay], { description: 'Oldest first; also days without anything.' })
  days: DashboardDay[];

  @Field(() => Int)
  accounts: number;

  @Field(() => Int, { description: 'Tokens that may read now.' })
  activeTokens: number;

  @Field(() => Int, { description: 'Subscriptions that Stripe counts as running: in a trial, paid or past due.' })
  activeSubscriptions: number;

  @Field(() => Int)
  failedWebhookEvents: number;

  @Field(() => Int, { description: 'Overage items of which it has been unknown for an hour whether Stripe has put them on a bill.' })
  unsettledOverageItems: number;

  @Field(() => Int, { description: 'Differences between the books and Stripe that no operator has acknowledged.' })
  billingDifferences: number;

  @Field(() => [HeldRelease], { description: 'The newest first; at most 20.' })
  heldReleases: HeldRelease[];

  @Field(() => Int, {
    description: 'Loads of operators that failed within 7 days, and that no other of the same county or part has followed.',
  })
  failedLoads: number;

  @Field(() => Int, { description: 'Background jobs whose attempts are all used up; they are kept for 7 days.' })
  failedJobs: number;

  @Field(() => [BillingWarning], { description: 'Of subscriptions that have not ended, or did within 30 days; at most 20.' })
  billingWarnings: BillingWarning[];
}
