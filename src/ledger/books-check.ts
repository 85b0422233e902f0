import type { ClientBase, QueryConfig } from 'pg';

/** The result of one invariant: how many rows were checked, and the first violation, if any. */
export interface AuditFinding {
  invariant: string;
  checked: number;
  firstBreak: string | null;
}

/** A finished part of a check. */
export interface AuditStep {
  /** Which of the check's invariants; the first if none is named. */
  invariant?: string;
  checked: number;
  firstBreak: string | null;
  /** The finished share of the whole check, up to 1. */
  share: number;
}

/** One invariant of the books, or several that are checked together. */
export interface BooksCheck {
  invariants: string[];
  /** It takes a snapshot for each of its parts; the others have one for all. A long one keeps Postgres from vacuuming busy balances. */
  isInSlices?: true;
  /** @param since check only what came since then; null: all. Checks that are not about entries or records check everything. */
  run(db: ClientBase, since: Date | null): AsyncIterable<AuditStep>;
}

// pg reads 0 as "use the pool's limit", which is meant for requests.
const maxStatementMs = 6 * 60 * 60 * 1000;

/** A check of all balances, tokens or releases. @param sql one row with `checked` and `first_break` */
export const checkOfAll = (invariant: string, sql: string): BooksCheck => ({
  invariants: [invariant],
  async *run(db) {
    const [row] = await ask<{ checked: number; first_break: string | null }>(db, sql);
    yield { checked: row!.checked, firstBreak: row!.first_break, share: 1 };
  },
});

/** Begins a transaction that reads, and may take longer than a request. */
export const beginSnapshot = 'begin; set transaction isolation level repeatable read read only; set local statement_timeout = 0';

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
