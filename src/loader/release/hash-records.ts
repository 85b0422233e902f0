import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { cursorRows } from './cursor-rows.js';

/** The SHA-256 of a release's records in their order, each followed by a newline. In a transaction. */
export async function hashRecords(db: ClientBase, releaseId: number): Promise<Buffer> {
  const hash = createHash('sha256');
  const query = 'select record from parcel where release_id = $1 order by ordinal';
  for await (const rows of cursorRows<{ record: string }>(db, query, [releaseId])) {
    hash.update(rows.map(({ record }) => `${record}\n`).join(''));
  }
  return hash.digest();
}
