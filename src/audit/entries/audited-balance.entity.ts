import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A balance as an audit left it: all entries up to this one hold. Only `entry-slice.ts` writes it, and a full audit compares it. */
@Entity('audited_balance')
export class AuditedBalanceEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'audited_balance_pkey' })
  balanceId: string;

  @Column('integer')
  entries: number;

  /** The hash of the last one, which covers all before it. */
  @Column('bytea')
  head: Buffer;

  // What the balance itself had: if it differs now, the balance is checked though it has no new entry.
  @Column('integer')
  remaining: number;

  @Column('integer', { name: 'overage_records' })
  overageRecords: number;

  @Column('timestamptz', { name: 'period_start' })
  periodStart: Date;
}
