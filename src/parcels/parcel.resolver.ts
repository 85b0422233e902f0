import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { Context } from '../core/context.js';
import type { TokenLookup } from '../ledger/token-lookup.js';
import { ParcelsArgs } from './parcel.args.js';
import { ParcelPage } from './parcel-page.js';
import type { ParcelReader } from './read-parcels.js';

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
