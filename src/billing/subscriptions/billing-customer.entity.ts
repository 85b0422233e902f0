import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An account's customer in Stripe. */
@Entity('billing_customer')
export class BillingCustomerEntity {
  @PrimaryColumn('text', { name: 'account_id' })
  accountId: string;

  /** Null until it exists in Stripe, and after its deletion there. */
  @Column('text', { name: 'stripe_customer_id', nullable: true })
  stripeCustomerId: string | null;

  /** The last checkout, until we know that it is over. */
  @Column('text', { name: 'checkout_session_id', nullable: true })
  checkoutSessionId: string | null;

  /** The idempotency key of a customer or checkout whose creation is running or has an unknown outcome. */
  @Column('uuid', { name: 'attempt_key', nullable: true })
  attemptKey: string | null;

  @Column('timestamptz', { name: 'attempted_at', nullable: true })
  attemptedAt: Date | null;

  /** Number of keys since the last success. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** The overage cap that was chosen at the last checkout; null: none. */
  @Column('integer', { name: 'chosen_cap', nullable: true })
  chosenCap: number | null;

  /** Null: no checkout has asked for a cap yet. */
  @Column('timestamptz', { name: 'cap_chosen_at', nullable: true })
  capChosenAt: Date | null;

  /** When its books were last compared with Stripe's; null: never. */
  @Column('timestamptz', { name: 'compared_at', nullable: true })
  comparedAt: Date | null;

  /** How many ledger heads its invoices named then. */
  @Column('integer', { name: 'compared_heads', default: 0 })
  comparedHeads: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'service_now()' })
  createdAt: Date;
}
