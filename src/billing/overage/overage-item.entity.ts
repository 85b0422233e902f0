import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Overage of a balance's period as we put it on a bill, or gave it back. Their sum is what was billed of the period. */
@Entity('overage_item')
@Check('overage_item_way_known', `way in ('draft', 'bill', 'credit', 'meter', 'upgrade')`)
@Check('overage_item_state_known', `state in ('trying', 'added', 'billed', 'missed', 'void')`)
@Index('overage_item_balance', ['balanceId', 'periodStart'])
@Index('overage_item_customer', ['stripeCustomerId'])
@Index('overage_item_one_at_a_time', ['stripeCustomerId'], { unique: true, where: `state = 'trying'` })
export class OverageItemEntity {
  /** Stripe has it in the metadata of the item, and in its idempotency key. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'overage_item_pkey', default: () => 'gen_random_uuid()' })
  id: string;

  @Column('uuid', { name: 'balance_id' })
  balanceId: string;

  @Column('timestamptz', { name: 'period_start' })
  periodStart: Date;

  @Column('timestamptz', { name: 'period_end' })
  periodEnd: Date;

  @Column('text', { name: 'stripe_customer_id' })
  stripeCustomerId: string;

  /** Below zero where something is given back. */
  @Column('integer')
  records: number;

  @Column('integer', { name: 'unit_cents' })
  unitCents: number;

  /** On a subscription's draft, a bill of our own, or the customer's balance; `meter` and `upgrade` were billed by former releases. */
  @Column('text')
  way: 'draft' | 'bill' | 'credit' | 'meter' | 'upgrade';

  @Column('text', { name: 'invoice_id', nullable: true })
  invoiceId: string | null;

  /** When Stripe would have made its bill final, before we put that off; null: we did not. */
  @Column('timestamptz', { name: 'finalizes_at', nullable: true })
  finalizesAt: Date | null;

  /** `missed`: Stripe does not have it, and it counts no more; `void`: its customer was deleted in Stripe, and it is forgiven. */
  @Column('text', { default: 'trying' })
  state: 'trying' | 'added' | 'billed' | 'missed' | 'void';

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
