import { IsInt, Min } from 'class-validator';
import { Args, ArgsType, Authorized, Ctx, Field, ID, Int, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import type { RecordProofs } from '../proofs/log/record-proof.js';
import type { LedgerStore } from '../usage/ledger.store.js';
import { sliceSegments, unflatten } from './page.js';

@ArgsType()
class RecordProofArgs {
  @Field(() => ID)
  entryId: string;

  @Field(() => Int, { description: 'Which of the records that the entry paid for, from 0.' })
  @IsInt()
  @Min(0, { message: 'must be 0 or more' })
  offset: number;
}

@Resolver()
export class RecordProofResolver {
  constructor(
    private readonly ledger: LedgerStore,
    private readonly records: RecordProofs,
  ) {}

  @Authorized('user')
  @Query(() => String, {
    description:
      'A tlog-proof file of C2SP of a record that a read of the account returned: its text as it was published, in the tree of its release, whose proof follows. Costs nothing.',
  })
  async recordProof(@Args() { entryId, offset }: RecordProofArgs, @Ctx() context: Context): Promise<string> {
    const triples = await this.ledger.shownSegments(requireUser(context).id, entryId, context.requestId);
    const [place] = triples ? sliceSegments(unflatten(triples), offset, 1) : [];
    if (!place) throw new AppError('not_found', 'There is no such record in this account, or its read was taken back.');
    const proof = await this.records.of(place.releaseId, place.first);
    if (proof === null) throw new AppError('not_found', 'This record is no longer kept, or not logged yet, which takes a few minutes.');
    return proof;
  }
}
