import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from './account.js';

/** A passkey of a person, as better-auth stores it. */
@Entity('passkey', { schema: 'auth' })
@Unique('passkey_credential_unique', ['credentialID'])
@Index('passkey_user', ['userId'])
export class PasskeyEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'passkey_pkey' })
  id: string;

  @Column('text', { nullable: true })
  name: string | null;

  @Column('text')
  publicKey: string;

  @ForeignKey(() => Account, { name: 'passkey_user_fkey', onDelete: 'CASCADE' })
  @Column('text')
  userId: string;

  @Column('text')
  credentialID: string;

  @Column('integer')
  counter: number;

  @Column('text')
  deviceType: string;

  @Column('boolean')
  backedUp: boolean;

  @Column('text', { nullable: true })
  transports: string | null;

  @Column('timestamptz', { nullable: true })
  createdAt: Date | null;

  @Column('text', { nullable: true })
  aaguid: string | null;
}
