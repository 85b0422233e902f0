import type { ClientBase } from 'pg';
import { ask } from '../database/long-reads.js';

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
  /** Where a later run may go on after this step. */
  place?: string;
}

/** One invariant of the books, or several that are checked together. */
export interface BooksCheck {
  invariants: string[];
  /** It takes a snapshot for each of its parts; the others have one for all. A long one keeps Postgres from vacuuming busy balances. */
  isInSlices?: true;
  /** A night checks what is new, and a share of what is old: a run of all goes on from a `place`. */
  isInRounds?: true;
  /**
   * @param since check only what came since then; null: all. Checks that are not about entries or records check everything.
   * @param from the place of an earlier run
   */
  run(db: ClientBase, since: Date | null, from?: string): AsyncIterable<AuditStep>;
}

/**
 * A check by one statement.
 * @param sql one row with `checked` and `first_break`
 * @param values its parameters, asked for when it runs
 */
export const checkOfAll = (invariant: string, sql: string, values: () => unknown[] | Promise<unknown[]> = () => []): BooksCheck => ({
  invariants: [invariant],
  async *run(db) {
    const [row] = await ask<{ checked: number; first_break: string | null }>(db, sql, await values());
    yield { checked: row!.checked, firstBreak: row!.first_break, share: 1 };
  },
});
