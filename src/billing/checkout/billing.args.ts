import { IsInt, IsOptional, Length, Matches, Max, Min } from 'class-validator';
import { ArgsType, Field, Int } from 'type-graphql';
import { visibleText, visibleTextRule } from '../../core/parameters.js';

@ArgsType()
export class PaidTokenArgs {
  @Field({ description: 'What the account calls the token, 1 to 80 characters.' })
  @Length(1, 80)
  @Matches(visibleText, visibleTextRule)
  name: string;
}

@ArgsType()
export class OverageCapArgs {
  @Field(() => Int, { nullable: true, description: 'Not one record beyond the included ones and these in a period; null: no bound.' })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  records: number | null;
}
