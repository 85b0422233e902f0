import { IsOptional, Length, Matches, Max, Min } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { WhoseArgs } from '../core/account-scope.args.js';
import { tellingText, tellingTextRule } from '../core/parameters.js';

@ArgsType()
export class TokenNameArgs {
  @Field(() => String, { nullable: true, description: 'What the account calls the token, 1 to 80 characters.' })
  @IsOptional()
  @Length(1, 80)
  @Matches(tellingText, tellingTextRule)
  name?: string | null;
}

@ArgsType()
export class RenameTokenArgs {
  @Field(() => ID)
  id: string;

  @Field({ description: 'What the account calls the token from now on, 1 to 80 characters.' })
  @Length(1, 80)
  @Matches(tellingText, tellingTextRule)
  name: string;
}

@ArgsType()
export class RevokeTokenArgs {
  @Field(() => ID)
  id: string;

  @Field(() => String, { nullable: true, description: "For operators, who may revoke anybody's: why. The audit log keeps it." })
  reason?: string | null;
}

@ArgsType()
export class TokenPageArgs extends WhoseArgs {
  @Field(() => Int, { defaultValue: 500 })
  @Min(1, { message: 'must be 1 or more' })
  @Max(500, { message: 'must be 500 or less' })
  limit: number;

  @Field(() => Int, { defaultValue: 0 })
  @Min(0, { message: 'must be 0 or more' })
  offset: number;
}
