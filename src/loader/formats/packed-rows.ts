import { FeatureText } from './json/feature-text.js';
import { type PackedRecords, unpackRecords } from './json/packed-records.js';
import { type PackedShapes, unpackShapes } from './shapefile/packed-shapes.js';
import type { SourceBatch } from './source-row.js';

/** Unparsed rows, as bytes of their file. Passing bytes to another thread takes a tenth of the time of passing objects. */
export type PackedRows = PackedText | PackedRecords | PackedShapes;

/** A chunk of feature text, which may start or end anywhere. */
export interface PackedText {
  kind: 'text';
  /** Empty at the end of the text. */
  pieces: [chunk: Buffer] | [];
  dateColumns: string[];
}

/** Parses the packed rows of one source, which must arrive in file order. */
export class Unpacker {
  private text: FeatureText | undefined;

  /** Parses lazily; consume all rows before the next call. @throws AppError if the file ends within a row */
  rows(packed: PackedRows): SourceBatch {
    switch (packed.kind) {
      case 'text':
        return this.textRows(packed);
      case 'records':
        return unpackRecords(packed);
      case 'shapes':
        return unpackShapes(packed);
    }
  }

  private *textRows({ pieces: [chunk], dateColumns }: PackedText): SourceBatch {
    this.text ??= new FeatureText(dateColumns);
    if (chunk) yield* this.text.rows(chunk);
    else this.text.end();
  }
}

export async function* unpackAll(batches: AsyncIterable<PackedRows>): AsyncIterable<SourceBatch> {
  const unpacker = new Unpacker();
  for await (const packed of batches) yield unpacker.rows(packed);
}
