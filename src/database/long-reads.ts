import type { ClientBase, QueryConfig } from 'pg';

// pg reads 0 as "use the pool's limit", which is meant for requests.
const maxStatementMs = 6 * 60 * 60 * 1000;

/** Begins a transaction that reads, and may take longer than a request. */
export const beginSnapshot = 'begin; set transaction isolation level repeatable read read only; set local statement_timeout = 0';

/** Runs a statement that may read a whole table, without the usual time limit. */
export async function ask<Row extends object>(db: ClientBase, text: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await db.query<Row>({ text, values, query_timeout: maxStatementMs } as QueryConfig);
  return rows;
}

// A record with a long boundary takes some hundred kilobytes.
const recordsAtOnce = 256;

/** The rows of a query in batches, so that they need not fit in memory. Needs a transaction; only one at a time. */
export async function* rowsOf<Row extends object>(
  db: ClientBase,
  sql: string,
  values: unknown[] = [],
  fetchedAtOnce = recordsAtOnce,
): AsyncIterable<Row[]> {
  await ask(db, `declare long_read no scroll cursor for ${sql}`, values);
  try {
    for (;;) {
      const rows = await ask<Row>(db, `fetch ${fetchedAtOnce} from long_read`);
      if (rows.length > 0) yield rows;
      if (rows.length < fetchedAtOnce) break;
    }
  } finally {
    // A failed transaction has closed its cursor already; its own error is the one to report.
    await db.query('close long_read').catch(() => undefined);
  }
}
