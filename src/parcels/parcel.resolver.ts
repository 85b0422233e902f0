import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../core/context.js';
import type { TokenLookup } from '../ledger/spending/token-lookup.js';
import { EntryRecords, EntryRecordsArgs, type EntryRecordsReader } from './entry-records.js';
import { ParcelsArgs } from './parcel.args.js';
import { ParcelPage } from './parcel-page.js';
import type { ParcelReader } from './read-parcels.js';

@Resolver()
export class ParcelResolver {
  constructor(
    private readonly tokens: TokenLookup,
    private readonly reader: ParcelReader,
    private readonly paidFor: EntryRecordsReader,
  ) {}

  @Authorized('reader')
  @Query(() => ParcelPage, { description: 'Reads records. One credit a record returned, also to a session that names one of its tokens.' })
  async parcels(@Args() { countyFips = null, limit, cursor = null, tokenId }: ParcelsArgs, @Ctx() context: Context): Promise<ParcelPage> {
    return this.reader.read({ countyFips, limit, cursor }, await this.tokens.ofCaller(context, tokenId), context);
  }

  @Authorized('user')
  @Query(() => EntryRecords, { description: 'The records that a read of the account returned. Costs nothing: they were paid for.' })
  entryRecords(@Args() args: EntryRecordsArgs, @Ctx() context: Context): Promise<EntryRecords> {
    return this.paidFor.read(requireUser(context).id, args, context.requestId);
  }
}
