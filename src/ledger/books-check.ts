import type { ClientBase, QueryConfig } from 'pg';

/** The result of one invariant: how many rows were checked, and the first violation, if any. */
export interface AuditFinding {
  invariant: string;
  checked: number;
  firstBreak: string | null;
}

/** A finished part of a check. */
export interface AuditStep {
  checked: number;
  firstBreak: string | null;
  /** The finished share of the whole check, up to 1. */
  share: number;
}

/** One invariant of the books. */
export interface BooksCheck {
  invariant: string;
  /** Its rows never change, so it needs no snapshot: it runs after all others, in transactions of its own. */
  isOutsideSnapshot?: true;
  /** @param since check only entries from then on; null: all. Checks that are not about single entries check everything. */
  run(db: ClientBase, since: Date | null): AsyncIterable<AuditStep>;
}

// pg reads 0 as "use the pool's limit", which is meant for requests.
const maxStatementMs = 6 * 60 * 60 * 1000;
const fetchedAtOnce = 10_000;

interface StatementRow {
  checked: number;
  first_break: string | null;
}

/** A check of all balances, tokens or releases. @param sql one row with `checked` and `first_break` */
export const checkOfAll = (invariant: string, sql: string): BooksCheck => ({
  invariant,
  async *run(db) {
    yield stepOf(await ask<StatementRow>(db, sql));
  },
});

/** A check of single entries. @param sql one row with `checked` and `first_break`, for entries from `$1` on */
export const checkOfEntries = (invariant: string, sql: string): BooksCheck => ({
  invariant,
  async *run(db, since) {
    yield stepOf(await ask<StatementRow>(db, sql, [sinceValue(since)]));
  },
});

/**
 * A long check of entries. Its rows are streamed, so that it can show its progress.
 * @param sql a row for each entry from `$1` on; `broken` describes the violation or is null
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

// Balances know their number of entries.
const countEntries = `
  select case when $1::timestamptz = '-infinity' then (select sum(entry_count) from credit_balance)
              else (select count(*) from ledger_entry where at >= $1::timestamptz) end::float as total`;

/** Reads a query in batches through a cursor. Must run in a transaction. */
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
    // A failed transaction has closed its cursor already; its own error is the one to report.
    await db.query('close audited').catch(() => undefined);
  }
}

/** Runs a statement that may read the whole ledger, without the usual time limit. */
export async function ask<Row extends object>(db: ClientBase, text: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await db.query<Row>({ text, values, query_timeout: maxStatementMs } as QueryConfig);
  return rows;
}

const sinceValue = (since: Date | null): Date | string => since ?? '-infinity';

function stepOf([row]: StatementRow[]): AuditStep {
  return { checked: row!.checked, firstBreak: row!.first_break, share: 1 };
}
