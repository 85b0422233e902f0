import { isUUID as isUuid } from 'class-validator';
import type { Pool, QueryConfig } from 'pg';
import { inTransaction } from '../database/statement-runner.js';
import { type InCents, inUsd } from '../ledger/money.js';
import type { AccountLedgerEntry, LedgerPage, LinkedLedgerEntry } from './account-ledger.js';
import { isEntryOfId, type LedgerFilter, LedgerSearch, type Position, positionOfId } from './ledger-search.js';

export class LedgerStore {
  constructor(private readonly pool: Pool) {}

  async page(filter: LedgerFilter, before: string | null, limit: number): Promise<LedgerPage> {
    const last = before === null ? null : await this.position(before);
    if (before !== null && last === null) return { entries: [], older: null, filter };
    const search = new LedgerSearch(filter, last);
    const rows = await this.search<FoundRow>(search.page(columns, limit));
    if (rows.length === limit) return { entries: rows.map(entryOf), older: rows.at(-1)!.id, filter };
    const end = filter.id === null ? (await this.search<Position>(search.end()))[0] : undefined;
    // The search of one balance ended there. Other balances' older entries come with the next page.
    const entries = end ? rows.filter((row) => !isOlder(row, end)) : rows;
    return { entries: entries.map(entryOf), older: end?.id ?? null, filter };
  }

  /** The number of matches; null if there are too many to count. */
  async count(filter: LedgerFilter): Promise<number | null> {
    const [row] = await this.search<{ total: number | null }>(new LedgerSearch(filter, null).count());
    return row!.total;
  }

  /** @param accountId the entry's owner; null: any account */
  async byId(accountId: string | null, id: string): Promise<LinkedLedgerEntry | null> {
    if (!isUuid(id)) return null;
    const { rows } = await this.pool.query<InCents<LinkedLedgerEntry>>(
      `select ${columns},
              (select r.id from ledger_entry r where r.balance_id = e.balance_id and r.reverses = e.id) as "reversedBy",
              array(select r.id from ledger_entry r where r.balance_id = e.balance_id and r.repeats = e.id order by r.sequence desc limit 100)
                as replays
         from ledger_entry e
         join credit_balance b on b.id = e.balance_id
         left join api_token t on t.balance_id = e.balance_id and t.id = e.token_id
        where ${isEntryOfId} and ($2::text is null or b.account_id = $2)`,
      [id, accountId],
    );
    return rows[0] ? inUsd<LinkedLedgerEntry>(rows[0]) : null;
  }

  /**
   * The segments of an entry, in triples, to show its records: from here on it cannot be reversed. Null: no such read, or reversed.
   * @param requestId the request that shows them
   */
  async shownSegments(accountId: string, id: string, requestId: string): Promise<number[] | null> {
    if (!isUuid(id)) return null;
    const { rows } = await this.pool.query<{ segments: number[] | null }>('select show_read($1, $2, $3) as segments', [
      accountId,
      id,
      requestId,
    ]);
    return rows[0]!.segments;
  }

  /** Postgres expects few entries of a balance: by a bitmap it would sort all of one that has a million. */
  private search<Row extends object>(statement: QueryConfig): Promise<Row[]> {
    return inTransaction(
      this.pool,
      'begin read only; set local enable_bitmapscan = off',
      async (db) => (await db.query<Row>(statement)).rows,
    );
  }

  private async position(id: string): Promise<Position | null> {
    if (!isUuid(id)) return null;
    return (await this.pool.query<Position>(positionOfId, [id])).rows[0] ?? null;
  }
}

type FoundRow = InCents<AccountLedgerEntry> & { exactAt: string };

const entryOf = ({ exactAt: _, ...row }: FoundRow): AccountLedgerEntry => inUsd<AccountLedgerEntry>(row);

/** The order of `LedgerSearch`. */
function isOlder(row: FoundRow, { at, sequence, balanceId }: Position): boolean {
  if (row.exactAt !== at) return row.exactAt < at;
  return row.sequence === sequence ? row.balanceId < balanceId : row.sequence < sequence;
}

/** The public columns of an entry, from `ledger_entry e`. */
export const entryColumns = `
  e.id, e.at, e.kind, e.records, e.credits, e.overage_records as "overageRecords", e.overage_cents::text as "overageCents",
  e.balance_after as "balanceAfter", e.county_fips as "countyFips", e.request_id as "requestId", e.token_id as "tokenId",
  e.repeats`;

/** A replay is stored without the key that it came under, which is the key of the read that it repeats. */
const keyOfEntry = `
  case when e.repeats is null then e.idempotency_key
       else (select r.idempotency_key from ledger_entry r where r.balance_id = e.balance_id and r.sequence = entry_sequence(e.repeats)) end`;

const columns = `
  ${entryColumns}, b.account_id as "accountId", e.balance_id as "balanceId", e.sequence, e.overage_after as "overageAfter",
  e.period_start as "periodStart", ${keyOfEntry} as "idempotencyKey", e.actor, e.reason, e.reverses,
  t.name as "tokenName", e.segments as triples, encode(e.previous_hash, 'hex') as "previousHash", encode(e.hash, 'hex') as hash`;
