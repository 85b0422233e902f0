import type { SourceRow } from '../formats/source-row.js';
import type { AttributesWriter } from '../records/attributes.js';
import { ByteWriter } from '../records/byte-writer.js';
import type { ParcelRecord, RecordBuilder, Rejection } from '../records/record.js';
import { beginRow, endText } from './parcel-rows.js';

const batchBytes = 64 * 1024;

/** Finished records of consecutive rows. */
export interface BuiltBatch {
  rejected: RejectedRow[];
  /** Rows for the COPY (see `beginRow`), without ordinals, with the ids that records have if their parcel number is unique. */
  rows: Buffer;
  /** The unmapped columns of each record, a line of JSON each; null if they are not kept. */
  attributes: Buffer | null;
}

export interface RejectedRow {
  row: Pick<SourceRow, 'number' | 'properties'>;
  rejection: Rejection;
  /** The index of its source in the plan. */
  source: number;
}

/** Collects records in reused buffers. Nothing in them depends on other rows; `ParcelCopy` adds what does. */
export class BatchWriter {
  rejected: RejectedRow[] = [];
  private readonly rows = new ByteWriter();
  private readonly lines = new ByteWriter();
  private isTaken = false;

  constructor(
    private readonly releaseId: number,
    private readonly attributes: AttributesWriter | null,
  ) {}

  get isFull(): boolean {
    return !this.isTaken && this.rows.length >= batchBytes;
  }

  /** @param builder built the record last */
  add(record: ParcelRecord, row: SourceRow, builder: RecordBuilder): void {
    this.begin();
    const textStart = beginRow(this.rows, this.releaseId, record.apn);
    builder.write(record, this.rows);
    endText(this.rows, textStart);
    if (this.attributes === null) return;
    this.attributes.write(row, this.lines);
    this.lines.ascii('\n');
  }

  /** The records since the last call. The next `add` overwrites their bytes. */
  take(): BuiltBatch {
    this.begin();
    this.isTaken = true;
    const { rejected } = this;
    this.rejected = [];
    return { rejected, rows: this.rows.written(), attributes: this.attributes && this.lines.written() };
  }

  private begin(): void {
    if (!this.isTaken) return;
    this.isTaken = false;
    this.rows.length = 0;
    this.lines.length = 0;
  }
}
