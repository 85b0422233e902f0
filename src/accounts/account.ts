import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SessionUser as PublicUser } from '../core/context.js';

export enum Role {
  user = 'user',
  admin = 'admin',
}
registerEnumType(Role, { name: 'Role', description: "A person's role. `admin` may use the operator console." });

export enum AccountChange {
  ban = 'ban',
  unban = 'unban',
  grantAdmin = 'grantAdmin',
  revokeAdmin = 'revokeAdmin',
  liftTrialLimit = 'liftTrialLimit',
  restoreTrialLimit = 'restoreTrialLimit',
  endSessions = 'endSessions',
  delete = 'delete',
}
registerEnumType(AccountChange, {
  name: 'AccountChange',
  description: 'What an operator may change. A ban and a deletion end all sessions and revoke all tokens; only the ban can be lifted.',
});

@ObjectType({ description: 'The signed-in person.' })
export class SessionUser implements PublicUser {
  @Field(() => ID)
  id: string;

  @Field()
  email: string;

  @Field()
  name: string;

  @Field({ description: 'Whether the person has confirmed this address by the link in our email.' })
  emailVerified: boolean;

  @Field(() => Role)
  role: PublicUser['role'];

  @Field()
  createdAt: Date;
}

/** A deleted account keeps its row without personal data, because the ledger refers to it. */
@ObjectType({ description: 'A customer account as operators see it, without passwords and tokens.' })
@Entity('user', { schema: 'auth' })
export class Account {
  @Field(() => ID)
  @PrimaryColumn('text')
  id: string;

  @Field()
  @Column('text')
  name: string;

  @Field()
  @Column('text')
  email: string;

  @Field()
  @Column('boolean')
  emailVerified: boolean;

  @Column('text', { nullable: true })
  image: string | null;

  @Field(() => Role)
  @Column('text', { default: 'user' })
  role: Role;

  @Field({ description: 'Whether the account is banned: it cannot sign in, and its tokens are revoked.' })
  @Column('boolean', { default: false })
  banned: boolean;

  @Field({ description: 'Whether the account may take any number of trials, one at a time.' })
  @Column('boolean', { default: false })
  trialLimitLifted: boolean;

  @Field(() => Date, {
    nullable: true,
    description: 'When the account was deleted; null if it exists. Its ledger is kept, personal data is not.',
  })
  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;

  @Field()
  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
