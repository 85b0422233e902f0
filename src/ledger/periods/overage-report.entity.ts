import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The overage of an entry on its way to the payment processor's meter. */
@Entity('overage_report')
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

  /** The event that tells the payment processor of it; null: it waits for one. */
  @Column('text', { name: 'meter_event', nullable: true })
  meterEvent: string | null;
}
