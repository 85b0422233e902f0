import { IsIn, Matches, MaxLength } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { IsSearch, Limit } from '../../core/page.args.js';
import { IsFips, IsTime } from '../../core/parameters.js';

const releaseChoices = ['newest', 'all'] as const;

/** Which of the records that an account read. */
@ArgsType()
export class BoughtArgs {
  @Field(() => ID, { nullable: true, description: 'Only records of this read.' })
  @MaxLength(100)
  entryId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only records that this token read.' })
  @MaxLength(100)
  tokenId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only records of this county, by five-digit FIPS code.' })
  @IsFips()
  countyFips?: string | null;

  @Field(() => Date, { nullable: true, description: 'Only records that were read from this time on.' })
  @IsTime()
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only records that were read before this time.' })
  @IsTime()
  to?: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      'A part of a parcel number, words of a situs address, or a box: west, south, east and north in degrees, separated by commas. ' +
      'A record is in a box if its latitude and longitude are.',
  })
  @IsSearch()
  search?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'newest (default): a parcel that was read from several releases of its county once, from the newest. all: each of them.',
  })
  @IsIn(releaseChoices, { message: `must be one of ${releaseChoices.join(', ')}` })
  releases?: (typeof releaseChoices)[number] | null;
}

@ArgsType()
export class BoughtPageArgs extends BoughtArgs {
  @Field(() => String, { nullable: true, description: 'The `next` of the previous page.' })
  @Matches(/^[0-9]{5}\.[0-9]{1,9}\.[0-9]{1,9}$/, { message: 'must be the `next` of a page' })
  after?: string | null;

  @Limit(100, 25)
  limit: number;
}
