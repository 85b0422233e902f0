import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A person signed in with one browser. */
@Entity('session', { schema: 'auth' })
export class SessionEntity {
  @PrimaryColumn('text')
  id: string;

  /** Gives access to the account, so it is sent in the cookie only. */
  @Column('text')
  token: string;

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
