import { Field, ID, ObjectType } from 'type-graphql';
import { Role } from './session-user.js';

@ObjectType({ description: 'A customer account as operators see it, without passwords and tokens.' })
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

  @Field({ description: 'Whether the account is banned: it cannot sign in, and its tokens are revoked.' })
  banned: boolean;

  @Field({ description: 'Whether the account may take any number of trials, one at a time.' })
  trialLimitLifted: boolean;

  @Field(() => Date, {
    nullable: true,
    description: 'When the owner deleted the account; null if it exists. Its ledger is kept, personal data is not.',
  })
  deletedAt: Date | null;

  @Field()
  createdAt: Date;
}
