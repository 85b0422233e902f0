import { maxFeatureBytes } from './feature-scanner.js';
import { PendingBytes } from './pending-bytes.js';

/**
 * Cuts bytes at a delimiter (a line feed, or the record separator 0x1e of RFC 8142); the last piece may lack it. One that is too large
 * comes without its bytes.
 */
export async function* splitRecords(chunks: AsyncIterable<Buffer>, delimiter: number): AsyncIterable<RecordBatch> {
  const pending = new PendingBytes();
  let isOversized = false;
  const take = (rest: Buffer): CutRecord => {
    const record = { bytes: isOversized ? nothing : pending.followedBy(rest), isOversized };
    isOversized = false;
    pending.keep(nothing);
    return record;
  };
  for await (const chunk of chunks) {
    const records: CutRecord[] = [];
    let start = 0;
    for (let end = chunk.indexOf(delimiter); end >= 0; end = chunk.indexOf(delimiter, start)) {
      records.push(take(chunk.subarray(start, end)));
      start = end + 1;
    }
    pending.keep(isOversized ? nothing : pending.followedBy(chunk.subarray(start)));
    if (pending.length > maxFeatureBytes) {
      isOversized = true;
      pending.keep(nothing);
    }
    if (records.length > 0) yield { records, isUnended: false };
  }
  if (pending.length > 0 || isOversized) yield { records: [take(nothing)], isUnended: true };
}

export interface RecordBatch {
  records: CutRecord[];
  /** Whether the file ended before the delimiter of this batch's one record came. */
  isUnended: boolean;
}

export interface CutRecord {
  bytes: Buffer;
  /** Whether it was too large to be kept. */
  isOversized: boolean;
}

const nothing = Buffer.alloc(0);
