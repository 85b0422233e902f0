import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A read between its commit and its first byte. Every read passes through it, so only SQL works on it. */
@Entity('undelivered_read')
export class UndeliveredReadEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'undelivered_read_pkey' })
  balanceId: string;

  @PrimaryColumn('text', { name: 'request_id', primaryKeyConstraintName: 'undelivered_read_pkey' })
  requestId: string;

  /** Null: the request has no read, and a late spend of it is refused (`reverse_spent`). */
  @Column('uuid', { name: 'entry_id', nullable: true })
  entryId: string | null;

  @Column('timestamptz', { name: 'spent_at', default: () => 'clock_timestamp()' })
  spentAt: Date;
}
