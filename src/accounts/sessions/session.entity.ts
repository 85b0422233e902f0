import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../account.js';

/** A person signed in with one browser. */
@Entity('session', { schema: 'auth' })
@Unique('session_token_unique', ['token'])
@Index('session_user_id', ['userId'])
export class SessionEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'session_pkey' })
  id: string;

  /** Gives access to the account, so it is sent in the cookie only. */
  @Column('text')
  token: string;

  @ForeignKey(() => Account, { name: 'session_user_fkey', onDelete: 'CASCADE' })
  @Column('text')
  userId: string;

  @Column('text', { nullable: true })
  ipAddress: string | null;

  @Column('text', { nullable: true })
  userAgent: string | null;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;

  /** Whether the person's role has changed. The first session used after that gets a new token, and the others end. */
  @Column('boolean', { default: false })
  renewalDue: boolean;
}
