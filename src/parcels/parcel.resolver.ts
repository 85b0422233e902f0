import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import type { Context } from '../context.js';
import { ParcelsArgs } from './parcel.args.js';
import { ParcelPage } from './parcel-page.js';
import type { ParcelReader } from './read-parcels.js';

@Resolver()
export class ParcelResolver {
  constructor(private readonly reader: ParcelReader) {}

  @Authorized('token')
  @Query(() => ParcelPage, { description: 'Reads records. One credit a record returned.' })
  parcels(@Args() { countyFips = null, limit, cursor = null }: ParcelsArgs, @Ctx() context: Context): Promise<ParcelPage> {
    return this.reader.read({ countyFips, limit, cursor }, context);
  }
}
