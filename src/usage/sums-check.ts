import type { ClientBase } from 'pg';
import { ask } from '../database/long-reads.js';
import type { BooksCheck } from '../ledger/books-check.js';

const totals = (of: (name: string) => string) =>
  ['reads', 'records', 'overage_cents', 'grants'].map((name) => `coalesce(sum(${of(name)}), 0)`).join(', ');
const ofEntry: Record<string, string> = { reads: `(kind = 'read')::integer`, grants: `(kind = 'grant')::integer` };

/** Compares each day with those of its entries that were summed, only ended ones if not everything is checked. If one is wrong, truncate the tables of the sums: the job writes them anew. */
export const sumsCheck: BooksCheck = {
  invariants: ['the sums of a day are those of its entries that were summed'],
  isInSlices: true,
  isInRounds: true,
  async *run(db, since, from = '') {
    const days = await ask<{ day: Date; broken: string | null }>(
      db,
      `select day from (
         select min(day) as first, max(day) as last from daily_usage
          where $1::timestamptz is null or day >= date_trunc('day', $1::timestamptz, 'UTC') and day < date_trunc('day', service_now(), 'UTC')
       ) d cross join lateral generate_series(d.first, d.last, interval '1 day') day`,
      [since],
    );
    for (const [n, { day }] of days.entries()) {
      if (day.toISOString() <= from) continue;
      const [row] = await ask<{ sums: string; entries: string }>(
        db,
        `select s.sums, e.entries
           from (select concat_ws(' ', ${totals((name) => name)}) as sums
                   from daily_usage where day = $1) s
          cross join (select concat_ws(' ', ${totals((name) => ofEntry[name] ?? name)}) as entries
                        from ledger_entry l join summed_balance s on s.balance_id = l.balance_id and l.sequence <= s.entries
                       where at >= $1 and at < $1::timestamptz + interval '1 day' and kind in ('read', 'reversal', 'grant')) e`,
        [day],
      );
      const { sums, entries } = row!;
      const firstBreak = sums === entries ? null : `${day.toISOString()}: the sums are ${sums}, those of the entries ${entries}`;
      yield { checked: 1, firstBreak, share: (n + 1) / (days.length + 1), place: day.toISOString() };
    }
    // They are as many as the history is long.
    if (since === null) yield { checked: 0, firstBreak: await compareHours(db), share: 1 };
  },
};

async function compareHours(db: ClientBase): Promise<string | null> {
  const [row] = await ask<{ broken: string }>(
    db,
    `select format('%s: the hours of balance %s do not add up to its day', day, balance_id) as broken
       from (
         select date_trunc('day', hour, 'UTC') as day, balance_id, sum(reads) as reads, sum(records) as records, sum(overage_cents) as overage_cents,
                sum(grants) as grants
           from hourly_usage group by 1, 2
       ) h full join daily_usage d using (day, balance_id)
      where (h.reads, h.records, h.overage_cents, h.grants) is distinct from (d.reads, d.records, d.overage_cents, d.grants) limit 1`,
  );
  return row?.broken ?? null;
}
