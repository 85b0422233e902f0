import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A county file that an operator uploaded. Its table is unlogged: see the migration. */
@Entity('upload')
export class UploadEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'upload_pkey', default: () => 'gen_random_uuid()' })
  id: string;

  @Column('text', { name: 'file_name' })
  fileName: string;

  @Column('bigint', { default: () => '0' })
  bytes: string;

  @Column('boolean', { name: 'is_complete', default: false })
  isComplete: boolean;

  /** When its last chunk came. */
  @Column('timestamptz', { name: 'changed_at', default: () => 'service_now()' })
  changedAt: Date;
}

@Entity('upload_chunk')
export class UploadChunkEntity {
  @PrimaryColumn('uuid', { name: 'upload_id', primaryKeyConstraintName: 'upload_chunk_pkey' })
  uploadId: string;

  @PrimaryColumn('integer', { primaryKeyConstraintName: 'upload_chunk_pkey' })
  number: number;

  @Column('bytea')
  content: Buffer;
}
