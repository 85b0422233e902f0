import type { Pool, PoolClient } from 'pg';
import { AppError } from '../core/errors.js';
import { ask, beginSnapshot } from '../database/long-reads.js';
import type { AuditFinding, BooksCheck } from '../ledger/books-check.js';

export interface AuditOptions {
  /** Check only what came since then, of entries since the last audit of their balance; null: everything. */
  since?: Date | null;
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
  const findings: AuditFinding[] = [];
  for (const [n, check] of checks.entries()) {
    if (!check.isInSlices) await db.query(beginSnapshot);
    findings.push(...(await runOne(db, check, { ...options, number: n + 1, count: checks.length })));
    if (!check.isInSlices) await db.query('commit');
  }
  return findings;
}

async function runOne(
  db: PoolClient,
  { invariants, run }: BooksCheck,
  { since = null, onProgress, signal, number, count }: AuditOptions & { number: number; count: number },
): Promise<AuditFinding[]> {
  const findings = new Map(invariants.map((invariant) => [invariant, { invariant, checked: 0, firstBreak: null } as AuditFinding]));
  const [first] = invariants as [string];
  onProgress?.({ invariant: first, number, count, share: 0 });
  for await (const { invariant = first, checked, firstBreak, share } of run(db, since)) {
    const finding = findings.get(invariant)!;
    finding.checked += checked;
    finding.firstBreak ??= firstBreak;
    onProgress?.({ invariant, number, count, share });
    signal?.throwIfAborted();
  }
  return [...findings.values()];
}
