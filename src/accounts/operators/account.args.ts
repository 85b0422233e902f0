import { ArgsType, Field, ID } from 'type-graphql';
import { Role } from '../identity/session-user.js';

/** Every change by an operator has a reason, which is stored in the activity log. */
@ArgsType()
export class AccountChangeArgs {
  @Field(() => ID)
  id: string;

  @Field()
  reason: string;
}

@ArgsType()
export class RoleChangeArgs extends AccountChangeArgs {
  @Field(() => Role)
  role: Role;
}
