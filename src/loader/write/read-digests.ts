import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { RecordRun } from '../../releases/catalogue/current-release.js';
import type { RecordSums } from '../../releases/lifecycle/release.store.js';
import { digestBytes } from '../../releases/record-fields/content-digest.js';
import { cursorRows } from '../staging/load-connection.js';
import { RecordDigests } from './record-digests.js';

const bytesAtOnce = 1024 * 1024;

/** The digests of consecutive records of a release. Needs a transaction. */
export async function readDigests(
  db: ClientBase,
  { releaseId, first, records }: Pick<RecordRun, 'releaseId' | 'first' | 'records'>,
): Promise<Buffer> {
  const start = (first - 1) * digestBytes;
  const digests = Buffer.alloc(records * digestBytes);
  for (let at = 0; at < digests.length; at += bytesAtOnce) {
    const { rows } = await db.query<{ piece: Buffer | null }>(
      'select substring(content_digests from $2 for $3) as piece from parcel_release where id = $1',
      [releaseId, start + at + 1, Math.min(bytesAtOnce, digests.length - at)],
    );
    const { piece } = rows[0]!;
    if (piece === null) return (await recomputeSums(db, releaseId)).digests.subarray(start, start + digests.length);
    piece.copy(digests, at);
  }
  return digests;
}

/** Reads a release's records to compute their sums. Needs a transaction. */
export async function recomputeSums(db: ClientBase, releaseId: number): Promise<RecordSums> {
  const hash = createHash('sha256');
  const digests = new RecordDigests();
  let ordinal = 0;
  const query = 'select record from parcel where release_id = $1 order by ordinal';
  for await (const rows of cursorRows<{ record: string }>(db, query, [releaseId])) {
    for (const { record } of rows) {
      hash.update(`${record}\n`);
      digests.add(Buffer.from(record), ++ordinal);
    }
  }
  return { sha256: hash.digest(), digests: digests.all() };
}
