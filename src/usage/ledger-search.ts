import { validate as isUuid } from 'uuid';
import type { LedgerFilterArgs } from './ledger.args.js';

/** Which entries: of some accounts, or with null of all. */
export type LedgerFilter = Pick<LedgerFilterArgs, 'tokenId' | 'kind' | 'countyFips' | 'from' | 'to'> & {
  accountIds: string[] | null;
  /** An entry's or a request's. */
  id: string | null;
};

/** Where an entry stands among all: by its time, which is text so that its microseconds are kept. */
export interface Position {
  id: string;
  at: string;
  sequence: number;
  balanceId: string;
}

/** At so many entries a page looks at the most in a balance, or in the whole ledger: no index knows their counties and requests. */
const looksAt = 50_000;

// An id is made when its request comes in or its entry is written, by clocks that may differ a little.
const slackMs = 5 * 60_000;

const newestFirst = 'e.at desc, e.sequence desc, e.balance_id desc';
// In one zone, so that as texts times are in their order.
const exactTime = `(e.at at time zone 'UTC')::text || '+00'`;
const columnsOfPosition = `e.id, ${exactTime} as at, e.sequence, e.balance_id as "balanceId"`;

interface Statement {
  text: string;
  values: unknown[];
}

/**
 * Searches the ledger, newest entries first, by the indexes that reads pay for anyway. Of accounts and of a token it walks the balances,
 * each by its own key from the moment that the days or the page before end with; else the index by time.
 */
export class LedgerSearch {
  private readonly values: unknown[] = [];
  /** What an index finds, up to `looksAt` entries. */
  private readonly candidates: string;
  /** What is looked at in each of them. */
  private readonly matches: string;
  private readonly balances: string | null;

  /** @param before the entry that the page before ended with */
  constructor(filter: LedgerFilter, before: Position | null) {
    const { accountIds, tokenId, kind, countyFips, id } = filter;
    const { from, to } = daysOf(filter);
    const [first, end] = [from && this.value(from), to && this.value(to)];
    const last = before && { at: this.value(before.at), sequence: this.value(before.sequence), balanceId: this.value(before.balanceId) };
    const uuid = (text: string) => this.value(isUuid(text) ? text : unknownId);
    const token = tokenId ? uuid(tokenId) : null;

    this.matches = all([
      first && `e.at >= ${first}`,
      end && `e.at < ${end}`,
      last && `(e.at, e.sequence, e.balance_id) < (${last.at}::timestamptz, ${last.sequence}::integer, ${last.balanceId}::uuid)`,
      kind && `e.kind = ${this.value(kind)}`,
      countyFips && `e.county_fips = ${this.value(countyFips)}`,
      id && `(e.id = ${this.value(id)}::uuid or e.request_id = ${this.value(id)})`,
    ]);
    this.balances =
      accountIds || token
        ? all([
            accountIds && `b.account_id = any(${this.value(accountIds)}::text[])`,
            token && `b.id = (select t.balance_id from api_token t where t.id = ${token}::uuid)`,
          ])
        : null;
    const bounds = this.balances
      ? [
          'e.balance_id = b.id',
          first && `e.sequence > entries_before(b.id, ${first})`,
          end && `e.sequence <= entries_before(b.id, ${end})`,
          last && `e.sequence <= ${lastIn('b.id', last)}`,
          token && `e.token_id = ${token}::uuid`,
          // All but reads have an index of their own.
          kind && kind !== 'read' && `e.kind <> 'read' and e.kind = ${this.value(kind)}`,
        ]
      : [first && `e.at >= ${first}`, end && `e.at < ${end}`, last && `e.at <= ${last.at}::timestamptz`];
    this.candidates = `
      select e.* from ledger_entry e where ${all(bounds)}
       order by ${this.balances ? 'e.sequence desc' : newestFirst} limit ${id ? 'all' : looksAt}`;
  }

  /** The newest matches, as `e` with their account. */
  page(columns: string, limit: number): Statement {
    const most = this.value(limit);
    const matching = `select * from (${this.candidates}) e where ${this.matches}`;
    const entries = this.balances
      ? `select b.account_id, e.* from credit_balance b
          cross join lateral (${matching} order by e.sequence desc limit ${most}) e where ${this.balances}`
      : `select b.account_id, e.* from (${matching} order by ${newestFirst} limit ${most}) e join credit_balance b on b.id = e.balance_id`;
    return this.statement(`
      select ${columns}, ${exactTime} as "exactAt"
        from (select * from (${entries}) e order by ${newestFirst} limit ${most}) e
        left join api_token t on t.balance_id = e.balance_id and t.id = e.token_id
       order by ${newestFirst}`);
  }

  /** The last entry that was looked at, where there are more: what is older was not. */
  end(): Statement {
    const last = `select * from (${this.candidates}) e offset ${looksAt - 1} limit 1`;
    return this.statement(
      this.balances
        ? `select ${columnsOfPosition} from credit_balance b cross join lateral (${last}) e where ${this.balances} order by ${newestFirst} limit 1`
        : `select ${columnsOfPosition} from (${last}) e`,
    );
  }

  /** How many match; null if more had to be looked at. */
  count(): Statement {
    const counted = `select count(*) filter (where ${this.matches}) as matching, count(*) as seen from (${this.candidates}) e`;
    const from = this.balances ? `credit_balance b cross join lateral (${counted}) c where ${this.balances}` : `(${counted}) c`;
    return this.statement(`
      select case when coalesce(max(c.seen), 0) < ${looksAt} then coalesce(sum(c.matching), 0)::integer end as total from ${from}`);
  }

  private value(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** Each statement takes those of the values that it names. */
  private statement(text: string): Statement {
    const values: unknown[] = [];
    return { text: text.replace(/\$(\d+)/g, (_, number) => `$${values.push(this.values[number - 1])}`), values };
  }
}

/** Finds the entry of an id, whose time the id holds. */
export const isEntryOfId = `e.id = $1 and e.at >= entry_time($1) and e.at < entry_time($1) + interval '1 millisecond'`;

export const positionOfId = `select ${columnsOfPosition} from ledger_entry e where ${isEntryOfId}`;

const unknownId = '00000000-0000-0000-0000-000000000000';

/** The days to look at: those given, else with an id those around its time. */
function daysOf({ id, from, to }: LedgerFilter): Pick<LedgerFilter, 'from' | 'to'> {
  if (!id || from || to) return { from, to };
  const ms = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  return { from: new Date(ms - slackMs), to: new Date(ms + slackMs) };
}

/** The newest entry of a balance that may be older than another one. */
const lastIn = (balanceId: string, { at, sequence, balanceId: own }: { at: string; sequence: string; balanceId: string }): string =>
  `case when ${balanceId} = ${own}::uuid then ${sequence}::integer - 1
        else entries_before(${balanceId}, ${at}::timestamptz + interval '1 microsecond') end`;

const all = (conditions: (string | false | null | undefined)[]): string => conditions.filter(Boolean).join(' and ') || 'true';
