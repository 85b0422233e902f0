import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** A single row with a number that every change of published data raises. */
@Entity('coverage_version')
@Check('coverage_version_one_row', 'id')
export class CoverageVersionEntity {
  @PrimaryColumn('boolean', { default: true, primaryKeyConstraintName: 'coverage_version_pkey' })
  id: boolean;

  @Column('bigint')
  version: string;
}
