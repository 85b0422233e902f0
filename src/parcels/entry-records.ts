import { IsInt, Max, Min } from 'class-validator';
import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { AppError } from '../core/errors.js';
import type { LedgerStore } from '../usage/ledger.store.js';
import type { AttributesStore } from './attributes.store.js';
import { type Segment, unflatten } from './page.js';
import { MissingRecords, type ParcelStore } from './parcel.store.js';
import { RecordState, type RecordStates } from './record-states.js';

@ArgsType()
export class EntryRecordsArgs {
  @Field(() => ID)
  id: string;

  @Field(() => Int, { defaultValue: 20 })
  @IsInt()
  @Min(1, { message: 'must be 1 or more' })
  @Max(100, { message: 'must be 100 or less' })
  limit: number;

  @Field(() => Int, { defaultValue: 0 })
  @IsInt()
  @Min(0, { message: 'must be 0 or more' })
  offset: number;
}

@ObjectType({ description: 'The records that a ledger entry paid for.' })
export class EntryRecords {
  constructor(
    recordsJson: string,
    total: number,
    private readonly attributes: () => Promise<object[]>,
    private readonly recordStates: () => Promise<RecordState[]>,
  ) {
    this.recordsJson = recordsJson;
    this.total = total;
  }

  @Field({ description: 'These records as a JSON array.' })
  recordsJson: string;

  @Field(() => Int, { description: 'The number of records that the entry paid for.' })
  total: number;

  @Field(() => String, {
    description: "The county's other attributes of these records, as a JSON array with one object per record.",
  })
  async attributesJson(): Promise<string> {
    return JSON.stringify(await this.attributes());
  }

  @Field(() => [RecordState], {
    description: 'One per record: whether the current release of its county still has it. So you read again only what has changed.',
  })
  states(): Promise<RecordState[]> {
    return this.recordStates();
  }
}

/** Shows customers the records that they paid for, any number of times. */
export class EntryRecordsReader {
  constructor(
    private readonly ledger: LedgerStore,
    private readonly parcels: ParcelStore,
    private readonly attributes: AttributesStore,
    private readonly states: RecordStates,
  ) {}

  /** @throws AppError not_found if the account has no such delivered read, or its records were pruned */
  async read(accountId: string, { id, limit, offset }: EntryRecordsArgs, requestId: string): Promise<EntryRecords> {
    const triples = await this.ledger.shownSegments(accountId, id, requestId);
    if (!triples) throw new AppError('not_found', 'There is no such read in this account, or it was taken back.');
    const segments = unflatten(triples);
    const total = segments.reduce((sum, { count }) => sum + count, 0);
    try {
      const wanted = sliceSegments(segments, offset, limit);
      const { text } = await this.parcels.records(wanted, accountId);
      return new EntryRecords(
        `[${text.toString()}]`,
        total,
        () => this.attributes.read(wanted),
        () => this.states.of(wanted),
      );
    } catch (error) {
      if (!(error instanceof MissingRecords)) throw error;
      throw new AppError('not_found', 'The county has been loaded again since, and the records of this read are no longer kept.', {
        cause: error,
      });
    }
  }
}

/** The segments of `limit` records after the first `offset`. */
export function sliceSegments(segments: Segment[], offset: number, limit: number): Segment[] {
  const kept: Segment[] = [];
  let [skip, left] = [offset, limit];
  for (const { releaseId, first, count } of segments) {
    const skipped = Math.min(skip, count);
    const taken = Math.min(left, count - skipped);
    if (taken > 0) kept.push({ releaseId, first: first + skipped, count: taken });
    skip -= skipped;
    left -= taken;
  }
  return kept;
}
