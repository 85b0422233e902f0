import { Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../core/context.js';
import { EntryRecords, EntryRecordsArgs, type EntryRecordsReader } from './entry-records.js';

@Resolver()
export class EntryRecordsResolver {
  constructor(private readonly reader: EntryRecordsReader) {}

  @Authorized('user')
  @Query(() => EntryRecords, { description: "The records that one of the account's reads returned. Free, since they were paid for." })
  entryRecords(@Args() args: EntryRecordsArgs, @Ctx() context: Context): Promise<EntryRecords> {
    return this.reader.read(requireUser(context).id, args, context.requestId);
  }
}
