import { IsOptional, Length, Matches } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { plainText, plainTextRule } from '../parameters.js';

@ArgsType()
export class TokenNameArgs {
  @Field(() => String, { nullable: true, description: 'What the account calls the token, 1 to 80 characters.' })
  @IsOptional()
  @Length(1, 80)
  @Matches(plainText, plainTextRule)
  name?: string | null;
}

@ArgsType()
export class RenameTokenArgs {
  @Field(() => ID)
  id: string;

  @Field({ description: 'What the account calls the token from now on, 1 to 80 characters.' })
  @Length(1, 80)
  @Matches(plainText, plainTextRule)
  name: string;
}
