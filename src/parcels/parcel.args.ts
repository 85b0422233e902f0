import { IsInt, Length, Max, Min } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { IsFips } from '../core/parameters.js';

@ArgsType()
export class ParcelsArgs {
  @Field(() => String, { nullable: true, description: "The county's five-digit FIPS code; null for all loaded counties." })
  @IsFips()
  countyFips?: string | null;

  @Field(() => Int, { defaultValue: 100, description: 'The maximum number of records, 1 to 1000.' })
  @IsInt()
  @Min(1, { message: 'must be 1 or more' })
  @Max(1000, { message: 'must be 1000 or less' })
  limit: number;

  @Field(() => String, { nullable: true, description: 'The cursor from the Link header of an earlier page; null for the first page.' })
  @Length(1, 100, { message: 'must be one that a Link header gave' })
  cursor?: string | null;

  @Field(() => ID, { nullable: true, description: 'The token to use when the caller is signed in by a session.' })
  tokenId?: string | null;
}
