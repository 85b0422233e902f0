import type Stripe from 'stripe';
import { Field, ID, ObjectType } from 'type-graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@ObjectType('AccountSubscription', {
  description: "An account's subscription to the paid plan, in the state that Stripe reported last.",
})
@Entity('subscription')
export class SubscriptionEntity {
  @Field(() => ID, { description: "Stripe's id of the subscription." })
  @PrimaryColumn('text')
  id: string;

  @Column('text', { name: 'account_id' })
  accountId: string;

  @Field({ description: "Stripe's id of the paying customer." })
  @Column('text', { name: 'stripe_customer_id' })
  stripeCustomerId: string;

  @Field(() => String, { description: "Stripe's status of the subscription." })
  @Column('text')
  status: Stripe.Subscription.Status;

  /** Null until its first invoice is paid. */
  @Column('uuid', { name: 'balance_id', nullable: true })
  balanceId: string | null;

  @Field()
  @Column('timestamptz', { name: 'period_start' })
  periodStart: Date;

  @Field()
  @Column('timestamptz', { name: 'period_end' })
  periodEnd: Date;

  @Field(() => Date, { nullable: true, description: 'When the subscription ends or ended; null if it renews.' })
  @Column('timestamptz', { name: 'ends_at', nullable: true })
  endsAt: Date | null;

  /** For operators. */
  @Column('text', { nullable: true })
  warning: string | null;

  /** The page of an overage bill that is not paid yet; null: none is open. */
  @Column('text', { name: 'unpaid_bill', nullable: true })
  unpaidBill: string | null;

  /** Whether the payment of that bill failed, so that the balance has no overage until it is paid. */
  @Column('boolean', { name: 'is_overage_stopped', default: false })
  isOverageStopped: boolean;

  /** The cap that the customer chose: the balance's, unless its overage is stopped; null: none. */
  @Column('integer', { name: 'kept_cap', nullable: true })
  keptCap: number | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
