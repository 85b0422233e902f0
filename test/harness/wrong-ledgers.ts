import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { LedgerExport } from '../../src/proofs/ledger-export.store.js';
import { LedgerExportStore } from '../../src/proofs/ledger-export.store.js';
import { verifyLedger } from '../../src/proofs/verifier/verify-ledger.js';

/** What customers would find wrong in their exported ledgers, of all balances. */
export async function wrongLedgers(pool: Pool): Promise<string[]> {
  const store = new LedgerExportStore(pool);
  const { rows } = await pool.query<{ id: string }>('select id from credit_balance order by id');
  const wrong: string[] = [];
  for (const { id } of rows) {
    const pages: Buffer[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: LedgerExport = (await store.page(null, id, after, 5000))!;
      pages.push(Buffer.from(page.text));
      after = page.next;
    }
    const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
    const { difference } = await verifyLedger(pages, { sha256 });
    if (difference) wrong.push(`ledger of balance ${id}: ${difference}`);
  }
  return wrong;
}
