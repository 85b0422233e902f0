import { ask, type BooksCheck } from '../../ledger/books-check.js';

const totals = (of: (name: string) => string) =>
  ['reads', 'records', 'overage_records', 'overage_cents', 'grants'].map((name) => `coalesce(sum(${of(name)}), 0)`).join(', ');
const ofEntry: Record<string, string> = { reads: `(kind = 'read')::integer`, grants: `(kind = 'grant')::integer` };

/** Compares each day that was summed with its entries. A sum that is wrong can be deleted, with all later ones: the job writes them anew. */
export const sumsCheck: BooksCheck = {
  invariants: ['the sums of a day that has ended are those of its entries'],
  isInSlices: true,
  async *run(db, since) {
    const days = await ask<{ day: Date; broken: string | null }>(
      db,
      `select day from (
         select min(hour) as first, max(hour) as last from usage_hour where hour >= date_trunc('day', $1::timestamptz, 'UTC')
       ) h cross join lateral generate_series(date_trunc('day', h.first, 'UTC'), h.last, interval '1 day') day`,
      [since ?? '-infinity'],
    );
    for (const [n, { day }] of days.entries()) {
      const [row] = await ask<{ sums: string; entries: string }>(
        db,
        `select s.sums, e.entries
           from (select concat_ws(' ', ${totals((name) => name)}) as sums
                   from usage_hour where hour >= $1 and hour < $1::timestamptz + interval '1 day') s
          cross join (select concat_ws(' ', ${totals((name) => ofEntry[name] ?? name)}) as entries
                        from ledger_entry
                       where at >= $1 and at < $1::timestamptz + interval '1 day' and kind in ('read', 'reversal', 'grant')) e`,
        [day],
      );
      const { sums, entries } = row!;
      const firstBreak = sums === entries ? null : `${day.toISOString()}: the sums are ${sums}, those of the entries ${entries}`;
      yield { checked: 1, firstBreak, share: (n + 1) / days.length };
    }
  },
};
