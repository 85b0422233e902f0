/** Runs statements: a pool, a connection, or TypeORM's manager. With a connection or manager in a transaction, the statement is part of it. */
export interface StatementRunner {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/**
 * A Postgres array of values without comma, quote, backslash, brace or space, such as ids. The driver's own conversion checks each value,
 * which took more than 1% of a read.
 */
export const plainArray = (values: string[]): string => `{${values.join(',')}}`;
