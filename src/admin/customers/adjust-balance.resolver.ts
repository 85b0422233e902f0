import { IsInt, isUUID, Matches, Max, Min, NotEquals } from 'class-validator';
import { Args, ArgsType, Authorized, Ctx, Field, ID, Int, Mutation, Resolver } from 'type-graphql';
import type { DataSource } from 'typeorm';
import type { SessionStore } from '../../accounts/sessions/session.store.js';
import { type Context, requireUser } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { idempotencyKeyRule, idempotencyKeyText } from '../../core/parameters.js';
import { readReason } from '../../core/reason.js';
import { recordAction } from '../../operator-log/record-action.js';
import { AccountLedgerEntry } from '../../usage/account-ledger.js';
import type { LedgerStore } from '../../usage/ledger.store.js';

const maxCredits = 1_000_000;

@ArgsType()
export class AdjustBalanceArgs {
  @Field(() => ID)
  balanceId: string;

  @Field(() => Int, { description: 'Credits to add; negative to deduct.' })
  @IsInt()
  @NotEquals(0, { message: 'must not be 0' })
  @Min(-maxCredits, { message: `must be ${-maxCredits} or more` })
  @Max(maxCredits, { message: `must be ${maxCredits} or less` })
  credits: number;

  @Field({ description: 'The reason, which the customer sees in the ledger.' })
  reason: string;

  @Field(() => String, { nullable: true, description: 'Makes retries safe: the same adjustment with the same key is written once.' })
  @Matches(idempotencyKeyText, { message: idempotencyKeyRule })
  idempotencyKey?: string | null;
}

interface Adjusted {
  decision: 'unknown' | 'key_reused' | 'out_of_range' | 'repeated' | 'written';
  before: number;
  max: number;
  id: string;
}

/** Corrections of customers' balances by operators. */
@Authorized('admin')
@Resolver()
export class AdjustBalanceResolver {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: LedgerStore,
    private readonly sessions: SessionStore,
  ) {}

  /**
   * @throws AppError invalid_request without a reason; forbidden if the sign-in is older than 5 minutes; not_found; conflict if the balance
   *   would fall below zero or exceed its maximum; idempotency_key_reused if the key was used for another correction
   */
  @Mutation(() => AccountLedgerEntry, {
    description: 'Adds credits to a balance or deducts some, by a ledger entry with a reason. Requires a recent sign-in.',
  })
  async adjustBalance(@Args() args: AdjustBalanceArgs, @Ctx() context: Context): Promise<AccountLedgerEntry> {
    const { balanceId, credits, idempotencyKey } = args;
    const { id: actor } = requireUser(context);
    const reason = readReason(args.reason);
    await this.sessions.requireRecentSignIn(context, 'change credits');
    const entryId = await this.dataSource.transaction(async (manager) => {
      // Before the balance, as the activity log would lock it after: a ban locks its operator and then the balances of the revoked tokens.
      await manager.query('select from auth."user" where id = $1 for share', [actor]);
      const [adjusted] = await manager.query<Adjusted[]>(
        `select decision, remaining_before as before, remaining_max as max, entry_id as id
           from adjust_balance($1, $2, $3, $4, $5)`,
        [isUUID(balanceId) ? balanceId : null, credits, reason, actor, idempotencyKey ?? null],
      );
      const { decision, before, max, id } = adjusted!;
      if (decision === 'unknown') throw new AppError('not_found', 'There is no such balance.');
      if (decision === 'key_reused') {
        const text = 'Another correction was already written under this key. Check the ledger before you write a new one.';
        throw new AppError('idempotency_key_reused', text);
      }
      if (decision === 'out_of_range') {
        const text = `The balance has ${before} credits. A change of ${credits} would take it below zero or above its maximum of ${max}.`;
        throw new AppError('conflict', text);
      }
      if (decision === 'written') {
        const change = { before: { remaining: before }, after: { remaining: before + credits, entry: id } };
        await recordAction(manager, { actor, action: 'adjust balance', target: balanceId, reason, ...change });
      }
      return id;
    });
    return (await this.ledger.byId(null, entryId))!;
  }
}
