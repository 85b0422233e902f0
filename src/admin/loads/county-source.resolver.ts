import { ValidateBy } from 'class-validator';
import type { Pool } from 'pg';
import { Arg, Args, ArgsType, Authorized, Field, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { IsFips } from '../../core/parameters.js';
import { isSourceUrl, sourceUrlRule } from '../../loader/plan/load-options.js';
import { findProfile } from '../../loader/profile/profile.store.js';
import { checkSource, type FetchOptions } from '../../loader/sources/fetching/county-source.js';
import { findSource, type KnownSource, requireSource } from '../../loader/sources/known-source.js';
import { partName } from '../../releases/catalogue/parts.js';
import { findCounty } from '../../releases/lifecycle/county-lock.js';
import type { LoadOptionsInput } from './load-input.js';

@ObjectType({ description: "Where a county's data can be fetched from." })
export class CountySource {
  @Field()
  url: string;

  @Field({ description: '`profile` if an operator named it or a load used it; `catalogue` if OpenAddresses lists it, unchecked.' })
  from: string;
}

@ArgsType()
export class CheckSourceArgs {
  @Field()
  @IsFips()
  fips: string;

  @Field({ description: 'The layer of an ArcGIS server, or a file.' })
  @ValidateBy({ name: 'isSourceUrl', validator: { validate: isSourceUrl } }, { message: sourceUrlRule })
  url: string;
}

@ObjectType({ description: 'What a source says of itself.' })
export class SourceState {
  @Field()
  answers: boolean;

  @Field(() => String, { nullable: true, description: 'Why data cannot be fetched from there; null if it can.' })
  problem: string | null;

  @Field(() => String, { nullable: true, description: "The layer's or file's name; null if it has none." })
  name: string | null;

  @Field(() => Int, { nullable: true, description: 'Null if it does not say.' })
  records: number | null;

  @Field(() => String, { nullable: true, description: 'The day of the last change, YYYY-MM-DD; null if it does not say.' })
  changedAt: string | null;
}

/** The source that a load fetches from. @throws AppError if none is known that can be fetched from */
export async function sourceOf(pool: Pool, { countyFips, part, sourceUrl, profile }: LoadOptionsInput): Promise<KnownSource> {
  const name = part ? partName(part) : null;
  const known = profile === false ? null : await findProfile(pool, countyFips, name);
  return requireSource(countyFips, name, { ...(sourceUrl && { sourceUrl }) }, known?.body ?? null);
}

/** The services that counties' data is fetched from, for operators. */
@Authorized('admin')
@Resolver()
export class CountySourceResolver {
  constructor(
    private readonly pool: Pool,
    private readonly fetchOptions: FetchOptions,
  ) {}

  @Query(() => CountySource, { nullable: true, description: 'Null if none is known.' })
  async countySource(@Arg('fips') fips: string): Promise<CountySource | null> {
    return findSource(fips, null, (await findProfile(this.pool, fips, null))?.body ?? null);
  }

  /** @throws AppError not_found for an unknown county */
  @Mutation(() => SourceState, { description: 'Asks a source whether it answers, how many records it has, and when they changed.' })
  async checkSource(@Args() { fips, url }: CheckSourceArgs): Promise<SourceState> {
    await findCounty(this.pool, fips);
    return checkSource(await sourceOf(this.pool, { countyFips: fips, sourceUrl: url }), this.fetchOptions);
  }
}
