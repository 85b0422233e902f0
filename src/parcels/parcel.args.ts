import { IsInt, IsOptional, Length, Matches, Max, Min } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';

@ArgsType()
export class ParcelsArgs {
  @Field(() => String, { nullable: true, description: 'Five-digit FIPS code; without it all loaded parcels are eligible.' })
  @IsOptional()
  @Matches(/^[0-9]{5}$/, { message: 'must be five digits' })
  countyFips?: string | null;

  @Field(() => Int, { defaultValue: 100, description: 'The most records to return, 1 to 1000.' })
  @IsInt()
  @Min(1, { message: 'must be 1 or more' })
  @Max(1000, { message: 'must be 1000 or less' })
  limit: number;

  @Field(() => String, { nullable: true, description: 'From the Link of an earlier page.' })
  @IsOptional()
  @Length(1, 100, { message: 'must be one that a Link header gave' })
  cursor?: string | null;

  @Field(() => ID, { nullable: true, description: 'The token that reads, where a session asks.' })
  tokenId?: string | null;
}
