import type { Pool } from 'pg';
import { validate as isUuid } from 'uuid';
import { AppError } from '../errors.js';
import { plans } from '../usage/plans.js';
import type { ApiToken, IssuedToken } from './token.js';
import { newTokenSecret } from './token-secret.js';

/** All SQL of tokens. */
export class TokenStore {
  constructor(private readonly pool: Pool) {}

  /** @throws AppError trial_active while the account has an active trial token */
  async issueTrial(accountId: string, name: string): Promise<IssuedToken> {
    const secret = newTokenSecret('trial');
    const { rows } = await this.pool.query<{ id: string | null }>(
      'select issue_trial($1, $2, $3, $4, $5, make_interval(days => $6)) as id',
      [accountId, name, secret.hint, secret.hash, plans.trial.records, plans.trial.lifetimeDays],
    );
    const id = rows[0]!.id;
    if (!id) {
      throw new AppError(
        'trial_active',
        'This account has an active trial token already. Revoke it to get another, if its value was lost.',
      );
    }
    return { rawToken: secret.raw, token: await this.byId(accountId, id) };
  }

  /** A paid token on a balance that exists already: it shares what is left there with the balance's other tokens. */
  async issuePaid(accountId: string, balanceId: string, name: string): Promise<IssuedToken> {
    const secret = newTokenSecret('paid');
    const { rows } = await this.pool.query<{ id: string }>('select add_token($1, $2, $3, $4, $5, service_now()) as id', [
      balanceId,
      accountId,
      name,
      secret.hint,
      secret.hash,
    ]);
    return { rawToken: secret.raw, token: await this.byId(accountId, rows[0]!.id) };
  }

  /**
   * A paid token without the payment processor: on the account's balance that an operator opened before, or on a new one.
   * Its periods roll by themselves; its overage stands in the ledger and is not reported to a meter.
   */
  async issuePaidByOperator(accountId: string, name: string): Promise<IssuedToken> {
    const { includedRecords, overageUnitCents } = plans.paid;
    const { rows } = await this.pool.query<{ id: string }>(
      `with own as (
         select id from credit_balance
          where account_id = $1 and plan = 'paid' and not is_metered and ends_at is null limit 1
       )
       select id from own
       union all
       select open_balance($1, 'paid', $2, $3, n.now, n.now, period_boundary(n.now, 1), null, null, false)
         from (select service_now() as now) n where not exists (select from own)`,
      [accountId, includedRecords, overageUnitCents],
    );
    return this.issuePaid(accountId, rows[0]!.id, name);
  }

  /** The account's tokens, newest first. */
  async list(accountId: string): Promise<ApiToken[]> {
    await this.pool.query('select open_due_periods($1)', [accountId]);
    const { rows } = await this.pool.query<ApiToken>(`${tokenColumns} where t.account_id = $1 order by t.issued_at desc, t.id`, [
      accountId,
    ]);
    return rows;
  }

  async byId(accountId: string, id: string): Promise<ApiToken> {
    const { rows } = await this.pool.query<ApiToken>(`${tokenColumns} where t.account_id = $1 and t.id = $2`, [accountId, id]);
    return rows[0]!;
  }

  /**
   * Revokes at once; a token that is revoked already stays as it is.
   * @throws AppError not_found, alike for a token that does not exist and for one of another account
   */
  async revoke(accountId: string, id: string): Promise<ApiToken> {
    return this.change(accountId, id, 'revoked_at = coalesce(revoked_at, service_now())');
  }

  /** @throws AppError not_found */
  async rename(accountId: string, id: string, name: string): Promise<ApiToken> {
    return this.change(accountId, id, 'name = $3', name);
  }

  // What is no uuid at all is as unknown as a foreign one.
  private async change(accountId: string, id: string, assignment: string, ...values: unknown[]): Promise<ApiToken> {
    const { rows } = await this.pool.query<{ id: string }>(
      `update api_token set ${assignment} where account_id = $1 and id = $2 returning id`,
      [accountId, isUuid(id) ? id : null, ...values],
    );
    if (!rows[0]) throw new AppError('not_found', 'There is no such token in this account.');
    return this.byId(accountId, rows[0].id);
  }
}

/** Why a token may not read, of api_token t and credit_balance b; null: it may. */
export const rejectionOf = `token_rejection(t.revoked_at, b.ends_at, b.period_end, b.renew_until, b.remaining, b.overage_unit_cents,
                                            b.overage_records, b.overage_cap)`;

/** Of api_token t and credit_balance b. */
export const tokenFields = `
  t.id, t.name, b.plan, coalesce(${rejectionOf}, 'active') as state, t.hint, b.remaining as "creditsRemaining",
  b.grant_records as "creditsIncluded", t.issued_at as "issuedAt", b.ends_at as "expiresAt", t.revoked_at as "revokedAt",
  (select l.at from ledger_entry l where l.token_id = t.id order by l.sequence desc limit 1) as "lastUsedAt"`;

const tokenColumns = `select ${tokenFields} from api_token t join credit_balance b on b.id = t.balance_id`;
