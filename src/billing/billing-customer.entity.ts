import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** An account's customer in Stripe. */
@Entity('billing_customer')
@Unique('billing_customer_stripe_unique', ['stripeCustomerId'])
export class BillingCustomerEntity {
  @PrimaryColumn('text', { name: 'account_id', primaryKeyConstraintName: 'billing_customer_pkey' })
  accountId: string;

  @Column('text', { name: 'stripe_customer_id' })
  stripeCustomerId: string;

  /** The last checkout. While it is open it is used again instead of a new one, so that nobody subscribes twice. */
  @Column('text', { name: 'checkout_session_id', nullable: true })
  checkoutSessionId: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'service_now()' })
  createdAt: Date;
}
