import { Matches } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { Limit } from '../core/page.args.js';
import { IsFips, IsTime } from '../core/parameters.js';
import { IsZoneName } from '../usage/daily-usage.js';

/** Which calls. */
@ArgsType()
export class RequestScopeArgs {
  @Field(() => ID, { nullable: true, description: "For operators: this account instead of the caller's own." })
  accountId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only calls with this token.' })
  tokenId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only calls with this result: served, refused, or the code of an error.' })
  @Matches(/^[a-z_]{1,40}$/, { message: 'must be served, refused or the code of an error' })
  result?: string | null;

  @Field(() => Date, { nullable: true, description: 'Only calls from this time on.' })
  @IsTime()
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only calls before this time.' })
  @IsTime()
  to?: Date | null;
}

@ArgsType()
export class RequestsArgs extends RequestScopeArgs {
  @Field(() => String, { nullable: true, description: 'Only calls for this county, by five-digit FIPS code.' })
  @IsFips()
  countyFips?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only the call with this X-Request-Id.' })
  id?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only calls older than the page whose `older` this is.' })
  before?: string | null;

  @Limit(500)
  limit: number;
}

@ArgsType()
export class RequestOutcomesArgs extends RequestScopeArgs {
  @Field({ defaultValue: 'UTC', description: 'The time zone of the days, such as America/New_York.' })
  @IsZoneName()
  timeZone: string;
}
