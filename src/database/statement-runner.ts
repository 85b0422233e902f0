/** What runs a statement: a pool, one of its connections, or TypeORM's manager. In a transaction the statement is part of it. */
export interface StatementRunner {
  query(text: string, values?: unknown[]): Promise<unknown>;
}
