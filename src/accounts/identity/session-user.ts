import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import type { SessionUser as PublicUser } from '../../core/context.js';

export enum Role {
  user = 'user',
  admin = 'admin',
}
registerEnumType(Role, { name: 'Role', description: "A person's role. `admin` may use the operator console." });

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

/** A user record as better-auth returns it. */
export interface AuthUser {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
  createdAt: Date;
  role?: string | null;
}

/** Copies the public fields only. An unknown role counts as `user`. */
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
