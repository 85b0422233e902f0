import type { ClientBase } from 'pg';
import { rowsOf } from '../../database/long-reads.js';
import type { RecordRun } from '../../releases/catalogue/current-release.js';
import { digestBytes, readDigests } from '../../releases/record-fields/content-digest.js';
import { RecordDigests } from './record-digests.js';

const recordsAtOnce = 40_000;

/** The digests of consecutive records of a release, of any number. Needs a transaction. */
export async function readAllDigests(
  db: ClientBase,
  { releaseId, first, records }: Pick<RecordRun, 'releaseId' | 'first' | 'records'>,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < records; at += recordsAtOnce) {
    const piece = await readDigests(db, releaseId, first + at, Math.min(recordsAtOnce, records - at));
    if (piece === null)
      return (await recomputeDigests(db, releaseId)).subarray((first - 1) * digestBytes, (first - 1 + records) * digestBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Reads a release's records to compute their digests. Needs a transaction. */
export async function recomputeDigests(db: ClientBase, releaseId: number): Promise<Buffer> {
  const digests = new RecordDigests();
  let ordinal = 0;
  const query = 'select record from parcel where release_id = $1 order by ordinal';
  for await (const rows of rowsOf<{ record: string }>(db, query, [releaseId])) {
    for (const { record } of rows) digests.add(Buffer.from(record), ++ordinal);
  }
  return digests.all();
}
