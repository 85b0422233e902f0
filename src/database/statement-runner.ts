/** Runs statements: a pool, a connection, or TypeORM's manager. With a connection or manager in a transaction, the statement is part of it. */
export interface StatementRunner {
  query(text: string, values?: unknown[]): Promise<unknown>;
}
