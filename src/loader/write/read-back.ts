import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { cursorRows } from '../staging/cursor-rows.js';
import { RecordDigests } from './record-digests.js';

/** What is kept of a release's records beside themselves. */
export interface RecordSums {
  /** Of their texts in their order, each followed by a newline. */
  sha256: Buffer;
  /** See `RecordDigests`. */
  digests: Buffer;
}

/** Sums of records that stand in the database, for who has not seen them all pass. In a transaction. */
export async function readBack(db: ClientBase, releaseId: number): Promise<RecordSums> {
  const hash = createHash('sha256');
  const digests = new RecordDigests();
  const query = 'select record from parcel where release_id = $1 order by ordinal';
  for await (const rows of cursorRows<{ record: string }>(db, query, [releaseId])) {
    for (const { record } of rows) {
      const text = Buffer.from(`${record}\n`);
      hash.update(text);
      digests.add(text);
    }
  }
  return { sha256: hash.digest(), digests: digests.all() };
}
