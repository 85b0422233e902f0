import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { UserEntity } from './user.entity.js';

/** One of a person's ways to sign in, as better-auth stores it: here the password. */
@Entity('account', { schema: 'auth' })
@Unique('account_one_a_provider', ['userId', 'providerId'])
export class AccountEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'account_pkey' })
  id: string;

  @Column('text')
  accountId: string;

  @Column('text')
  providerId: string;

  @ForeignKey(() => UserEntity, { name: 'account_user_fkey', onDelete: 'CASCADE' })
  @Column('text')
  userId: string;

  @Column('text', { nullable: true, select: false })
  accessToken: string | null;

  @Column('text', { nullable: true, select: false })
  refreshToken: string | null;

  @Column('text', { nullable: true, select: false })
  idToken: string | null;

  @Column('timestamptz', { nullable: true })
  accessTokenExpiresAt: Date | null;

  @Column('timestamptz', { nullable: true })
  refreshTokenExpiresAt: Date | null;

  @Column('text', { nullable: true })
  scope: string | null;

  /** Its hash. */
  @Column('text', { nullable: true, select: false })
  password: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  updatedAt: Date;
}
