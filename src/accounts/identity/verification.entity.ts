import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A pending verification of better-auth: a password reset link or a passkey challenge. */
@Entity('verification', { schema: 'auth' })
@Index('verification_identifier', ['identifier'])
export class VerificationEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'verification_pkey' })
  id: string;

  @Column('text')
  identifier: string;

  @Column('text')
  value: string;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
