import { IsString, Matches, MaxLength } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { PageArgs } from '../../core/page.args.js';
import { plainText, plainTextRule } from '../../core/parameters.js';
import { Role } from '../identity/session-user.js';

@ArgsType()
export class AccountSearchArgs extends PageArgs {
  @Field({ defaultValue: '', description: 'Part of an e-mail address, a name or an id.' })
  @IsString()
  @MaxLength(200)
  @Matches(plainText, plainTextRule)
  search: string;
}

/** Every change by an operator has a reason, which is stored in the operator log. */
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
