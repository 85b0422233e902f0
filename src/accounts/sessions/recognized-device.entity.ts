import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../identity/user.entity.js';

/** Where a person has signed in from before: an address, or a browser that we gave a cookie (its hash). */
@Entity('known_source', { schema: 'auth' })
@Index('known_source_seen_at', ['seenAt'])
export class KnownSourceEntity {
  @ForeignKey(() => UserEntity, { name: 'known_source_user_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'known_source_pkey' })
  userId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'known_source_pkey' })
  source: string;

  @Column('timestamptz', { name: 'seen_at', default: () => 'service_now()' })
  seenAt: Date;
}
