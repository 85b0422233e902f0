import pRetry from 'p-retry';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { TokenStore } from '../tokens/token.store.js';
import type { Balance } from './balance.js';
import type { LedgerEntry } from './ledger-entry.js';
import { type InCents, inUsd } from './money.js';
import { type Rejection, rejected } from './rejection.js';
import type { Usage } from './usage.js';

/** Reads of balances and the ledger, and the compensating entry. Spending has its own file. */
export class UsageStore {
  constructor(
    private readonly pool: Pool,
    private readonly tokens: TokenStore,
  ) {}

  /**
   * Finds the token without spending anything.
   * @throws AppError invalid, revoked, expired, exhausted
   */
  async requireUsableToken(tokenHash: Buffer): Promise<{ tokenId: string; balanceId: string }> {
    const { rows } = await this.pool.query<{ decision: Rejection | null; token_id: string; balance_id: string }>({
      name: 'check_token',
      text: 'select decision, token_id, balance_id from check_token($1)',
      values: [tokenHash],
    });
    const row = rows[0]!;
    if (row.decision) throw rejected(row.decision);
    return { tokenId: row.token_id, balanceId: row.balance_id };
  }

  /** @throws AppError invalid, revoked, expired, exhausted */
  async ofToken(tokenHash: Buffer, entryCount: number): Promise<Usage> {
    const { tokenId, balanceId } = await this.requireUsableToken(tokenHash);
    const [token, balance, ledger] = await Promise.all([
      this.tokens.byId(tokenId),
      this.balance(balanceId),
      this.recentEntries(balanceId, entryCount),
    ]);
    const { plan, creditsRemaining, overageRecords, overageUsd } = balance;
    return {
      token,
      balance,
      ledger,
      metering: { plan, creditsCharged: 0, creditsRemaining, overageRecords, overageUsd, ledgerEntryId: null },
    };
  }

  async balance(id: string): Promise<Balance> {
    const { rows } = await this.pool.query<InCents<Balance>>(`${balanceColumns} where id = $1`, [id]);
    return inUsd(rows[0]!);
  }

  /** The newest entries of a balance, newest first. */
  async recentEntries(balanceId: string, count: number): Promise<LedgerEntry[]> {
    const { rows } = await this.pool.query<InCents<LedgerEntry>>(`${entryColumns} where balance_id = $1 order by sequence desc limit $2`, [
      balanceId,
      count,
    ]);
    return rows.map((row) => inUsd<LedgerEntry>(row));
  }

  /**
   * Takes a read back that was never delivered; doing it again does nothing. When the database is away just now it is tried
   * again in the background for a minute, so that the caller's answer does not wait for it.
   */
  async reverseWithRetry(entryId: string, reason: string, log: Logger): Promise<void> {
    const reverse = () => this.pool.query('select reverse_entry($1, $2, null)', [entryId, reason]);
    await reverse().catch(() => {
      void pRetry(reverse, { retries: 12, minTimeout: 500, factor: 1.5, unref: true }).catch((error: Error) =>
        log.error({ entryId, error }, 'could not reverse an undelivered read: reverse it by hand'),
      );
    });
  }
}

const balanceColumns = `
  select id, plan, remaining as "creditsRemaining", grant_records as "includedRecords", overage_records as "overageRecords",
         (overage_records::bigint * coalesce(overage_unit_cents, 0))::text as "overageCents", overage_cap as "overageCap",
         period_start as "periodStart", period_end as "periodEnd", ends_at as "endsAt"
    from credit_balance`;

const entryColumns = `
  select id, at, kind, records, credits, overage_records as "overageRecords", overage_cents::text as "overageCents",
         balance_after as "balanceAfter", county_fips as "countyFips", request_id as "requestId"
    from ledger_entry`;
