import { isUUID as isUuid } from 'class-validator';
import type { LedgerFilterArgs } from './ledger.args.js';

/**
 * Which entries. `accountIds` null: of all accounts. Those that move no balance, and those written because the console showed records, only
 * if their kind or their id is asked for.
 */
export type LedgerFilter = Pick<LedgerFilterArgs, 'tokenId' | 'kind' | 'countyFips' | 'from' | 'to'> & {
  accountIds: string[] | null;
  /** The id of an entry or a request. */
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

/** `listed`: up to this entry the balance's counties are looked up. None, if a walk to there could end before it. */
const balances = `
  (select b.id, b.account_id, case when b.entry_count - s.entries < ${maxExamined} then s.entries else 0 end as listed
     from credit_balance b left join summed_balance s on s.balance_id = b.id)`;

/** A select of entries in its order, which is newest first. */
interface Source {
  text: string;
  order: string;
  /** If all of them match: a select of as many rows, which need not look at them. */
  counted?: string | false;
}

/** In SQL, of an entry `e`: none that was written because the console showed records. */
export const isAskedFor = `e.kind <> 'replay' or e.reason is null`;

// An id has the time of its request or its entry, by clocks that may differ a little.
const slackMs = 5 * 60_000;

const newestFirst = 'e.at desc, e.sequence desc, e.balance_id desc';
// In one time zone, so that times sort as texts.
const exactTime = `(e.at at time zone 'UTC')::text || '+00'`;
const columnsOfPosition = `e.id, ${exactTime} as at, e.sequence, e.balance_id as "balanceId"`;

interface Statement {
  text: string;
  values: unknown[];
}

/**
 * Searches the ledger, newest entries first, with the indexes that reads need anyway. For accounts and a token it walks each balance by
 * its key, from the end of the days or the position of the previous page; otherwise it uses the index by time. In a balance, it looks up the
 * entries of a county, and walks only those that came after the last run of `sum-usage`.
 */
export class LedgerSearch {
  private readonly values: unknown[] = [];
  /** What indexes find, each up to `maxExamined` entries; those of a later source are older. */
  private readonly sources: Source[];
  /** The conditions that each of them is checked for. */
  private readonly matches: string;
  private readonly balances: string | null;

  /** @param before the last entry of the previous page */
  constructor(filter: LedgerFilter, before: Position | null) {
    const { accountIds, tokenId, countyFips, id } = filter;
    const isShown = filter.kind === 'shown';
    const kind = isShown ? 'replay' : filter.kind;
    const { from, to } = daysOf(filter);
    const [first, end] = [from && this.value(from), to && this.value(to)];
    const last = before && { at: this.value(before.at), sequence: this.value(before.sequence), balanceId: this.value(before.balanceId) };
    const uuid = (text: string) => this.value(isUuid(text) ? text : unknownId);
    const token = tokenId ? uuid(tokenId) : null;
    const county = countyFips && this.value(countyFips);
    // There is an index of all entries but reads.
    const isNoRead = kind && kind !== 'read' && `e.kind <> 'read' and e.kind = ${this.value(kind)}`;

    this.matches = all([
      first && `e.at >= ${first}`,
      end && `e.at < ${end}`,
      last && `(e.at, e.sequence, e.balance_id) < (${last.at}::timestamptz, ${last.sequence}::integer, ${last.balanceId}::uuid)`,
      kind ? `e.kind = ${this.value(kind)}` : !id && `e.kind not in ('terms', 'token')`,
      isShown ? `not (${isAskedFor})` : !id && `(${isAskedFor})`,
      county && `e.county_fips = ${county}`,
      token && `e.token_id = ${token}::uuid`,
      id && `(e.id = ${this.value(id)}::uuid or e.request_id = ${this.value(id)})`,
    ]);
    this.balances =
      accountIds || token
        ? all([
            accountIds && `b.account_id = any(${this.value(accountIds)}::text[])`,
            token && `b.id = (select t.balance_id from api_token t where t.id = ${token}::uuid)`,
          ])
        : null;
    const most = id ? 'all' : maxExamined;
    if (!this.balances) {
      const bounds = all([first && `e.at >= ${first}`, end && `e.at < ${end}`, last && `e.at <= ${last.at}::timestamptz`]);
      const text = `select e.* from ledger_entry e where ${bounds} order by ${newestFirst} limit ${most}`;
      this.sources = [{ text, order: newestFirst }];
      return;
    }
    const after = first && `entries_before(b.id, ${first})`;
    const until = [end && `entries_before(b.id, ${end})`, last && lastIn('b.id', last)].filter(Boolean);
    const isListed = county && !isNoRead && !id;
    const bounds = all(['e.balance_id = b.id', after && `e.sequence > ${after}`, ...until.map((sequence) => `e.sequence <= ${sequence}`)]);
    const walked = all([bounds, token && `e.token_id = ${token}::uuid`, isListed && 'e.sequence > b.listed', isNoRead]);
    this.sources = [
      {
        text: `select 0 as first_sequence, e.* from ledger_entry e where ${walked} order by e.sequence desc limit ${most}`,
        order: 'e.sequence desc',
      },
    ];
    if (isListed) {
      const ofCounty = (c: string) => `${c}.balance_id = b.id and ${c}.county_fips = ${county}`;
      const lists = all([
        ofCounty('c'),
        'b.listed > 0',
        ...until.map((sequence) => `c.first_sequence <= ${sequence}`),
        after &&
          `c.first_sequence >= coalesce((
             select max(o.first_sequence) from county_entries o where ${ofCounty('o')} and o.first_sequence <= ${after}), 0)`,
      ]);
      this.sources.push({
        text: `
          select c.first_sequence, e.* from county_entries c cross join lateral unnest(c.sequences) l (sequence)
           cross join lateral (select * from ledger_entry e where ${bounds} and e.sequence = l.sequence offset 0) e
           where ${lists} order by c.first_sequence desc, e.sequence desc limit ${most}`,
        order: 'e.first_sequence desc, e.sequence desc',
        counted:
          !(first || end || last || token || kind) &&
          `select from county_entries c cross join lateral unnest(c.sequences) where ${lists} limit ${most}`,
      });
    }
  }

  /** The newest matches, as `e` with their account. */
  page(columns: string, limit: number): Statement {
    const most = this.value(limit);
    const matching = this.ofEach(({ text, order }) => `select * from (${text}) e where ${this.matches} order by ${order} limit ${most}`);
    const entries = this.balances
      ? `select b.account_id, e.* from ${balances} b cross join lateral (${matching}) e where ${this.balances}`
      : `select b.account_id, e.* from (${matching}) e join credit_balance b on b.id = e.balance_id`;
    return this.statement(`
      select ${columns}, ${exactTime} as "exactAt"
        from (select * from (${entries}) e order by ${newestFirst} limit ${most}) e
        left join api_token t on t.balance_id = e.balance_id and t.id = e.token_id
       order by ${newestFirst}`);
  }

  /** The last examined entry, if there are more: older entries were not examined. */
  end(): Statement {
    const last = this.ofEach(({ text }) => `select * from (${text}) e offset ${maxExamined - 1} limit 1`);
    return this.statement(
      this.balances
        ? `select ${columnsOfPosition} from ${balances} b cross join lateral (${last}) e where ${this.balances} order by ${newestFirst} limit 1`
        : `select ${columnsOfPosition} from (${last}) e`,
    );
  }

  /** The number of matches; null beyond `maxExamined` entries. */
  count(): Statement {
    const candidates = this.ofEach(({ text, counted }) =>
      counted ? `select true as is_match from (${counted}) e` : `select ${this.matches} as is_match from (${text}) e`,
    );
    const counted = `select count(*) filter (where is_match) as matching, count(*) as seen from (${candidates}) e`;
    const from = this.balances ? `${balances} b cross join lateral (${counted}) c where ${this.balances}` : `(${counted}) c`;
    return this.statement(`
      select case when coalesce(max(c.seen), 0) < ${maxExamined} then coalesce(sum(c.matching), 0)::integer end as total from ${from}`);
  }

  private ofEach(select: (source: Source) => string): string {
    return this.sources.map((source) => `(${select(source)})`).join(' union all ');
  }

  private value(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** Each statement gets only the values that it names. */
  private statement(text: string): Statement {
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
  const ms = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  return { from: new Date(ms - slackMs), to: new Date(ms + slackMs) };
}

/** The sequence of a balance's newest entry that may be older than the given position. */
const lastIn = (balanceId: string, { at, sequence, balanceId: own }: { at: string; sequence: string; balanceId: string }): string =>
  `case when ${balanceId} = ${own}::uuid then ${sequence}::integer - 1
        else entries_before(${balanceId}, ${at}::timestamptz + interval '1 microsecond') end`;

const all = (conditions: (string | false | null | undefined)[]): string => conditions.filter(Boolean).join(' and ') || 'true';
