import type { ClientBase } from 'pg';

/** The rows of a query in batches, so that they need not fit into memory. In a transaction, one at a time. */
export async function* cursorRows<Row extends object>(
  db: ClientBase,
  query: string,
  values: unknown[] = [],
  fetchedAtOnce = recordsAtOnce,
): AsyncIterable<Row[]> {
  await db.query(`declare loaded no scroll cursor for ${query}`, values);
  for (;;) {
    const { rows } = await db.query<Row>(`fetch ${fetchedAtOnce} from loaded`);
    if (rows.length === 0) break;
    yield rows;
  }
  await db.query('close loaded');
}

// A record with a long boundary takes some hundred kilobytes.
const recordsAtOnce = 256;
