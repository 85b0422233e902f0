import { Length } from 'class-validator';
import { Args, ArgsType, Authorized, Ctx, Field, ID, Query, Resolver } from 'type-graphql';
import type { Context } from '../core/context.js';
import { Limit } from '../core/page.args.js';
import { IsFips } from '../core/parameters.js';
import type { TokenLookup } from '../ledger/token-lookup.js';
import { ParcelPage } from './parcel-page.js';
import type { ParcelReader } from './read-parcels.js';

@ArgsType()
class ParcelsArgs {
  @Field(() => String, { nullable: true, description: "The county's five-digit FIPS code; null for all loaded counties." })
  @IsFips()
  countyFips?: string | null;

  @Limit(1000, 100, 'The maximum number of records, 1 to 1000.')
  limit: number;

  @Field(() => String, { nullable: true, description: 'The cursor from the Link header of an earlier page; null for the first page.' })
  @Length(1, 100, { message: 'must be one that a Link header gave' })
  cursor?: string | null;

  @Field(() => ID, { nullable: true, description: 'The token to use when the caller is signed in by a session.' })
  tokenId?: string | null;
}

@Resolver()
export class ParcelResolver {
  constructor(
    private readonly tokens: TokenLookup,
    private readonly reader: ParcelReader,
  ) {}

  @Authorized('reader')
  @Query(() => ParcelPage, {
    description: 'Reads parcel records and charges one credit per record returned. A session must name one of its tokens.',
  })
  async parcels(@Args() { countyFips = null, limit, cursor = null, tokenId }: ParcelsArgs, @Ctx() context: Context): Promise<ParcelPage> {
    return this.reader.read({ countyFips, limit, cursor }, await this.tokens.ofCaller(context, tokenId), context);
  }
}
