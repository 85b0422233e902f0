import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What the county published beside the fields of a run of records. Apart from the records, so that pages of these stay as small as they were. */
@Entity('parcel_attributes')
export class ParcelAttributesEntity {
  @PrimaryColumn('integer', { name: 'release_id', primaryKeyConstraintName: 'parcel_attributes_pkey' })
  releaseId: number;

  /** The ordinals of the run's first and last record. */
  @PrimaryColumn('integer', { name: 'first_ordinal', primaryKeyConstraintName: 'parcel_attributes_pkey' })
  firstOrdinal: number;

  @Column('integer', { name: 'last_ordinal' })
  lastOrdinal: number;

  /** The text of a JSON array with an object a record. */
  @Column('text')
  attributes: string;
}
