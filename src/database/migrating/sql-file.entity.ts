import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A SQL file as it was applied last. The table is created by `applySqlFiles`, before any other. */
@Entity('sql_file')
export class SqlFileEntity {
  /** As `ledger/spending/spend`. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'sql_file_pkey' })
  name: string;

  @Column('text')
  checksum: string;

  @Column('timestamptz', { name: 'applied_at', default: () => 'clock_timestamp()' })
  appliedAt: Date;
}
