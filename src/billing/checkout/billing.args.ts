import { IsInt, IsOptional, Length, Matches, Max, Min } from 'class-validator';
import { ArgsType, Field, Int } from 'type-graphql';
import { visibleText, visibleTextRule } from '../../core/parameters.js';
import { PeriodCap } from '../../tokens/token.args.js';

@ArgsType()
export class PaidTokenArgs {
  @Field({ description: "The token's name, 1 to 80 characters." })
  @Length(1, 80)
  @Matches(visibleText, visibleTextRule)
  name: string;

  @PeriodCap()
  periodCap?: number | null;
}

@ArgsType()
export class OverageCapArgs {
  @Field(() => Int, { nullable: true, description: 'The most overage records per period; null for no limit. Reads beyond it are refused.' })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  records: number | null;
}
