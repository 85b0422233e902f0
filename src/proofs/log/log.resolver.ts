import { Min } from 'class-validator';
import { Arg, Args, ArgsType, Authorized, Ctx, Field, ID, Int, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { type Alarms, LogAlarm } from '../../jobs/outbound/alarms.js';
import type { LogProofs } from './log-proofs.js';

@ArgsType()
class ConsistencyArgs {
  @Field(() => Int, { description: 'The size of an older checkpoint.' })
  @Min(0, { message: 'must be 0 or more' })
  from: number;

  @Field(() => Int, { description: 'The size of a newer one.' })
  @Min(0, { message: 'must be 0 or more' })
  to: number;
}

/** Proofs of what the log says, and of that it only grows. */
@Resolver()
export class LogResolver {
  constructor(
    private readonly proofs: LogProofs,
    private readonly alarms: Alarms,
  ) {}

  @Authorized('user')
  @Query(() => String, { nullable: true, description: 'The newest checkpoint of the log, a signed note; null: none was signed yet.' })
  checkpoint(): Promise<string | null> {
    return this.proofs.newestCheckpoint();
  }

  @Authorized('user')
  @Query(() => [String], {
    description: 'The hashes, in base64, that prove that the log at one size begins with the log at another (RFC 6962, 2.1.2).',
  })
  checkpointConsistency(@Args() { from, to }: ConsistencyArgs): Promise<string[]> {
    return this.proofs.consistency(from, to);
  }

  @Authorized('user')
  @Query(() => String, {
    nullable: true,
    description:
      'A tlog-proof file of C2SP: how many entries a balance of the account has in the newest checkpoint, and their hash. Null: it is not logged yet.',
  })
  ledgerProof(@Ctx() context: Context, @Arg('balanceId', () => ID) balanceId: string): Promise<string | null> {
    const { id, role } = requireUser(context);
    return this.proofs.ofBalance(balanceId, role === 'admin' ? null : id);
  }

  @Authorized('admin')
  @Query(() => Date, { nullable: true, description: 'When the newest checkpoint was signed; null: none was yet.' })
  checkpointSignedAt(): Promise<Date | null> {
    return this.proofs.newestSignedAt();
  }

  @Authorized('admin')
  @Query(() => [LogAlarm], { description: 'Why no checkpoint is signed, and no mail and nothing to Stripe is sent; empty: all is well.' })
  logAlarms(): Promise<LogAlarm[]> {
    return this.alarms.list();
  }
}
