import type { ClientBase } from 'pg';
import { ask } from '../../database/long-reads.js';
import type { AuditStep, BooksCheck } from '../../ledger/books-check.js';
import { auditedInvariant, entryRules, lastInvariant } from './entry-rules.js';
import { type End, type Place, readSlice, type Slice } from './entry-slice.js';

const sliceRows = 20_000;
const changedAtOnce = 10_000;
const invariants = entryRules.map(({ invariant }) => invariant);

/**
 * Checks entries in slices, each with a snapshot of its own that takes a quarter of a second: a long one would keep Postgres from vacuuming
 * behind busy balances. Since a date: only those after the entries at which earlier audits left their balances.
 */
export const entriesCheck = (rowsOfSlice = sliceRows): BooksCheck => ({
  invariants,
  isInSlices: true,
  isInRounds: true,
  async *run(db, since, from) {
    const after: End | null = from ? JSON.parse(from) : null;
    const [of] = await ask<{ total: number; done: number }>(
      db,
      `select coalesce(sum(entry_count), 0)::float as total, coalesce(sum(entry_count) filter (where id < $1), 0)::float + $2::float as done
         from credit_balance`,
      [after?.balanceId, after?.sequence ?? 0],
    );
    let { total, done } = of!;
    for await (const { checked, broken, rows, end } of since === null
      ? slicesFrom(db, rowsOfSlice, null, after)
      : newSlices(db, rowsOfSlice)) {
      done += rows;
      const share = total > 0 ? Math.min(1, done / total) : 1;
      yield* invariants.map((invariant, n): AuditStep => ({ invariant, checked: checked[n]!, firstBreak: broken[n] ?? null, share }));
      if (since === null && end) yield { checked: 0, firstBreak: null, share, place: JSON.stringify(end) };
    }
    yield { invariant: lastInvariant, checked: 0, firstBreak: await firstOf(db, emptyBalances), share: 1 };
    yield { invariant: auditedInvariant, checked: 0, firstBreak: await firstOf(db, goneBalances), share: 1 };
  },
});

async function* newSlices(db: ClientBase, limit: number): AsyncIterable<Slice> {
  for (let last = null as string | null; ; ) {
    const changed = await findChanged(db, last);
    for (let at = 0; at < changed.length; ) {
      let [rows, to] = [changed[at]!.rows, at + 1];
      while (to < changed.length && rows + changed[to]!.rows < limit) rows += changed[to++]!.rows;
      yield* slicesFrom(db, limit, changed.slice(at, to));
      at = to;
    }
    if (changed.length < changedAtOnce) return;
    last = changed.at(-1)!.balanceId;
  }
}

/** Slices of which each goes on where the one before ended: of all entries, or of those from some places on. */
async function* slicesFrom(db: ClientBase, limit: number, places: Place[] | null, start: End | null = null): AsyncIterable<Slice> {
  let [after, isWell] = [start, true];
  do {
    const left = places && after ? [after, ...places.filter(({ balanceId }) => balanceId > after!.balanceId)] : places;
    const slice = await readSlice(db, { places: left, after, limit, isRemembered: isWell });
    // The last balance of this slice is the first one of the next, and remembered only if all of it holds.
    isWell = slice.broken.every((broken) => broken === null) && (isWell || slice.end?.balanceId !== after?.balanceId);
    // It was counted in the slice before.
    const checked = after ? slice.checked.map((count, n) => (entryRules[n]!.of === 'true' ? count - 1 : count)) : slice.checked;
    yield { ...slice, checked, rows: slice.rows - (after ? 1 : 0) };
    after = slice.end;
  } while (after);
}

interface ChangedBalance extends Place {
  /** From the place on. */
  rows: number;
}

/** Balances that are not as an earlier audit left them, each with the entry at which it did. */
const findChanged = (db: ClientBase, after: string | null): Promise<ChangedBalance[]> =>
  ask(
    db,
    `select b.id as "balanceId", coalesce(a.entries, -2147483648) as sequence, greatest(1, b.entry_count - coalesce(a.entries, 0) + 1) as rows
       from credit_balance b left join audited_balance a on a.balance_id = b.id
      where (b.entry_count, b.chain_head, b.remaining, b.overage_records, b.period_start)
            is distinct from (a.entries, a.head, a.remaining, a.overage_records, a.period_start)
        and ($1::uuid is null or b.id > $1) order by b.id limit ${changedAtOnce}`,
    [after],
  );

const emptyBalances = `
  select format('balance %s should end with entry number %s', b.id, b.entry_count) as broken from credit_balance b
   where (select e.sequence from ledger_entry e where e.balance_id = b.id limit 1) is null limit 1`;

const goneBalances = `
  select format('balance %s is gone: an earlier audit saw %s entries of it', a.balance_id, a.entries) as broken from audited_balance a
   where not exists (select from credit_balance b where b.id = a.balance_id) limit 1`;

const firstOf = async (db: ClientBase, sql: string): Promise<string | null> => (await ask<{ broken: string }>(db, sql))[0]?.broken ?? null;
