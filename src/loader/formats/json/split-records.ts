import { maxFeatureBytes } from './feature-scanner.js';
import { PendingBytes } from './pending-bytes.js';

/**
 * Splits bytes at a delimiter (a line feed, or the record separator 0x1e of RFC 8142), which the last record may lack. A record that is
 * too large comes without its bytes.
 */
export async function* splitRecords(chunks: AsyncIterable<Buffer>, delimiter: number): AsyncIterable<RecordBatch> {
  const pending = new PendingBytes();
  let isOversized = false;
  const complete = (rest: Buffer): CutRecord => {
    const record = { bytes: isOversized ? nothing : pending.followedBy(rest), isOversized };
    isOversized = false;
    pending.keep(nothing);
    return record;
  };
  for await (const chunk of chunks) {
    const records: CutRecord[] = [];
    let start = 0;
    for (let end = chunk.indexOf(delimiter); end >= 0; end = chunk.indexOf(delimiter, start)) {
      records.push(complete(chunk.subarray(start, end)));
      start = end + 1;
    }
    pending.keep(isOversized ? nothing : pending.followedBy(chunk.subarray(start)));
    if (pending.length > maxFeatureBytes) {
      isOversized = true;
      pending.keep(nothing);
    }
    if (records.length > 0) yield { records, isUnended: false };
  }
  if (pending.length > 0 || isOversized) yield { records: [complete(nothing)], isUnended: true };
}

export interface RecordBatch {
  records: CutRecord[];
  /** Whether the file ended without the last delimiter; the batch then has one record. */
  isUnended: boolean;
}

export interface CutRecord {
  bytes: Buffer;
  /** Whether the record was too large to keep. */
  isOversized: boolean;
}

const nothing = Buffer.alloc(0);
