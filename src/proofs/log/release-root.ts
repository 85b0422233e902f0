import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { rowsOf } from '../../database/long-reads.js';
import { chunkSize, hashLeaf, rootOf } from './tree.js';

/** The Merkle tree over a release's records, and a hash of its attributes. */
export interface ReleaseRoot {
  records: number;
  root: Buffer;
  /** The hashes of its subtrees of 256 records. */
  chunks: Buffer[];
  attributesSha256: Buffer;
  /** Whether its records have the numbers from 1 on. */
  isNumbered: boolean;
}

// A record with a long boundary takes a few hundred kilobytes.
const fetchedAtOnce = 2 * chunkSize;

/**
 * Hashes what a release sells. Must run in a transaction.
 * @param onRecords called with the number of records that were hashed
 */
export async function hashRelease(db: ClientBase, releaseId: number, onRecords: (count: number) => void): Promise<ReleaseRoot> {
  const chunks: Buffer[] = [];
  let open: Buffer[] = [];
  let [records, isNumbered] = [0, true];
  const texts = 'select ordinal, record from parcel where release_id = $1 order by ordinal';
  for await (const rows of rowsOf<{ ordinal: number; record: string }>(db, texts, [releaseId], fetchedAtOnce)) {
    for (const { ordinal, record } of rows) {
      records += 1;
      isNumbered &&= ordinal === records;
      open.push(hashLeaf(record));
      if (open.length < chunkSize) continue;
      chunks.push(rootOf(open));
      open = [];
    }
    onRecords(rows.length);
  }
  if (open.length > 0) chunks.push(rootOf(open));
  const attributes = createHash('sha256');
  const runs = `select concat(first_ordinal, ' ', last_ordinal, ' ', attributes, chr(10)) as line from parcel_attributes
                 where release_id = $1 order by first_ordinal`;
  for await (const rows of rowsOf<{ line: string }>(db, runs, [releaseId], fetchedAtOnce)) {
    for (const { line } of rows) attributes.update(line);
  }
  return { records, root: rootOf(chunks), chunks, attributesSha256: attributes.digest(), isNumbered };
}
