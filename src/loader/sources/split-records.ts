/** Cuts bytes at a delimiter (a line feed, or the record separator 0x1e of RFC 8142); the last piece may lack it. */
export async function* splitRecords(chunks: AsyncIterable<Buffer>, delimiter: number): AsyncIterable<RecordBatch> {
  let pending: Buffer[] = [];
  for await (const chunk of chunks) {
    const records: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(delimiter); end >= 0; end = chunk.indexOf(delimiter, start)) {
      const piece = chunk.subarray(start, end);
      records.push(pending.length > 0 ? Buffer.concat([...pending, piece]) : piece);
      pending = [];
      start = end + 1;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
    if (records.length > 0) yield { records, isUnended: false };
  }
  if (pending.length > 0) yield { records: [Buffer.concat(pending)], isUnended: true };
}

export interface RecordBatch {
  records: Buffer[];
  /** Whether the file ended before the delimiter of this batch's one record came. */
  isUnended: boolean;
}
