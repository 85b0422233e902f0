import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The overage of an entry on its way to the payment processor's meter. */
@Entity('overage_report')
@Check('overage_report_state_known', `state in ('waiting', 'sent', 'cancelled', 'failed')`)
export class OverageReportEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'overage_report_pkey' })
  balanceId: string;

  @PrimaryColumn('uuid', { name: 'entry_id', primaryKeyConstraintName: 'overage_report_pkey' })
  entryId: string;

  /** Negative: the entry takes an earlier one back. */
  @Column('integer')
  records: number;

  @Column('timestamptz')
  at: Date;

  @Column('text', { default: 'waiting' })
  state: 'waiting' | 'sent' | 'cancelled' | 'failed';

  @Column('integer', { default: 0 })
  attempts: number;

  @Column('timestamptz', { name: 'next_attempt_at', default: () => 'service_now()' })
  nextAttemptAt: Date;

  @Column('timestamptz', { name: 'sent_at', nullable: true })
  sentAt: Date | null;

  /** The first attempt whose outcome is unknown: Stripe knows a duplicate for a day after it, and no longer. */
  @Column('timestamptz', { name: 'uncertain_since', nullable: true })
  uncertainSince: Date | null;

  @Column('text', { nullable: true })
  error: string | null;
}
