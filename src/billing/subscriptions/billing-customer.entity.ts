import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** An account's customer in Stripe. */
@Entity('billing_customer')
@Unique('billing_customer_stripe_unique', ['stripeCustomerId'])
export class BillingCustomerEntity {
  @PrimaryColumn('text', { name: 'account_id', primaryKeyConstraintName: 'billing_customer_pkey' })
  accountId: string;

  /** Null until Stripe has made it, and after it was deleted there. */
  @Column('text', { name: 'stripe_customer_id', nullable: true })
  stripeCustomerId: string | null;

  /** The last checkout begun, until it is known to be over. */
  @Column('text', { name: 'checkout_session_id', nullable: true })
  checkoutSessionId: string | null;

  /** The idempotency key of the customer or checkout that is being made, or of which nobody knows whether it was made. */
  @Column('uuid', { name: 'attempt_key', nullable: true })
  attemptKey: string | null;

  @Column('timestamptz', { name: 'attempted_at', nullable: true })
  attemptedAt: Date | null;

  /** How many keys were begun since the last success. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** When Stripe is asked next what became of the checkout. */
  @Column('timestamptz', { name: 'follow_at', default: () => 'service_now()' })
  followAt: Date;

  @Column('timestamptz', { name: 'created_at', default: () => 'service_now()' })
  createdAt: Date;
}
