import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import type { SessionUser as PublicUser } from '../../core/context.js';

export enum Role {
  user = 'user',
  admin = 'admin',
}
registerEnumType(Role, { name: 'Role', description: 'What a person may do: `admin` opens the operations console.' });

@ObjectType({ description: 'The person who is signed in.' })
export class SessionUser implements PublicUser {
  @Field(() => ID)
  id: string;

  @Field()
  email: string;

  @Field()
  name: string;

  @Field({ description: 'Whether the person has opened the link that we sent to this address.' })
  emailVerified: boolean;

  @Field(() => Role)
  role: PublicUser['role'];

  @Field()
  createdAt: Date;
}

/** A user record as better-auth returns it. */
export interface AuthUser {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
  createdAt: Date;
  role?: string | null;
}

/** Takes over the public fields only; any role that we do not know counts as `user`. */
export function toSessionUser(user: AuthUser): SessionUser {
  return Object.assign(new SessionUser(), {
    id: user.id,
    email: user.email,
    name: user.name,
    emailVerified: user.emailVerified,
    role: user.role === 'admin' ? ('admin' as const) : ('user' as const),
    createdAt: new Date(user.createdAt),
  });
}
