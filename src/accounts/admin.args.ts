import { IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { Role } from './session-user.js';

@ArgsType()
class PageArgs {
  @Field(() => Int, { defaultValue: 50 })
  @Min(1)
  @Max(200)
  limit: number;

  @Field(() => Int, { defaultValue: 0 })
  @Min(0)
  offset: number;
}

@ArgsType()
export class AccountSearchArgs extends PageArgs {
  @Field({ defaultValue: '', description: 'Part of an e-mail address, name or id.' })
  @IsString()
  @MaxLength(200)
  search: string;
}

@ArgsType()
export class AdminActionArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: 'Only what was done to this account, token or county.' })
  target?: string;
}

/** Every change by an operator names its reason, which the audit log keeps. */
@ArgsType()
export class AccountChangeArgs {
  @Field(() => ID)
  id: string;

  @Field()
  @Length(1, 500)
  reason: string;
}

@ArgsType()
export class RoleChangeArgs extends AccountChangeArgs {
  @Field(() => Role)
  role: Role;
}
