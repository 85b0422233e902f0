import { isUUID as isUuid } from 'class-validator';
import type { QueryConfig } from 'pg';
import type { LedgerFilterArgs } from './ledger.args.js';

/**
 * Which entries. `accountIds` null: of all accounts. Those that move no balance, and those written because the console showed records, only
 * if their kind or their id is asked for.
 */
export type LedgerFilter = Pick<LedgerFilterArgs, 'tokenId' | 'kind' | 'countyFips' | 'from' | 'to'> & {
  accountIds: string[] | null;
  /** The beginning of the id of an entry or a request: eight digits or more, without hyphens. */
  id: string | null;
};

/** The position of an entry among all. The time is text, to keep its microseconds. */
export interface Position {
  id: string;
  at: string;
  sequence: number;
  balanceId: string;
}

/** The most entries that a page examines in a balance or in the whole ledger, since no index has requests. */
const maxExamined = 50_000;

/** In SQL, of an entry `e`: none that was written because the console showed records. */
export const isAskedFor = `e.kind <> 'replay' or e.reason is null`;

// An id has the time of its request or its entry, by clocks that may differ a little.
const slackMs = 5 * 60_000;

const newestFirst = 'e.at desc, e.sequence desc, e.balance_id desc';
// In one time zone, so that times sort as texts.
const exactTime = `(e.at at time zone 'UTC')::text || '+00'`;
const columnsOfPosition = `e.id, ${exactTime} as at, e.sequence, e.balance_id as "balanceId"`;

/**
 * Searches the ledger, newest entries first, with the indexes that reads need anyway. For accounts and a token it walks each balance by
 * its key, from the end of the days or the position of the previous page; otherwise it uses the index by time. The text differs by filter:
 * one for all would be planned for a customer with few entries, and read the whole ledger for one who made no read in months.
 */
export class LedgerSearch {
  private readonly values: unknown[] = [];
  /** The entries that an index finds, newest first, at most `maxExamined` of a balance. */
  private readonly examined: string;
  private readonly order: string;
  /** The conditions that each of them is checked for. */
  private readonly matches: string;
  /** The balances `b` to examine; if all, one row that stands for them. */
  private readonly balances: string;

  /** @param before the last entry of the previous page */
  constructor(filter: LedgerFilter, before: Position | null) {
    const { accountIds, tokenId, countyFips, id } = filter;
    const isShown = filter.kind === 'shown';
    const kind = isShown ? 'replay' : filter.kind;
    const { from, to } = daysOf(filter);
    const [first, end] = [from && this.value(from), to && this.value(to)];
    const last = before && { at: this.value(before.at), sequence: this.value(before.sequence), balanceId: this.value(before.balanceId) };
    const token = tokenId && `${this.value(isUuid(tokenId) ? tokenId : unknownId)}::uuid`;
    const isOfKind = kind && `e.kind = ${this.value(kind)}`;

    this.matches = all([
      first && `e.at >= ${first}`,
      end && `e.at < ${end}`,
      last && `(e.at, e.sequence, e.balance_id) < (${last.at}::timestamptz, ${last.sequence}::integer, ${last.balanceId}::uuid)`,
      isOfKind || (!id && `e.kind not in ('terms', 'token')`),
      isShown ? `not (${isAskedFor})` : !id && `(${isAskedFor})`,
      countyFips && `e.county_fips = ${this.value(countyFips)}`,
      token && `e.token_id = ${token}`,
      id && `replace(concat_ws(' ', e.id, e.request_id), '-', '') ~ ${this.value(`\\m${id}`)}`,
    ]);
    const most = id ? 'all' : maxExamined;
    if (accountIds || token) {
      const ofBalance = all([
        'e.balance_id = b.id',
        first && `e.sequence > entries_before(b.id, ${first})`,
        end && `e.sequence <= entries_before(b.id, ${end})`,
        last && `e.sequence <= ${lastIn('b.id', last)}`,
        token && `e.token_id = ${token}`,
        // There is an index of all entries but reads.
        kind && kind !== 'read' && `e.kind <> 'read' and ${isOfKind}`,
      ]);
      this.order = 'e.sequence desc';
      this.examined = `select * from ledger_entry e where ${ofBalance} order by ${this.order} limit ${most}`;
      const chosen = all([
        accountIds && `account_id = any(${this.value(accountIds)}::text[])`,
        token && `id = (select t.balance_id from api_token t where t.id = ${token})`,
      ]);
      this.balances = `(select id from credit_balance where ${chosen}) b`;
    } else {
      const bounds = all([first && `e.at >= ${first}`, end && `e.at < ${end}`, last && `e.at <= ${last.at}::timestamptz`]);
      this.order = newestFirst;
      this.examined = `select * from ledger_entry e where ${bounds} order by ${newestFirst} limit ${most}`;
      this.balances = '(select) b';
    }
  }

  /** The newest matches, as `e` with their balance `b` and token `t`. */
  page(columns: string, limit: number): QueryConfig {
    const most = this.value(limit);
    return this.statement(`
      select ${columns}, ${exactTime} as "exactAt"
        from (select e.* from ${this.balances}
               cross join lateral (select * from (${this.examined}) e where ${this.matches} order by ${this.order} limit ${most}) e
               order by ${newestFirst} limit ${most}) e
        join credit_balance b on b.id = e.balance_id
        left join api_token t on t.balance_id = e.balance_id and t.id = e.token_id
       order by ${newestFirst}`);
  }

  /** The last examined entry, if there are more: older entries were not examined. */
  end(): QueryConfig {
    return this.statement(`
      select ${columnsOfPosition} from ${this.balances}
       cross join lateral (select * from (${this.examined}) e offset ${maxExamined - 1} limit 1) e order by ${newestFirst} limit 1`);
  }

  /** The number of matches; null beyond `maxExamined` entries of a balance. */
  count(): QueryConfig {
    return this.statement(`
      select case when coalesce(max(c.seen), 0) < ${maxExamined} then coalesce(sum(c.matching), 0)::integer end as total
        from ${this.balances}
       cross join lateral (
         select count(*) filter (where ${this.matches}) as matching, count(*) as seen from (${this.examined}) e
       ) c`);
  }

  private value(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** Each statement gets only the values that it names: Postgres would not know the type of another. */
  private statement(text: string): QueryConfig {
    const values: unknown[] = [];
    return { text: text.replace(/\$(\d+)/g, (_, number) => `$${values.push(this.values[number - 1])}`), values };
  }
}

/** Finds an entry by its id, which contains its time. */
export const isEntryOfId = `e.id = $1 and e.at >= entry_time($1) and e.at < entry_time($1) + interval '1 millisecond'`;

export const positionOfId = `select ${columnsOfPosition} from ledger_entry e where ${isEntryOfId}`;

/** No entry, token or balance has it. */
export const unknownId = '00000000-0000-0000-0000-000000000000';

/** The days to search: the given ones, or for an id those around its time. */
function daysOf({ id, from, to }: LedgerFilter): Pick<LedgerFilter, 'from' | 'to'> {
  if (!id || from || to) return { from, to };
  const time = (digit: string) => Number.parseInt(id.slice(0, 12).padEnd(12, digit), 16);
  return { from: new Date(time('0') - slackMs), to: new Date(time('f') + slackMs) };
}

/** The sequence of a balance's newest entry that may be older than the given position. */
const lastIn = (balanceId: string, { at, sequence, balanceId: own }: { at: string; sequence: string; balanceId: string }): string =>
  `case when ${balanceId} = ${own}::uuid then ${sequence}::integer - 1
        else entries_before(${balanceId}, ${at}::timestamptz + interval '1 microsecond') end`;

const all = (conditions: (string | false | null | undefined)[]): string => conditions.filter(Boolean).join(' and ') || 'true';
