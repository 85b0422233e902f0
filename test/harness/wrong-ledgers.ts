import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { type LedgerExport, LedgerExportStore } from '../../src/proofs/ledger-export.store.js';
import { verifyLedger } from '../../src/proofs/verifier/verify-ledger.js';

/** All pages of a balance, short ones unless it is told otherwise, so that much happens at their ends. */
export async function fileOf(store: LedgerExportStore, balanceId: string, pageSize = 7): Promise<string> {
  let file = '';
  for (let after: number | null = 0; after !== null; ) {
    const page: LedgerExport = (await store.page(null, balanceId, after, pageSize))!;
    file += page.text;
    after = page.next;
  }
  return file;
}

/** The faults that customers would find in their exported ledgers, of all balances. */
export async function wrongLedgers(pool: Pool): Promise<string[]> {
  const store = new LedgerExportStore(pool);
  const { rows } = await pool.query<{ id: string }>('select id from credit_balance order by id');
  const wrong: string[] = [];
  for (const { id } of rows) {
    const file = await fileOf(store, id, 5000);
    const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
    const { difference } = await verifyLedger([Buffer.from(file)], { sha256 });
    if (difference) wrong.push(`ledger of balance ${id}: ${difference}`);
  }
  return wrong;
}
