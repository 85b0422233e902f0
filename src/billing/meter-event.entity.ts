import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Overage as Stripe's meter is told of it: a run of a balance's entries, summed up. */
@Entity('meter_event')
@Check('meter_event_state_known', `state in ('waiting', 'sent', 'void', 'failed')`)
@Index('meter_event_balance', ['balanceId', 'countedAt'])
@Index('meter_event_taken_back', ['balanceId'], { where: `records < 0 and state = 'sent'` })
@Index('meter_event_one_at_a_time', ['stripeCustomerId'], { unique: true, where: `state = 'waiting'` })
export class MeterEventEntity {
  /** The balance and the first and last entry, by their sequence: the same run is never told of twice. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'meter_event_pkey' })
  identifier: string;

  @Column('uuid', { name: 'balance_id' })
  balanceId: string;

  @Column('text', { name: 'stripe_customer_id' })
  stripeCustomerId: string;

  /** The period of its entries. */
  @Column('timestamptz', { name: 'period_start' })
  periodStart: Date;

  @Column('integer')
  entries: number;

  /** Below zero where more was taken back than read. */
  @Column('integer')
  records: number;

  /** The time that Stripe is told. It decides on which bill the records are. */
  @Column('timestamptz', { name: 'counted_at' })
  countedAt: Date;

  /** The end of the period that this time is in, where the billing cycle was moved since; null: as the subscription's periods are now. */
  @Column('timestamptz', { name: 'bill_ends_at', nullable: true })
  billEndsAt: Date | null;

  /** void: nothing to tell, or nobody to bill; failed: whether Stripe has it is unknown, and an operator decides. */
  @Column('text', { default: 'waiting' })
  state: 'waiting' | 'sent' | 'void' | 'failed';

  @Column('integer', { default: 0 })
  attempts: number;

  @Column('timestamptz', { name: 'next_attempt_at', default: () => 'service_now()' })
  nextAttemptAt: Date;

  /** The first attempt whose outcome is unknown: Stripe knows a duplicate for a day after it, and no longer. */
  @Column('timestamptz', { name: 'uncertain_since', nullable: true })
  uncertainSince: Date | null;

  @Column('timestamptz', { name: 'opened_at', default: () => 'service_now()' })
  openedAt: Date;

  /** When Stripe took it, or may have at the earliest. */
  @Column('timestamptz', { name: 'sent_at', nullable: true })
  sentAt: Date | null;

  @Column('text', { nullable: true })
  error: string | null;
}
