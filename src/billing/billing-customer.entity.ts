import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** Who an account is to Stripe. */
@Entity('billing_customer')
@Unique('billing_customer_stripe_unique', ['stripeCustomerId'])
export class BillingCustomerEntity {
  @PrimaryColumn('text', { name: 'account_id', primaryKeyConstraintName: 'billing_customer_pkey' })
  accountId: string;

  @Column('text', { name: 'stripe_customer_id' })
  stripeCustomerId: string;

  /** The last checkout begun: going back to it, rather than opening another, is what keeps people from subscribing twice. */
  @Column('text', { name: 'checkout_session_id', nullable: true })
  checkoutSessionId: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'service_now()' })
  createdAt: Date;
}
