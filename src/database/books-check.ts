import type { ClientBase, QueryConfig } from 'pg';

/** What the audit found of one invariant: how many rows it checked, and the first break if it does not hold. */
export interface AuditFinding {
  invariant: string;
  checked: number;
  firstBreak: string | null;
}

/** A part of a check that is done. */
export interface AuditStep {
  checked: number;
  firstBreak: string | null;
  /** How much of the whole check is done by now, up to 1. */
  share: number;
}

/** One invariant of the books. */
export interface BooksCheck {
  invariant: string;
  /** What it reads never changes, so it needs no snapshot of the books: it has transactions of its own, after all others. */
  isOutsideSnapshot?: true;
  /** @param since entries from then on are new; null: all are to be checked. What is no matter of single entries is checked whole. */
  run(db: ClientBase, since: Date | null): AsyncIterable<AuditStep>;
}

// pg takes 0 for "as the pool says", which is what a request may take.
const maxStatementMs = 6 * 60 * 60 * 1000;
const fetchedAtOnce = 10_000;

interface StatementRow {
  checked: number;
  first_break: string | null;
}

/** A check of balances, tokens or releases: always of all. @param sql one row with `checked` and `first_break` */
export const checkOfAll = (invariant: string, sql: string): BooksCheck => ({
  invariant,
  async *run(db) {
    yield stepOf(await ask<StatementRow>(db, sql));
  },
});

/** A check of single entries. @param sql one row with `checked` and `first_break`, of the entries from `$1` on */
export const checkOfEntries = (invariant: string, sql: string): BooksCheck => ({
  invariant,
  async *run(db, since) {
    yield stepOf(await ask<StatementRow>(db, sql, [sinceValue(since)]));
  },
});

/**
 * A check of entries that takes long: its rows are streamed, so that it can be seen how far it is.
 * @param sql a row for each entry from `$1` on, with what is `broken` of it or null
 */
export const streamedCheckOfEntries = (invariant: string, sql: string): BooksCheck => ({
  invariant,
  async *run(db, since) {
    const values = [sinceValue(since)];
    const [{ total } = { total: 0 }] = await ask<{ total: number }>(db, countEntries, values);
    let done = 0;
    for await (const rows of rowsOf<{ broken: string | null }>(db, sql, values, fetchedAtOnce)) {
      done += rows.length;
      const firstBreak = rows.find(({ broken }) => broken !== null)?.broken ?? null;
      yield { checked: rows.length, firstBreak, share: Math.min(1, done / total) };
    }
  },
});

// Of all entries the balances know how many there are.
const countEntries = `
  select case when $1::timestamptz = '-infinity' then (select sum(entry_count) from credit_balance)
              else (select count(*) from ledger_entry where at >= $1::timestamptz) end::float as total`;

/** The rows of a query in batches, through a cursor. In a transaction. */
export async function* rowsOf<Row extends object>(
  db: ClientBase,
  sql: string,
  values: unknown[],
  fetchedAtOnce: number,
): AsyncIterable<Row[]> {
  await ask(db, `declare audited no scroll cursor for ${sql}`, values);
  try {
    for (;;) {
      const rows = await ask<Row>(db, `fetch ${fetchedAtOnce} from audited`);
      if (rows.length > 0) yield rows;
      if (rows.length < fetchedAtOnce) break;
    }
  } finally {
    // In a transaction that has failed already its cursor is gone, and the failure is the one to tell.
    await db.query('close audited').catch(() => undefined);
  }
}

/** A statement that may take as long as reading a whole ledger does. */
export async function ask<Row extends object>(db: ClientBase, text: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await db.query<Row>({ text, values, query_timeout: maxStatementMs } as QueryConfig);
  return rows;
}

const sinceValue = (since: Date | null): Date | string => since ?? '-infinity';

function stepOf([row]: StatementRow[]): AuditStep {
  return { checked: row!.checked, firstBreak: row!.first_break, share: 1 };
}
