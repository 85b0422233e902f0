import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { Role } from './session-user.js';

/** A person's account. Closed by its owner it keeps its row, without anything personal in it: the ledger still points here. */
@Entity('user', { schema: 'auth' })
@Unique('user_email_unique', ['email'])
@Check('user_email_lower_case', 'email = lower(email)')
@Check('user_role_known', `role in ('user', 'admin')`)
export class UserEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'user_pkey' })
  id: string;

  @Column('text')
  name: string;

  @Column('text')
  email: string;

  @Column('boolean')
  emailVerified: boolean;

  @Column('text', { nullable: true })
  image: string | null;

  @Column('text', { default: 'user' })
  role: Role;

  @Column('boolean', { default: false })
  banned: boolean;

  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
