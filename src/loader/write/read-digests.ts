import type { ClientBase } from 'pg';
import type { RecordRun } from '../../releases/catalogue/current-records.js';
import { readBack } from './read-back.js';
import { digestBytes } from './record-digests.js';

const bytesAtOnce = 1024 * 1024;

/** The digests of records that follow each other in a release. In a transaction. */
export async function readDigests(
  db: ClientBase,
  { releaseId, first, records }: Pick<RecordRun, 'releaseId' | 'first' | 'records'>,
): Promise<Buffer> {
  const start = (first - 1) * digestBytes;
  const digests = Buffer.alloc(records * digestBytes);
  for (let at = 0; at < digests.length; at += bytesAtOnce) {
    const { rows } = await db.query<{ piece: Buffer | null }>(
      'select substring(record_digests from $2 for $3) as piece from parcel_release where id = $1',
      [releaseId, start + at + 1, Math.min(bytesAtOnce, digests.length - at)],
    );
    const { piece } = rows[0]!;
    if (piece === null) return (await readBack(db, releaseId)).digests.subarray(start, start + digests.length);
    piece.copy(digests, at);
  }
  return digests;
}
