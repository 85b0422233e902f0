import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A read between its commit and its first byte. On the way of every read, so it is worked on in SQL alone. */
@Entity('undelivered_read')
export class UndeliveredReadEntity {
  @PrimaryColumn('uuid', { name: 'balance_id', primaryKeyConstraintName: 'undelivered_read_pkey' })
  balanceId: string;

  @PrimaryColumn('text', { name: 'request_id', primaryKeyConstraintName: 'undelivered_read_pkey' })
  requestId: string;

  /** Null: no read was found of this request, and a spend of it that comes late is refused (`reverse_spent`). */
  @Column('uuid', { name: 'entry_id', nullable: true })
  entryId: string | null;

  @Column('timestamptz', { name: 'spent_at', default: () => 'clock_timestamp()' })
  spentAt: Date;
}
