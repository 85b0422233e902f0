import type { Pool } from 'pg';
import { inclusionRanges, type Range } from '../verifier/verify-ledger.js';
import { type LogProofs, proofFile } from './log-proofs.js';
import { chunkSize, hashLeaf, rootOf } from './tree.js';

/** Proves records, each by the hashes of its release's chunks and the records of its own chunk. */
export class RecordProofs {
  constructor(
    private readonly pool: Pool,
    private readonly log: LogProofs,
  ) {}

  /** A proof of a record in its release, with that of the release in the log. Null: the record is no longer kept, or not logged yet. */
  async of(releaseId: number, ordinal: number): Promise<string | null> {
    const index = ordinal - 1;
    const start = index - (index % chunkSize);
    const { rows: releases } = await this.pool.query<{ records: number; chunks: Buffer }>(
      'select records, chunks from release_root where release_id = $1',
      [releaseId],
    );
    const { rows } = await this.pool.query<{ record: string }>(
      'select record from parcel where release_id = $1 and ordinal > $2 and ordinal <= $3 order by ordinal',
      [releaseId, start, start + chunkSize],
    );
    const [release] = releases;
    const record = rows[index - start]?.record;
    const proofOfRelease = await this.log.ofRelease(releaseId);
    if (!release || record === undefined || !proofOfRelease) return null;
    const hashes = rows.map((row) => hashLeaf(row.record));
    const chunks = Array.from({ length: release.chunks.length / 32 }, (_, n) => release.chunks.subarray(32 * n, 32 * n + 32));
    // Beyond its own chunk, a proof consists of whole ones; the last may be smaller.
    const isOfChunks = (range: Range) => range.start % chunkSize === 0 && (range.end % chunkSize === 0 || range.end === release.records);
    const hashOf = (range: Range) =>
      isOfChunks(range)
        ? rootOf(chunks.slice(range.start / chunkSize, Math.ceil(range.end / chunkSize)))
        : rootOf(hashes.slice(range.start - start, range.end - start));
    return proofFile(record, index, inclusionRanges(index, { start: 0, end: release.records }).map(hashOf), proofOfRelease);
  }
}
