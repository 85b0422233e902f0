import type { Pool, PoolClient } from 'pg';

/** Runs statements: a pool, a connection, or TypeORM's manager. With a connection or manager in a transaction, the statement is part of it. */
export interface StatementRunner {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/**
 * A Postgres array of values without comma, quote, backslash, brace or space, such as ids. The driver's own conversion checks each value,
 * which took more than 1% of a read.
 */
export const plainArray = (values: string[]): string => `{${values.join(',')}}`;

/** Runs work between `begin` and `commit`. If it fails, its connection is closed, which undoes it. @param begin `begin` with its settings */
export async function inTransaction<T>(pool: Pool, begin: string, work: (db: PoolClient) => Promise<T>): Promise<T> {
  const db = await pool.connect();
  let isCommitted = false;
  try {
    await db.query(begin);
    const result = await work(db);
    await db.query('commit');
    isCommitted = true;
    return result;
  } finally {
    db.release(!isCommitted);
  }
}
