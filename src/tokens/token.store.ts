import { isUUID as isUuid } from 'class-validator';
import type { DataSource, EntityManager, SelectQueryBuilder } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { AppError } from '../core/errors.js';
import { hasText } from '../core/parameters.js';
import type { Reason } from '../core/reason.js';
import { ApiTokenEntity } from '../ledger/api-token.entity.js';
import { plans } from '../ledger/plans.js';
import { recordAction } from '../operator-log/record-action.js';
import type { ApiToken, IssuedToken } from './token.js';
import { newTokenSecret } from './token-secret.js';

const maxIssuedADay = 100;
const revoked = { revokedAt: () => 'coalesce(revoked_at, service_now())' };

/** Selects tokens of an account (null: of all accounts) that contain `text` in name or id or belong to one of the `owners`. */
export interface TokenFilter {
  accountId: string | null;
  text: string | null;
  owners: string[];
}

const tooManyCaps = (): AppError =>
  new AppError('invalid_request', 'A hundred tokens of this plan have a cap already. Lift one, or revoke its token, to cap another.');

/** Tokens of accounts. A SQL function issues a trial, because it also opens its balance and writes to the ledger. */
export class TokenStore {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * @param admit throws to refuse. It runs in the transaction that issues the token, before that
   * @param count as `admit`, afterwards, with the new token's id
   * @throws AppError trial_active if the account has an active trial token
   */
  async issueTrial(
    accountId: string,
    name: string,
    within = this.dataSource.manager,
    admit?: (manager: EntityManager) => Promise<void>,
    count?: (manager: EntityManager, tokenId: string) => Promise<void>,
  ): Promise<IssuedToken> {
    const secret = newTokenSecret('trial');
    return within.transaction(async (manager) => {
      await admit?.(manager);
      const [issued] = await manager.query<{ id: string | null }[]>(
        'select issue_trial($1, $2, $3, $4, make_interval(hours => $5)) as id',
        [accountId, name, secret.hash, plans.trial.records, 24 * plans.trial.lifetimeDays],
      );
      if (!issued!.id) throw trialActive();
      await count?.(manager, issued!.id);
      return { rawToken: secret.raw, token: await this.byId(accountId, issued!.id, manager) };
    });
  }

  /**
   * A paid token on an existing balance, whose credits it shares with the balance's other tokens.
   * @param periodCap see `cap`
   * @param admit see `issueTrial`
   * @throws AppError too_many_requests if the account got 100 tokens in the last day; invalid_request as in `cap`
   */
  async issuePaid(
    accountId: string,
    balanceId: string,
    name: string,
    within = this.dataSource.manager,
    periodCap: number | null = null,
    admit?: (manager: EntityManager) => Promise<void>,
  ): Promise<IssuedToken> {
    const secret = newTokenSecret('paid');
    return within.transaction(async (manager) => {
      await admit?.(manager);
      await oneAtATime(manager, accountId);
      await requireFewToday(manager, accountId);
      const [added] = await manager.query<[{ id: string }]>('select add_token($1, $2, $3, $4, service_now()) as id', [
        balanceId,
        accountId,
        name,
        secret.hash,
      ]);
      if (periodCap !== null) await capToken(manager, balanceId, added.id, periodCap);
      return { rawToken: secret.raw, token: await this.byId(accountId, added.id, manager) };
    });
  }

  /**
   * Limits the records that a paid token is charged in each period of its balance, from the next read on. Null lifts the limit.
   * @throws AppError not_found for an unknown token and for one of another account; invalid_request for a trial token, or if a hundred
   *   other tokens of the balance have a cap
   */
  async cap(accountId: string, id: string, periodCap: number | null): Promise<ApiToken> {
    return this.dataSource.manager.transaction(async (manager) => {
      const token = isUuid(id) ? await manager.findOne(ApiTokenEntity, { where: { accountId, id }, relations: { balance: true } }) : null;
      if (!token) throw noSuchToken();
      if (token.balance.plan === 'trial') throw new AppError('invalid_request', 'Only tokens of the paid plan can have a cap.');
      await capToken(manager, token.balanceId, id, periodCap);
      return this.byId(accountId, id, manager);
    });
  }

  /**
   * A paid token without Stripe, on the balance that an operator opened for the account before, or on a new one. Its periods roll by
   * themselves. Its overage is in the ledger and not reported to a meter.
   */
  async issuePaidByOperator(accountId: string, name: string, within = this.dataSource.manager): Promise<IssuedToken> {
    const { includedRecords, overageUnitCents } = plans.paid;
    return within.transaction(async (manager) => {
      await oneAtATime(manager, accountId);
      const [balance] = await manager.query<{ id: string }[]>(
        `with own as (
           select id from credit_balance
            where account_id = $1 and plan = 'paid' and not is_metered and ends_at is null order by id limit 1
         )
         select id from own
         union all
         select open_balance($1, 'paid', $2, $3, n.now, n.now, period_boundary(n.now, 1), null, null, false)
           from (select service_now() as now) n where not exists (select from own)`,
        [accountId, includedRecords, overageUnitCents],
      );
      return this.issuePaid(accountId, balance!.id, name, manager);
    });
  }

  hasActiveTrial(accountId: string): Promise<boolean> {
    return this.dataSource.manager
      .createQueryBuilder(ApiTokenEntity, 't')
      .innerJoin('t.balance', 'b')
      .where(`t.accountId = :accountId and b.plan = 'trial' and ${rejectionOf} is null`, { accountId })
      .getExists();
  }

  /** The tokens that fit, newest first. */
  async list(filter: TokenFilter, limit: number, offset: number): Promise<ApiToken[]> {
    if (filter.accountId !== null) await this.dataSource.query('select open_due_periods($1)', [filter.accountId]);
    const order = { 't.issuedAt': 'DESC', 't.id': 'ASC' } as const;
    // By an index: with the balance joined, a page far behind would join all rows before it.
    const page = this.select(filter).select(['t.balanceId', 't.id']).orderBy(order).limit(limit).offset(offset);
    return selectTokens(this.dataSource.manager)
      .where(`(t.balanceId, t.id) in (${page.getQuery()})`, page.getParameters())
      .orderBy(order)
      .getRawMany<ApiToken>();
  }

  count(filter: TokenFilter): Promise<number> {
    return this.select(filter).getCount();
  }

  private select({ accountId, text, owners }: TokenFilter): SelectQueryBuilder<ApiTokenEntity> {
    const query = this.dataSource.manager.createQueryBuilder(ApiTokenEntity, 't');
    if (accountId !== null) query.andWhere('t.accountId = :accountId', { accountId });
    if (text === null) return query;
    return query.andWhere(`(${hasText(':text', 't.name', 't.id')} or t.accountId = any(:owners))`, {
      text,
      owners,
    });
  }

  async byId(accountId: string, id: string, manager = this.dataSource.manager): Promise<ApiToken> {
    const token = await selectTokens(manager).where('t.accountId = :accountId and t.id = :id', { accountId, id }).getRawOne<ApiToken>();
    return token!;
  }

  /**
   * Revokes a token. A revoked token stays unchanged.
   * @throws AppError not_found for an unknown token and for one of another account
   */
  async revoke(accountId: string, id: string): Promise<ApiToken> {
    return this.change(accountId, id, revoked);
  }

  /**
   * Revokes any account's token for an operator, and writes it to the activity log.
   * @throws AppError not_found
   */
  async revokeForOperator(actor: string, id: string, reason: Reason): Promise<ApiToken> {
    return this.dataSource.transaction(async (manager) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const token = isUuid(id) ? await manager.findOne(ApiTokenEntity, { where: { id }, lock }) : null;
      if (!token) throw new AppError('not_found', 'There is no such token.');
      const before = await this.byId(token.accountId, id, manager);
      await manager.update(ApiTokenEntity, { balanceId: token.balanceId, id }, revoked);
      const after = await this.byId(token.accountId, id, manager);
      const state = ({ state, revokedAt }: ApiToken) => ({ state, revokedAt });
      await recordAction(manager, { actor, action: 'revoke token', target: id, reason, before: state(before), after: state(after) });
      return after;
    });
  }

  /** @throws AppError not_found */
  async rename(accountId: string, id: string, name: string): Promise<ApiToken> {
    return this.change(accountId, id, { name });
  }

  // Text that is no uuid is answered like an unknown id.
  private async change(accountId: string, id: string, to: QueryDeepPartialEntity<ApiTokenEntity>): Promise<ApiToken> {
    const { affected } = isUuid(id) ? await this.dataSource.getRepository(ApiTokenEntity).update({ accountId, id }, to) : { affected: 0 };
    if (affected !== 1) throw noSuchToken();
    return this.byId(accountId, id);
  }
}

const noSuchToken = (): AppError => new AppError('not_found', 'There is no such token in this account.');

async function capToken(manager: EntityManager, balanceId: string, id: string, periodCap: number | null): Promise<void> {
  const [{ isCapped }] = await manager.query<[{ isCapped: boolean }]>('select cap_token($1, $2, $3) as "isCapped"', [
    balanceId,
    id,
    periodCap,
  ]);
  if (!isCapped) throw tooManyCaps();
}

/** Makes concurrent issues for an account wait for this transaction. */
async function oneAtATime(manager: EntityManager, accountId: string): Promise<void> {
  await manager.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`issue_paid ${accountId}`]);
}

async function requireFewToday(manager: EntityManager, accountId: string): Promise<void> {
  const [{ count }] = await manager.query<[{ count: number }]>(
    `select count(*)::integer as count from api_token where account_id = $1 and issued_at > service_now() - interval '1 day'`,
    [accountId],
  );
  if (count < maxIssuedADay) return;
  throw new AppError('too_many_requests', `An account gets ${maxIssuedADay} tokens a day at the most.`, { retryAfterSeconds: 3600 });
}

export const trialActive = (): AppError =>
  new AppError('trial_active', 'This account has an active trial token already. Revoke it to get another, if its value was lost.');

const rejectionWhere = (revokedAt: string): string =>
  `token_rejection(${revokedAt}, b.ends_at, b.period_end, renewable_until(b.period_anchor, b.period_end, b.renew_until),
                   b.remaining, b.overage_unit_cents, b.overage_records, b.overage_cap)`;

/** SQL for why a token may not read, from api_token t and credit_balance b. Null: it may. A cap ends with its period. */
export const rejectionOf = `coalesce(${rejectionWhere('t.revoked_at')},
  case when b.period_end > service_now() and token_cap_left(b.token_caps, b.token_records, t.id) = 0 then 'exhausted' end)`;

/** SQL for why no token of credit_balance b may read. Null: a token may. */
export const balanceRejection = rejectionWhere('null');

// Reads and retries under a key, not reversals and not replays for the account itself (at most one per read). So the newest is
// found at once, however many entries a token has. Not with `exists`, for which Postgres would hash all keys of the ledger.
const isOfCaller = `(l.kind = 'read' or l.kind = 'replay' and (
                       select r.idempotency_key from ledger_entry r
                        where r.balance_id = l.balance_id and r.sequence = entry_sequence(l.repeats)) is not null)`;

const columns: Record<keyof ApiToken, string> = {
  id: 't.id',
  accountId: 't.accountId',
  name: 't.name',
  plan: 'b.plan',
  state: `coalesce(${rejectionOf}, 'active')`,
  creditsRemaining: 'b.remaining',
  creditsIncluded: 'b.grantRecords',
  periodCap: 'cast(b.token_caps ->> cast(t.id as text) as integer)',
  periodRecords: `case when b.token_caps -> cast(t.id as text) is not null
                       then coalesce(cast(b.token_records ->> cast(t.id as text) as integer), 0) end`,
  issuedAt: 't.issuedAt',
  expiresAt: 'b.endsAt',
  revokedAt: 't.revokedAt',
  lastUsedAt: `(select l.at from ledger_entry l where l.token_id = t.id and ${isOfCaller} order by l.sequence desc limit 1)`,
};

/** Tokens (t) with their balances (b), for `getRawMany<ApiToken>`. */
export function selectTokens(manager: EntityManager): SelectQueryBuilder<ApiTokenEntity> {
  const query = manager.createQueryBuilder(ApiTokenEntity, 't').innerJoin('t.balance', 'b').select([]);
  for (const [name, expression] of Object.entries(columns)) query.addSelect(expression, name);
  return query;
}
