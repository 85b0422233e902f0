import { isUUID as isUuid } from 'class-validator';
import type { DataSource } from 'typeorm';
import type { SessionStore } from '../../accounts/sessions/session.store.js';
import { AppError } from '../../core/errors.js';
import { readReason } from '../../core/reason.js';
import { CreditBalanceEntity } from '../../ledger/balances/credit-balance.entity.js';
import { recordAction } from '../../operator-log/record-action.js';
import type { AccountLedgerEntry } from '../../usage/account-ledger.js';
import type { LedgerStore } from '../../usage/ledger.store.js';
import type { AdjustBalanceArgs } from './admin-customer.args.js';

/** The operator who corrects a balance, and their session. */
interface Operator {
  user: { id: string };
  sessionId: string;
}

interface Adjusted {
  decision: 'unknown' | 'key_reused' | 'out_of_range' | 'repeated' | 'written';
  before: number;
  max: number;
  id: string;
}

// Credits are money: an open console or a stolen cookie must not be enough to give them away.
const maxSessionAgeSeconds = 5 * 60;

/** Corrections of customers' balances. */
export class AdminCustomerService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: LedgerStore,
    private readonly sessions: SessionStore,
  ) {}

  /**
   * Writes a correction to the ledger.
   * @throws AppError invalid_request without a reason; forbidden if the sign-in is older than 5 minutes; not_found; conflict if the balance
   *   would fall below zero or exceed its maximum; idempotency_key_reused if the key was used for another correction
   */
  async adjustBalance(
    operator: Operator,
    { balanceId, credits, idempotencyKey, ...given }: AdjustBalanceArgs,
  ): Promise<AccountLedgerEntry> {
    const actor = operator.user.id;
    const reason = readReason(given.reason);
    if (!(await this.sessions.isYoungerThan(operator.sessionId, maxSessionAgeSeconds))) {
      throw new AppError('forbidden', 'Sign in again to change credits: your last sign-in was more than five minutes ago.');
    }
    const { accountId, entryId } = await this.dataSource.transaction(async (manager) => {
      // Before the balance, as the activity log would lock it after: a ban locks its operator and then the balances of the revoked tokens.
      await manager.query('select from auth."user" where id = $1 for share', [actor]);
      const [adjusted] = await manager.query<Adjusted[]>(
        `select decision, remaining_before as before, remaining_max as max, entry_id as id
           from adjust_balance_once($1, $2, $3, $4, $5)`,
        [isUuid(balanceId) ? balanceId : null, credits, reason, actor, idempotencyKey ?? null],
      );
      const { decision, before, max, id } = adjusted!;
      if (decision === 'unknown') throw new AppError('not_found', 'There is no such balance.');
      if (decision === 'key_reused') throw keyReused();
      if (decision === 'out_of_range') {
        throw new AppError(
          'conflict',
          `The balance has ${before} credits. A change of ${credits} would take it below zero or above its maximum of ${max}.`,
        );
      }
      if (decision === 'written') {
        const change = { before: { remaining: before }, after: { remaining: before + credits, entry: id } };
        await recordAction(manager, { actor, action: 'adjust balance', target: balanceId, reason, ...change });
      }
      const { accountId } = await manager.findOneByOrFail(CreditBalanceEntity, { id: balanceId });
      return { accountId, entryId: id };
    });
    return (await this.ledger.byId(accountId, entryId))!;
  }
}

const keyReused = (): AppError =>
  new AppError(
    'idempotency_key_reused',
    'Another correction was already written under this key. Check the ledger before you write a new one.',
  );
