import { Arg, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql';
import { type Context, requireUser } from '../../core/context.js';
import { type Alarms, LogAlarm } from '../../jobs/outbound/alarms.js';
import type { LogProofs } from './log-proofs.js';

/** Proofs of what the log says, and its alarms. */
@Resolver()
export class LogResolver {
  constructor(
    private readonly proofs: LogProofs,
    private readonly alarms: Alarms,
  ) {}

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
