import type { Pool } from 'pg';
import { validate as isUuid } from 'uuid';
import type { AccountLedgerEntry, LedgerPage } from './account-ledger.js';
import type { LedgerArgs } from './ledger.args.js';
import { inUsd } from './money.js';

/** Which entries: of an account, or null for everybody's; and those of the accounts in `owners`, unless it is null. */
export type LedgerFilter = Pick<LedgerArgs, 'tokenId' | 'kind' | 'countyFips' | 'from' | 'to'> & {
  accountId: string | null;
  /** An entry's or a request's. */
  id: string | null;
  owners: string[] | null;
};

/** The ledger. */
export class LedgerStore {
  constructor(private readonly pool: Pool) {}

  async page(filter: LedgerFilter, limit: number, offset: number): Promise<LedgerPage> {
    const { accountId, tokenId, kind, countyFips, from, to, id, owners } = filter;
    const values = [accountId, isUuid(tokenId) ? tokenId : tokenId && unknownId, kind, countyFips, from, to, id, owners];
    const [page, count] = await Promise.all([
      this.pool.query(`${columns} ${accountId === null ? latestOfAll : latestOfAccount} order by e.at desc, e.sequence desc`, [
        ...values,
        limit,
        offset,
      ]),
      this.pool.query<{ total: number }>(
        `select count(*)::integer as total from credit_balance b join ledger_entry e on e.balance_id = b.id where ${matches}`,
        values,
      ),
    ]);
    return { entries: page.rows.map((row) => inUsd<AccountLedgerEntry>(row)), total: count.rows[0]!.total };
  }

  async byId(accountId: string, id: string): Promise<AccountLedgerEntry | null> {
    if (!isUuid(id)) return null;
    const { rows } = await this.pool.query(
      `${columns} from (select b.account_id, e.* from credit_balance b join ledger_entry e on ${isEntry} where b.account_id = $1) e
         left join api_token t on t.balance_id = e.balance_id and t.id = e.token_id`,
      [accountId, id],
    );
    return rows[0] ? inUsd<AccountLedgerEntry>(rows[0]) : null;
  }

  /** What an entry's caller received, as flat triples; null where nothing was: no such read, or one that was taken back. */
  async deliveredSegments(accountId: string, id: string): Promise<number[] | null> {
    if (!isUuid(id)) return null;
    const { rows } = await this.pool.query<{ segments: number[] }>(
      `select e.segments from credit_balance b join ledger_entry e on ${isEntry}
        where b.account_id = $1 and e.kind in ('read', 'replay')
          and not exists (select from ledger_entry r where r.balance_id = b.id and r.reverses = e.id)`,
      [accountId, id],
    );
    return rows[0]?.segments ?? null;
  }
}

const unknownId = '00000000-0000-0000-0000-000000000000';

const matches = `
  ($1::text is null or b.account_id = $1)
  and ($2::uuid is null or e.token_id = $2)
  and ($3::text is null or e.kind = $3)
  and ($4::text is null or e.county_fips = $4)
  and ($5::timestamptz is null or e.at >= $5)
  and ($6::timestamptz is null or e.at < $6)
  and ($7::text is null or e.id = $7::uuid or e.request_id = lower($7))
  and ($8::text[] is null or b.account_id = any($8))`;

// An account has few balances: the newest of each come from the end of its own index, and only these are sorted.
const latestOfAccount = `
  from (
    select b.account_id, e.* from credit_balance b
     cross join lateral (
       select e.* from ledger_entry e where e.balance_id = b.id and ${matches} order by e.sequence desc limit $9::bigint + $10::bigint
     ) e
     where b.account_id = $1
     order by e.at desc, e.sequence desc limit $9 offset $10
  ) e left join api_token t on t.balance_id = e.balance_id and t.id = e.token_id`;

// Those of everybody come from the end of the index by time.
const latestOfAll = `
  from (
    select b.account_id, e.* from ledger_entry e join credit_balance b on b.id = e.balance_id
     where ${matches}
     order by e.at desc, e.sequence desc limit $9 offset $10
  ) e left join api_token t on t.balance_id = e.balance_id and t.id = e.token_id`;

// By its place in the balance, which the id holds.
const isEntry = 'e.balance_id = b.id and e.sequence = entry_sequence($2) and e.id = $2';

/** What everybody sees of an entry, of ledger_entry e. */
export const entryColumns = `
  e.id, e.at, e.kind, e.records, e.credits, e.overage_records as "overageRecords", e.overage_cents::text as "overageCents",
  e.balance_after as "balanceAfter", e.county_fips as "countyFips", e.request_id as "requestId", e.token_id as "tokenId"`;

const columns = `
  select ${entryColumns}, e.account_id as "accountId", e.balance_id as "balanceId", e.actor, e.reason, e.reverses, e.repeats,
         t.name as "tokenName", e.segments as triples`;
