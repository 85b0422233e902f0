import type { Pool, PoolClient } from 'pg';
import { AppError } from '../core/errors.js';
import { type AuditFinding, ask, type BooksCheck } from '../ledger/books-check.js';

export interface AuditOptions {
  /** Skip entries written before, except the one that later ones follow; null: check the whole ledger. */
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

const begin = `begin; set transaction isolation level repeatable read read only; set local statement_timeout = 0`;

/**
 * Checks every invariant of the books on a running system, in one snapshot. Rows that never change are checked after it, so that the
 * snapshot does not keep Postgres from vacuuming behind busy balances for hours.
 * @throws AppError conflict while another audit runs: each reads the whole ledger
 */
export async function audit(pool: Pool, checks: BooksCheck[], options: AuditOptions = {}): Promise<AuditFinding[]> {
  const db = await pool.connect();
  let isWell = false;
  try {
    const [{ locked } = { locked: false }] = await ask<{ locked: boolean }>(db, `select pg_try_advisory_lock(hashtext('audit')) as locked`);
    if (!locked) {
      isWell = true;
      throw new AppError('conflict', 'An audit is running already. Wait for it to end.');
    }
    const findings = await runAll(db, checks, options);
    await db.query(`select pg_advisory_unlock(hashtext('audit'))`);
    isWell = true;
    return findings;
  } finally {
    // Closing the connection ends a running statement and the lock.
    db.release(!isWell);
  }
}

async function runAll(db: PoolClient, checks: BooksCheck[], options: AuditOptions): Promise<AuditFinding[]> {
  const findings: AuditFinding[] = [];
  const run = async (check: BooksCheck) => {
    findings.push(await runOne(db, check, { ...options, number: findings.length + 1, count: checks.length }));
  };
  await db.query(begin);
  for (const check of checks.filter(({ isOutsideSnapshot }) => !isOutsideSnapshot)) await run(check);
  await db.query('commit');
  for (const check of checks.filter(({ isOutsideSnapshot }) => isOutsideSnapshot)) await run(check);
  return findings;
}

async function runOne(
  db: PoolClient,
  { invariant, run }: BooksCheck,
  { since = null, onProgress, signal, number, count }: AuditOptions & { number: number; count: number },
): Promise<AuditFinding> {
  const finding: AuditFinding = { invariant, checked: 0, firstBreak: null };
  onProgress?.({ invariant, number, count, share: 0 });
  for await (const { checked, firstBreak, share } of run(db, since)) {
    finding.checked += checked;
    finding.firstBreak ??= firstBreak;
    onProgress?.({ invariant, number, count, share });
    signal?.throwIfAborted();
  }
  return finding;
}
