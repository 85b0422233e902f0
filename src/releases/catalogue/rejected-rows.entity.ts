import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ParcelReleaseEntity } from './parcel-release.entity.js';

/** Rows of a county's file that became no record, as lines of JSON in several parts. A line may go on in the next part. */
@Entity('rejected_rows')
export class RejectedRowsEntity {
  @ForeignKey(() => ParcelReleaseEntity, { name: 'rejected_rows_release_fkey' })
  @PrimaryColumn('integer', { name: 'release_id', primaryKeyConstraintName: 'rejected_rows_pkey' })
  releaseId: number;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'rejected_rows_pkey' })
  number: number;

  @Column('bytea')
  lines: Buffer;
}
