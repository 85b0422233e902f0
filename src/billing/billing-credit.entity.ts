import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Overage that was taken back too late for any bill, as a credit on the customer's next one. */
@Entity('billing_credit')
@Index('billing_credit_balance', ['balanceId'])
@Index('billing_credit_last_bill', ['balanceId'], { unique: true, where: 'is_of_last_bill' })
@Check('billing_credit_state_known', `state in ('waiting', 'given', 'void')`)
export class BillingCreditEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'billing_credit_pkey', default: () => 'gen_random_uuid()' })
  id: string;

  @Column('uuid', { name: 'balance_id' })
  balanceId: string;

  @Column('text', { name: 'stripe_customer_id' })
  stripeCustomerId: string;

  @Column('integer')
  records: number;

  @Column('bigint', { name: 'amount_cents' })
  amountCents: string;

  /** Whether it is what Stripe has billed too much when a subscription was ended with a bill at once. */
  @Column('boolean', { name: 'is_of_last_bill', default: false })
  isOfLastBill: boolean;

  /** void: the customer was deleted in Stripe. */
  @Column('text', { default: 'waiting' })
  state: 'waiting' | 'given' | 'void';

  @Column('integer', { default: 0 })
  attempts: number;

  /** How often Stripe has answered that it failed; under the same idempotency key it would say so for a day. */
  @Column('integer', { default: 0 })
  failures: number;

  @Column('timestamptz', { name: 'next_attempt_at', default: () => 'service_now()' })
  nextAttemptAt: Date;

  @Column('timestamptz', { name: 'opened_at', default: () => 'service_now()' })
  openedAt: Date;

  @Column('text', { nullable: true })
  error: string | null;
}
