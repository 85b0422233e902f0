import { IsInt, Min } from 'class-validator';
import { Args, ArgsType, Authorized, Ctx, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import type { LogProofs } from '../proofs/log/log-proofs.js';
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

@ObjectType({ description: 'That a record was published with this text. See schema/ledger.md.' })
export class RecordProof {
  @Field({ description: 'The text as it was published: the leaf of the tree of its release.' })
  record: string;

  @Field(() => Int)
  releaseId: number;

  @Field(() => Int, { description: 'The place of the record in its release, from 0: the index of the leaf.' })
  index: number;

  @Field(() => [String], { description: 'The inclusion proof of the record in the tree of its release, in base64.' })
  hashes: string[];

  @Field(() => String, {
    nullable: true,
    description:
      'A tlog-proof file of C2SP: the number of records and the root of the release, in the newest checkpoint. Null: not logged yet.',
  })
  release: string | null;
}

@Resolver()
export class RecordProofResolver {
  constructor(
    private readonly ledger: LedgerStore,
    private readonly records: RecordProofs,
    private readonly log: LogProofs,
  ) {}

  @Authorized('user')
  @Query(() => RecordProof, { description: 'Proves the text of a record that a read of the account returned. Costs nothing.' })
  async recordProof(@Args() { entryId, offset }: RecordProofArgs, @Ctx() context: Context): Promise<RecordProof> {
    const triples = await this.ledger.shownSegments(requireUser(context).id, entryId, context.requestId);
    const [place] = triples ? sliceSegments(unflatten(triples), offset, 1) : [];
    if (!place) throw new AppError('not_found', 'There is no such record in this account, or its read was taken back.');
    const proven = await this.records.of(place.releaseId, place.first);
    if (!proven) throw new AppError('not_found', 'This record is no longer kept, or not logged yet, which takes a few minutes.');
    return { ...proven, releaseId: place.releaseId, index: place.first - 1, release: await this.log.ofRelease(place.releaseId) };
  }
}
