import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A record of a release. Rows arrive by COPY and are read by ranges of ordinals, both in SQL: that is their speed. */
@Entity('parcel')
export class ParcelEntity {
  @PrimaryColumn('integer', { name: 'release_id', primaryKeyConstraintName: 'parcel_pkey' })
  releaseId: number;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'parcel_pkey' })
  ordinal: number;

  @Column('text', { nullable: true })
  apn: string | null;

  /** The finished public JSON text. */
  @Column('text')
  record: string;
}
