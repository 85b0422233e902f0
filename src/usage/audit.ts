import type { Pool, QueryConfig } from 'pg';
import { inTransaction } from '../database/transaction.js';
import { AppError } from '../errors.js';

/** What the audit found: one line an invariant, with the first break if it does not hold. */
export interface Finding {
  invariant: string;
  checked: number;
  firstBreak: string | null;
}

/** The check that reads every entry. */
export const chainInvariant = 'the hash chain of every balance replays to its head';

// pg takes 0 for "as the pool says", which is what a request may take.
const maxCheckMs = 6 * 60 * 60 * 1000;

export interface AuditCheck {
  invariant: string;
  /** Rows checked, and a sentence for the first that breaks the invariant. */
  sql: string;
}

/**
 * Checks every invariant of the books on a running system, all in one snapshot: what each room says must hold of its tables.
 * @throws AppError conflict while another audit runs: each reads the whole ledger
 */
export async function audit(pool: Pool, checks: AuditCheck[]): Promise<Finding[]> {
  return inTransaction(pool, async (tx) => {
    // One snapshot for all of them; a whole ledger takes longer than a request may.
    await tx.query('set transaction isolation level repeatable read read only');
    await tx.query('set local statement_timeout = 0');
    const { rows: lock } = await tx.query<{ locked: boolean }>(`select pg_try_advisory_xact_lock(hashtext('audit')) as locked`);
    if (!lock[0]!.locked) throw new AppError('conflict', 'An audit is running already. Wait for it to end.');
    const findings: Finding[] = [];
    for (const { invariant, sql } of checks) {
      const { rows } = await tx.query<{ checked: number; first_break: string | null }>({
        text: sql,
        query_timeout: maxCheckMs,
      } as QueryConfig);
      findings.push({ invariant, checked: rows[0]!.checked, firstBreak: rows[0]!.first_break });
    }
    return findings;
  });
}
