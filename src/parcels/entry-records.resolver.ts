import type { Pool } from 'pg';
import { Args, ArgsType, Authorized, Ctx, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { type Context, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { Limit, Offset } from '../core/page.args.js';
import type { LedgerStore } from '../usage/ledger.store.js';
import { readAttributes } from './attributes.store.js';
import { countOf, type Segment, sliceSegments, unflatten } from './page.js';
import { MissingRecords, type ParcelStore } from './parcel.store.js';
import { RecordState, recordStates } from './record-states.js';

@ArgsType()
class EntryRecordsArgs {
  @Field(() => ID)
  id: string;

  @Limit(100, 20)
  limit: number;

  @Offset()
  offset: number;
}

@ObjectType({ description: 'The records that a ledger entry paid for.' })
export class EntryRecords {
  segments: Segment[];

  @Field({ description: 'These records as a JSON array.' })
  recordsJson: string;

  @Field(() => Int, { description: 'The number of records that the entry paid for.' })
  total: number;
}

/** Shows customers the records that they paid for, any number of times. */
@Resolver(() => EntryRecords)
export class EntryRecordsResolver {
  constructor(
    private readonly ledger: LedgerStore,
    private readonly parcels: ParcelStore,
    private readonly pool: Pool,
  ) {}

  @Authorized('user')
  @Query(() => EntryRecords, { description: "The records that one of the account's reads returned. Free, since they were paid for." })
  async entryRecords(@Args() { id, limit, offset }: EntryRecordsArgs, @Ctx() context: Context): Promise<EntryRecords> {
    const accountId = requireUser(context).id;
    const triples = await this.ledger.shownSegments(accountId, id, context.requestId);
    if (!triples) throw new AppError('not_found', 'There is no such read in this account, or it was taken back.');
    const all = unflatten(triples);
    const segments = sliceSegments(all, offset, limit);
    try {
      const { text } = await this.parcels.records(segments, accountId);
      return { segments, recordsJson: `[${text}]`, total: countOf(all) };
    } catch (error) {
      if (!(error instanceof MissingRecords)) throw error;
      throw new AppError('not_found', 'The county has been loaded again since, and the records of this read are no longer kept.', {
        cause: error,
      });
    }
  }

  @FieldResolver(() => String, {
    description: "The county's other attributes of these records, as a JSON array with one object per record.",
  })
  async attributesJson(@Root() { segments }: EntryRecords): Promise<string> {
    return JSON.stringify(await readAttributes(this.pool, segments));
  }

  @FieldResolver(() => [RecordState], {
    description: 'One per record: whether the current release of its county still has it. So you read again only what has changed.',
  })
  states(@Root() { segments }: EntryRecords): Promise<RecordState[]> {
    return recordStates(this.pool, segments);
  }
}
