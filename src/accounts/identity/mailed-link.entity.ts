import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from './user.entity.js';

/** A mailed link that verifies or changes an address. It works while its row is here. */
@Entity('mailed_link', { schema: 'auth' })
@Index('mailed_link_user_id', ['userId'])
export class MailedLinkEntity {
  /** SHA-256 of the secret in the link, so that nobody who reads this table can open one. */
  @PrimaryColumn('bytea', { name: 'secret_hash', primaryKeyConstraintName: 'mailed_link_pkey' })
  secretHash: Buffer;

  @ForeignKey(() => UserEntity, { name: 'mailed_link_user_fkey', onDelete: 'CASCADE' })
  @Column('text', { name: 'user_id' })
  userId: string;

  /** What better-auth does when the link is opened, as its signed token says it. */
  @Column('text', { name: 'auth_token' })
  authToken: string;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}
