import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** One row, which counts the changes of what is published. */
@Entity('coverage_version')
@Check('coverage_version_one_row', 'id')
export class CoverageVersionEntity {
  @PrimaryColumn('boolean', { default: true, primaryKeyConstraintName: 'coverage_version_pkey' })
  id: boolean;

  @Column('bigint')
  version: string;
}
