import { createHash, randomUUID } from 'node:crypto';
import { plans } from '../../src/ledger/plans.js';
import { TokenStore } from '../../src/tokens/token.store.js';
import { adjustment } from '../harness/adjustment.js';
import type { TestApp } from '../harness/app.js';
import type { Answer } from '../harness/caller.js';
import { ModelBalance, type ModelToken } from './books-model.js';

export const county = '25017';

/** The running service as the steps use it: reads over HTTP, what only operators and sweepers do by the database's functions. */
export class Service {
  /** How many steps were taken, over all walks. */
  steps = 0;
  private readonly tokens: TokenStore;
  private aheadDays = 0;

  constructor(private readonly app: TestApp) {
    this.tokens = new TokenStore(app.database.dataSource);
  }

  get now(): number {
    return Date.now() + this.aheadDays * 24 * 60 * 60 * 1000;
  }

  /** Forward only: what has expired must not come to life again. */
  async moveClock(days: number): Promise<void> {
    this.aheadDays += days;
    await this.app.db.moveClock(`${days} days`);
  }

  async openPaid(): Promise<ModelBalance> {
    const accountId = randomUUID();
    const { token, rawToken } = await this.tokens.issuePaidByOperator(accountId, 'paid');
    return this.asModel(accountId, 'paid', plans.paid.includedRecords, { id: token.id, raw: rawToken });
  }

  /** @returns null when the account has an active trial already */
  async openTrial(accountId: string): Promise<ModelBalance | null> {
    const issued = await this.tokens.issueTrial(accountId, 'trial').catch((error: { code?: string }) => {
      if (error.code === 'trial_active') return null;
      throw error;
    });
    return issued && this.asModel(accountId, 'trial', plans.trial.records, { id: issued.token.id, raw: issued.rawToken });
  }

  async anotherToken(balance: ModelBalance): Promise<ModelToken> {
    const { token, rawToken } = await this.tokens.issuePaid(balance.accountId, balance.id, 'another');
    return { id: token.id, raw: rawToken, isRevoked: false, reads: [] };
  }

  async revoke(balance: ModelBalance, token: ModelToken): Promise<void> {
    await this.tokens.revoke(balance.accountId, token.id);
  }

  read(token: ModelToken, limit: number, key: string | null): Promise<Answer> {
    const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
    return this.app.get(`/api/parcels?county_fips=${county}&limit=${limit}`, { token: token.raw, headers });
  }

  usage(token: ModelToken): Promise<Answer> {
    return this.app.get('/api/usage', { token: token.raw });
  }

  /** A read whose server dies right after its commit: granted, and nobody delivers it. */
  async spendAndDie(balance: ModelBalance, token: ModelToken, limit: number, key: string | null): Promise<string | null> {
    const hash =
      key === null
        ? null
        : createHash('sha256')
            .update(JSON.stringify([county, limit, null]))
            .digest();
    const [row] = await this.app.db.query<{ entry_id: string | null }>(
      `select s.entry_id from county c join parcel_release r on r.id = c.current_release_id, coverage_version v,
              lateral spend(array[$1::uuid], array[$2::uuid], array[v.version], array[format('{%s,1,%s}', r.id, $3::integer)], array[$4],
                            array[$5], array[$6], array[$7::bytea], true) s
        where c.fips = $4`,
      [balance.id, token.id, limit, county, randomUUID(), key, hash],
    );
    return row!.entry_id;
  }

  async sweep(): Promise<void> {
    await this.app.db.query(`select reverse_abandoned('0 seconds', 1000)`);
  }

  async reverse(balance: ModelBalance, entryId: string): Promise<boolean> {
    const [row] = await this.app.db.query<{ id: string | null }>(`select reverse_entry($1, $2, 'by the model', null) as id`, [
      balance.id,
      entryId,
    ]);
    return row!.id !== null;
  }

  async adjust(balance: ModelBalance, credits: number): Promise<boolean> {
    const [row] = await this.app.db.query<{ entry_id: string | null }>(adjustment(balance.id, credits));
    return row!.entry_id !== null;
  }

  async setCap(balance: ModelBalance, cap: number | null): Promise<void> {
    await this.app.db.query('update credit_balance set overage_cap = $2 where id = $1', [balance.id, cap]);
  }

  async stateOf(balance: ModelBalance): Promise<{ remaining: number; overage: number; periodStart: number; periodEnd: number }> {
    const [row] = await this.app.db.query<{ remaining: number; overage: number; start: Date; end: Date }>(
      `select remaining, overage_records as overage, period_start as start, period_end as end from credit_balance where id = $1`,
      [balance.id],
    );
    return { remaining: row!.remaining, overage: row!.overage, periodStart: row!.start.getTime(), periodEnd: row!.end.getTime() };
  }

  private async asModel(
    accountId: string,
    plan: 'trial' | 'paid',
    grant: number,
    token: { id: string; raw: string },
  ): Promise<ModelBalance> {
    const [row] = await this.app.db.query<{ balance_id: string; start: Date }>(
      'select t.balance_id, b.period_start as start from api_token t join credit_balance b on b.id = t.balance_id where t.id = $1',
      [token.id],
    );
    const balance = new ModelBalance(row!.balance_id, accountId, plan, grant, row!.start.getTime());
    balance.tokens.push({ ...token, isRevoked: false, reads: [] });
    return balance;
  }
}
