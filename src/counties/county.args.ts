import { IsIn, IsInt, Length, Matches, Max, Min } from 'class-validator';
import { ArgsType, Field, Int } from 'type-graphql';
import { plainText, plainTextRule } from '../core/parameters.js';
import { type CountyStatus, countyStatuses } from './county.js';

const countySorts = ['fips', 'name', 'state', 'status', 'records', 'source_date', 'loaded_at'] as const;
export type CountySort = (typeof countySorts)[number];

@ArgsType()
export class CountiesArgs {
  @Field(() => String, { nullable: true, description: "Part of the county's name, or the first digits of its FIPS code." })
  @Length(1, 100)
  @Matches(plainText, plainTextRule)
  search?: string | null;

  @Field(() => String, { defaultValue: 'fips', description: `${countySorts.join(', ')}; most and newest first.` })
  @IsIn(countySorts, { message: `must be one of ${countySorts.join(', ')}` })
  sort: CountySort;

  @Field(() => String, { nullable: true })
  @IsIn(countyStatuses, { message: `must be one of ${countyStatuses.join(', ')}` })
  status?: CountyStatus | null;

  @Field(() => String, { nullable: true, description: "The state's two-letter postal code, in upper or lower case." })
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
