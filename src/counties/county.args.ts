import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { ArgsType, Field, Int } from 'type-graphql';
import { type CountyStatus, countyStatuses } from './county.js';

@ArgsType()
export class CountiesArgs {
  @Field(() => String, { nullable: true })
  @IsOptional()
  @IsIn(countyStatuses, { message: `must be one of ${countyStatuses.join(', ')}` })
  status?: CountyStatus | null;

  @Field(() => String, { nullable: true, description: 'Two-letter postal code, in any case.' })
  @IsOptional()
  @Matches(/^[A-Za-z]{2}$/, { message: 'must be a two-letter state code' })
  state?: string | null;

  @Field(() => Int, { defaultValue: 100 })
  @IsInt()
  @Min(1, { message: 'must be 1 or more' })
  @Max(1000, { message: 'must be 1000 or less' })
  limit: number;

  @Field(() => Int, { defaultValue: 0 })
  @IsInt()
  @Min(0, { message: 'must be 0 or more' })
  offset: number;
}
