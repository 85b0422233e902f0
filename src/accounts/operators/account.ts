import { Field, ID, ObjectType } from 'type-graphql';
import { Role } from '../identity/session-user.js';

@ObjectType({ description: 'A person with an account, as operators see them: no password, no token.' })
export class Account {
  @Field(() => ID)
  id: string;

  @Field()
  email: string;

  @Field()
  name: string;

  @Field()
  emailVerified: boolean;

  @Field(() => Role)
  role: Role;

  @Field({ description: 'A banned account has no sessions, and its tokens are revoked.' })
  banned: boolean;

  @Field(() => Date, { nullable: true, description: 'When its owner deleted it. The ledger is kept, the person is not.' })
  deletedAt: Date | null;

  @Field()
  createdAt: Date;
}

@ObjectType()
export class AccountPage {
  @Field(() => [Account])
  accounts: Account[];

  @Field({ description: 'How many there are in all.' })
  total: number;
}
