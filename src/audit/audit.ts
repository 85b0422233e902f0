import type { Pool, PoolClient } from 'pg';
import { AppError } from '../core/errors.js';
import { ask, beginSnapshot } from '../database/long-reads.js';
import type { AuditFinding, AuditStep, BooksCheck } from '../ledger/books-check.js';
import { nextOfRound } from './audit-round.js';

export interface AuditOptions {
  /** Check only what came since then, of entries since the last audit of their balance; null: everything. */
  since?: Date | null;
  /** The folder that remembers how far old entries were checked, a share each night (`audit-round.ts`); null: only new ones are checked. */
  roundsIn?: string | null;
  onProgress?(progress: AuditProgress): void;
  signal?: AbortSignal;
}

export interface AuditProgress {
  invariant: string;
  /** The number of the check, from 1. */
  number: number;
  count: number;
  /** The finished share of it, up to 1. */
  share: number;
}

/**
 * Checks every invariant of the books on a running system. Each check has its own snapshot, since what it compares changes together; a long
 * one has many.
 * @throws AppError conflict while another audit runs: each reads the whole ledger
 */
export async function audit(pool: Pool, checks: BooksCheck[], options: AuditOptions = {}): Promise<AuditFinding[]> {
  const db = await pool.connect();
  let isWell = true;
  try {
    const [{ locked } = { locked: false }] = await ask<{ locked: boolean }>(db, `select pg_try_advisory_lock(hashtext('audit')) as locked`);
    if (!locked) throw new AppError('conflict', 'An audit is already running. Wait for it to end.');
    isWell = false;
    try {
      await db.query('set statement_timeout = 0');
      const findings = await runAll(db, checks, options);
      isWell = true;
      return findings;
    } finally {
      // Closing the connection would give the lock back as well, but only after the next audit may have asked for it.
      await db.query(`rollback; reset statement_timeout; select pg_advisory_unlock(hashtext('audit'))`).catch(() => (isWell = false));
    }
  } finally {
    db.release(!isWell);
  }
}

async function runAll(db: PoolClient, checks: BooksCheck[], options: AuditOptions): Promise<AuditFinding[]> {
  const findings = new Map<string, AuditFinding>();
  for (const [n, check] of checks.entries()) {
    const [first] = check.invariants as [string];
    const tell = (invariant: string, share: number) => options.onProgress?.({ invariant, number: n + 1, count: checks.length, share });
    for (const invariant of check.invariants) findings.set(invariant, { invariant, checked: 0, firstBreak: null });
    tell(first, 0);
    for await (const { invariant = first, checked, firstBreak, share } of stepsOf(db, check, options)) {
      const finding = findings.get(invariant)!;
      finding.checked += checked;
      finding.firstBreak ??= firstBreak;
      tell(invariant, share);
      options.signal?.throwIfAborted();
    }
  }
  return [...findings.values()];
}

async function* stepsOf(db: PoolClient, check: BooksCheck, { since = null, roundsIn }: AuditOptions): AsyncIterable<AuditStep> {
  if (!check.isInSlices) await db.query(beginSnapshot);
  yield* check.run(db, since);
  if (!check.isInSlices) await db.query('commit');
  if (since && roundsIn && check.isInRounds) yield* nextOfRound(db, roundsIn, check);
}
