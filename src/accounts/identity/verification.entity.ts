import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What better-auth waits for: a mailed link to be opened, a passkey's challenge to be answered. */
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
