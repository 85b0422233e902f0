import { ArgsType, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { Limit } from '../../core/page.args.js';
import { ParcelReleaseEntity } from '../../releases/catalogue/parcel-release.entity.js';

@ArgsType()
export class DashboardArgs {
  @Limit(400, 30, 'The number of days, ending with today (UTC).')
  days: number;
}

@ObjectType({ description: 'Figures of one day (UTC).' })
export class DashboardDay {
  @Field({ description: 'YYYY-MM-DD.' })
  date: string;

  @Field(() => Int, { description: 'The number of metered requests.' })
  reads: number;

  @Field(() => Int, { description: 'Records returned, less those reversed on that day.' })
  records: number;

  @Field({ description: 'The price of all subscription periods that began on that day, plus all overage, in US dollars.' })
  revenueUsd: string;

  @Field({ description: 'What paid plans granted by operators would have cost, in US dollars. Nobody is billed for it.' })
  givenUsd: string;

  @Field(() => Int, { description: 'Webhook events that failed, and loads that published nothing.' })
  errors: number;

  @Field(() => Int, { description: 'Tokens that read records on that day.' })
  activeTokens: number;
}

@ObjectType({
  description: "A subscription that differs from those our checkout makes, or whose customer was deleted in Stripe's dashboard.",
})
export class BillingWarning {
  @Field(() => ID)
  subscriptionId: string;

  @Field(() => ID)
  accountId: string;

  @Field(() => String, { nullable: true, description: 'The email address of the account; null if it is deleted.' })
  accountEmail: string | null;

  @Field()
  text: string;
}

@ObjectType({ description: 'Key figures of the service.' })
export class Dashboard {
  @Field(() => [DashboardDay], { description: 'Oldest first, days without activity included.' })
  days: DashboardDay[];

  @Field(() => Float, { nullable: true, description: "The ledger's entries that the sums of `days` have so far; null: all." })
  summedEntries: number | null;

  @Field(() => Float, { nullable: true, description: "The ledger's entries; null if the sums have all." })
  ledgerEntries: number | null;

  @Field(() => Int)
  accounts: number;

  @Field(() => Int, { description: 'Tokens that may read records now.' })
  activeTokens: number;

  @Field(() => Int, { description: 'Subscriptions that Stripe reports as trialing, active or past due.' })
  activeSubscriptions: number;

  @Field(() => Int)
  failedWebhookEvents: number;

  @Field(() => Int, { description: 'Overage items for which it has been unknown for an hour whether Stripe billed them.' })
  unsettledOverageItems: number;

  @Field(() => Int, { description: 'Differences between the ledger and Stripe that no operator has acknowledged.' })
  billingDifferences: number;

  @Field(() => [ParcelReleaseEntity], { description: 'Those that wait for review, newest first; at most 20.' })
  heldReleases: ParcelReleaseEntity[];

  @Field(() => Int, {
    description: "Operators' loads that failed within 7 days without a later load of the same county or part.",
  })
  failedLoads: number;

  @Field(() => Int, { description: 'Background jobs that have used all their attempts; kept for 7 days.' })
  failedJobs: number;

  @Field(() => Int, { description: 'Mails that the mail server has refused or not taken, and that are tried again.' })
  failingMails: number;

  @Field(() => Int, { description: 'Mails that were kept within 7 days because there was no mail server.' })
  keptMails: number;

  @Field(() => Int, { description: 'Jobs that no server has begun within 10 minutes, or whose server is gone.' })
  stuckJobs: number;

  @Field({ description: 'The size of the database in bytes, as a whole number, which may exceed Int.' })
  databaseBytes: string;

  @Field(() => Float, { description: "The share of the disk of this server's DATA_DIR that is free, 0 to 1." })
  freeDiskShare: number;

  @Field(() => [BillingWarning], { description: 'Warnings about subscriptions that run, or that ended within 30 days; at most 20.' })
  billingWarnings: BillingWarning[];
}
