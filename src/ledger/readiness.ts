import type { Pool, QueryConfig } from 'pg';

const keptMs = 500;

// The statement of all spends, without a request: it needs its functions, its tables and, since it locks balances, a primary. A database that
// needs more than 2 s cannot serve. The cast: pg's types lack `query_timeout`.
const probe = {
  text: `select from spend('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', false)`,
  query_timeout: 2_000,
} as QueryConfig;

/** Whether a spend is possible now. However often it is asked, the database is asked by one connection, twice a second. */
export class Readiness {
  private answer: Promise<boolean> | null = null;

  constructor(private readonly pool: Pool) {}

  canSpend(): Promise<boolean> {
    this.answer ??= this.ask().finally(() => setTimeout(() => (this.answer = null), keptMs).unref());
    return this.answer;
  }

  private ask(): Promise<boolean> {
    return this.pool.query(probe).then(
      () => true,
      () => false,
    );
  }
}
