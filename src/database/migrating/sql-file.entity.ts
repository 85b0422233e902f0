import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last applied version of a SQL file. `applySqlFiles` creates the table before all others. */
@Entity('sql_file')
export class SqlFileEntity {
  /** For example `ledger/spending`. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'sql_file_pkey' })
  name: string;

  @Column('text')
  checksum: string;

  @Column('timestamptz', { name: 'applied_at', default: () => 'clock_timestamp()' })
  appliedAt: Date;
}
