import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** Which database servers used last: one row. A copy has the row, and is another database. */
@Entity('database_home')
@Check('database_home_only_one', 'id')
export class DatabaseHomeEntity {
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'database_home_pkey', default: true })
  id: boolean;

  @Column('text', { nullable: true })
  cluster: string | null;

  @Column('bigint', { name: 'database_oid' })
  databaseOid: string;

  @Column('text', { nullable: true })
  timeline: string | null;

  @Column('timestamptz', { name: 'seen_at', default: () => 'service_now()' })
  seenAt: Date;
}
