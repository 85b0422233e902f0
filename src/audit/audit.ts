import type { Pool, PoolClient } from 'pg';
import { AppError } from '../core/errors.js';
import { type AuditFinding, ask, type BooksCheck } from '../database/books-check.js';

export interface AuditOptions {
  /** Of entries written before, only what later ones build on is looked at; null: the whole ledger. */
  since?: Date | null;
  onProgress?(progress: AuditProgress): void;
  signal?: AbortSignal;
}

export interface AuditProgress {
  invariant: string;
  /** Which check of how many, from 1. */
  number: number;
  count: number;
  /** How much of it is done, up to 1. */
  share: number;
}

const begin = `begin; set transaction isolation level repeatable read read only; set local statement_timeout = 0`;

/**
 * Checks every invariant of the books on a running system, in one snapshot: what each room says must hold of its tables. What
 * never changes comes after it, so that the snapshot does not keep Postgres from cleaning up behind busy balances for hours.
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
    // Closed, it ends what it was in the middle of, and its lock.
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
