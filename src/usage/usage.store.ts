import type { Pool } from 'pg';
import type { AppError } from '../core/errors.js';
import { invalidRequest } from '../core/parameters.js';
import type { LedgerEntry } from '../ledger/ledger-entry.js';
import { type InCents, inUsd } from '../ledger/money.js';
import type { PlanName } from '../ledger/plans.js';
import { type Rejection, rejected } from '../ledger/rejection.js';
import type { TokenIdentity } from '../ledger/token-lookup.js';
import type { Balance } from './balance.js';
import { balanceColumns } from './balance.store.js';
import { entryColumns } from './ledger.store.js';
import { cursorRule, type Usage } from './usage.js';

/** A read under an idempotency key. */
export interface KeyedRead {
  ledgerEntryId: string;
  creditsCharged: number;
  segments: number[];
  requestHash: Buffer;
  /** Whether its records still exist. */
  areKept: boolean;
  /** Whether the key may still repeat it, by time and number of repeats. */
  mayRepeat: boolean;
}

const entryCount = 100;

/** A token's balance and its recent ledger, which it may know for free. */
export class UsageStore {
  constructor(private readonly pool: Pool) {}

  /** @throws AppError invalid, revoked, expired, exhausted */
  async requireUsableToken(token: TokenIdentity): Promise<void> {
    const refusal = await this.refusalOf(token);
    if (refusal) throw refusal;
  }

  /**
   * How many records the token could pay for now, and why it may not read, if so. `reach`: how far into a county a trial can pay its way; null:
   * without end.
   */
  async allowanceOf(token: TokenIdentity): Promise<{ refusal: AppError | null; records: number; reach: number | null }> {
    const refusal = await this.refusalOf(token);
    // A separate statement, since the first may have opened a period.
    const { rows } = await this.pool.query<{ records: number | null; reach: number | null }>(
      `select least(
                case
                  when overage_unit_cents is null then remaining
                  when overage_cap is not null then remaining + greatest(0, overage_cap - overage_records)
                end,
                token_cap_left(token_caps, token_records, $2)
              ) as records,
              case when plan = 'trial' then greatest(grant_records, remaining) end as reach
         from credit_balance where id = $1`,
      [token.balanceId, token.tokenId],
    );
    return { refusal, records: rows[0]?.records ?? Number.POSITIVE_INFINITY, reach: rows[0]?.reach ?? null };
  }

  /** Whether a paid token goes on where its account's trial, or its former subscription, stopped. @param former the first digits of its id */
  async takesOver({ balanceId }: TokenIdentity, former: string): Promise<boolean> {
    const { rows } = await this.pool.query(
      `select from credit_balance b join credit_balance former using (account_id)
        where b.id = $1 and b.plan = 'paid' and starts_with(replace(former.id::text, '-', ''), $2)`,
      [balanceId, former],
    );
    return rows.length > 0;
  }

  /** The read of a key; null: there is none. */
  async keyedRead({ balanceId, tokenId }: TokenIdentity, idempotencyKey: string): Promise<KeyedRead | null> {
    const { rows } = await this.pool.query<KeyedRead>(
      `select l.id as "ledgerEntryId", l.records as "creditsCharged", l.segments, l.request_hash as "requestHash", are_kept(l.segments) as "areKept", may_repeat($1, l.id) as "mayRepeat"
         from find_keyed_read($1, $2, $3) r
         join ledger_entry l on l.balance_id = $1 and l.sequence = entry_sequence(r.id) and l.id = r.id
        where not r.is_reversed`,
      [balanceId, tokenId, idempotencyKey],
    );
    return rows[0] ?? null;
  }

  private async refusalOf(token: TokenIdentity): Promise<AppError | null> {
    const { rows } = await this.pool.query<{ decision: Rejection | null; plan: PlanName; hasOverage: boolean; tokenCap: number | null }>({
      name: 'check_token',
      text: `
        select check_token($1, $2) as decision, plan, overage_unit_cents is not null as "hasOverage",
               case when token_cap_left(token_caps, token_records, $2) = 0 then (token_caps ->> $2::uuid::text)::integer end as "tokenCap"
          from credit_balance where id = $1`,
      values: [token.balanceId, token.tokenId],
    });
    if (!rows[0]) return rejected('invalid'); // its balance does not exist
    const { decision, plan, hasOverage, tokenCap } = rows[0];
    return decision && rejected(decision, plan, hasOverage, tokenCap);
  }

  /**
   * A paid token that is at a cap is valid, and its owner wants to know why it is refused records.
   * @param cursor shows entries older than this one
   * @throws AppError invalid, revoked, expired, exhausted for a trial; invalid_request for an entry that the token is not shown
   */
  async ofToken(token: TokenIdentity, cursor: string | null): Promise<Usage> {
    const refusal = await this.refusalOf(token);
    const { rows } = await this.pool.query<InCents<Balance> & { entries: number }>(
      `select ${balanceColumns}, b.entry_count as entries from credit_balance b where b.id = $1`,
      [token.balanceId],
    );
    if (refusal && (refusal.code !== 'exhausted' || rows[0]?.plan !== 'paid')) throw refusal;
    const { entries: known, ...columns } = rows[0]!;
    const balance = inUsd<Balance>(columns);
    // Only those that the balance knows, so that they add up to it.
    const last = cursor === null ? known : (await this.sequenceOf(token, cursor)) - 1;
    const entries = await this.entriesUpTo(last, token, entryCount + 1);
    const ledger = entries.slice(0, entryCount);
    const { plan, creditsRemaining, overageRecords, overageUsd, overageLeft } = balance;
    return {
      identity: token,
      balance,
      ledger,
      nextCursor: entries.length > entryCount ? ledger.at(-1)!.id : null,
      metering: {
        plan,
        creditsCharged: 0,
        creditsRemaining,
        overageRecords,
        overageUsd,
        overageLeft,
        ledgerEntryId: null,
        ledgerHash: null,
      },
    };
  }

  /** @throws AppError invalid_request for an unknown entry and another token's alike */
  private async sequenceOf({ balanceId, tokenId }: TokenIdentity, id: string): Promise<number> {
    const { rows } = await this.pool.query<{ sequence: number }>(
      `select sequence from ledger_entry
        where balance_id = $1 and sequence = entry_sequence($3) and id = $3 and (token_id = $2 or token_id is null)`,
      [balanceId, tokenId, id],
    );
    if (!rows[0]) throw invalidRequest([{ parameter: 'cursor', message: cursorRule }]);
    return rows[0].sequence;
  }

  /**
   * The token's entries, and those of its balance without a token (grants, expiries, adjustments), newest first. SQL, since each half
   * walks an index of its own.
   */
  private async entriesUpTo(sequence: number, { balanceId, tokenId }: TokenIdentity, most: number): Promise<LedgerEntry[]> {
    const { rows } = await this.pool.query<InCents<LedgerEntry>>(
      `select ${entryColumns} from (
         (select * from ledger_entry where token_id = $2 and kind <> 'token' and sequence <= $3 order by sequence desc limit $4)
         union all
         (select * from ledger_entry where balance_id = $1 and kind not in ('read', 'terms') and token_id is null and sequence <= $3
           order by sequence desc limit $4)
       ) e order by sequence desc limit $4`,
      [balanceId, tokenId, sequence, most],
    );
    return rows.map((row) => inUsd<LedgerEntry>(row));
  }
}
