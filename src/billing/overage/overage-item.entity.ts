import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Overage of a balance's period that was put on an invoice or given back. A period's items add up to what was billed of it. */
@Entity('overage_item')
@Check('overage_item_way_known', `way in ('draft', 'bill', 'credit', 'meter', 'upgrade')`)
@Check('overage_item_state_known', `state in ('trying', 'added', 'billed', 'missed', 'void')`)
@Index('overage_item_balance', ['balanceId', 'periodStart'])
@Index('overage_item_customer', ['stripeCustomerId'])
@Index('overage_item_one_at_a_time', ['stripeCustomerId'], { unique: true, where: `state = 'trying'` })
export class OverageItemEntity {
  /** Also in the metadata of the Stripe item, and in its idempotency key. */
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

  /** Negative: given back. */
  @Column('integer')
  records: number;

  @Column('integer', { name: 'unit_cents' })
  unitCents: number;

  /** On a subscription's draft, an overage invoice (`bill`), or the customer's balance; former releases billed `meter` and `upgrade`. */
  @Column('text')
  way: 'draft' | 'bill' | 'credit' | 'meter' | 'upgrade';

  @Column('text', { name: 'invoice_id', nullable: true })
  invoiceId: string | null;

  /** When Stripe would have finalized the invoice, had we not delayed it; null: not delayed. */
  @Column('timestamptz', { name: 'finalizes_at', nullable: true })
  finalizesAt: Date | null;

  /** `missed`: Stripe does not have it, so it no longer counts; `void`: forgiven, since the customer was deleted in Stripe. */
  @Column('text', { default: 'trying' })
  state: 'trying' | 'added' | 'billed' | 'missed' | 'void';

  @Column('integer', { default: 0 })
  attempts: number;

  /** How often Stripe answered that it failed. Under the same idempotency key it would repeat that for a day. */
  @Column('integer', { default: 0 })
  failures: number;

  @Column('timestamptz', { name: 'next_attempt_at', default: () => 'service_now()' })
  nextAttemptAt: Date;

  @Column('timestamptz', { name: 'opened_at', default: () => 'service_now()' })
  openedAt: Date;

  @Column('text', { nullable: true })
  error: string | null;
}
