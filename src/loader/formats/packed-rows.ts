import { FeatureText } from './json/feature-text.js';
import { type PackedRecords, unpackRecords } from './json/packed-records.js';
import { type PackedShapes, unpackShapes } from './shapefile/packed-shapes.js';
import type { SourceBatch } from './source.js';

/** Rows as the bytes of their file, not parsed: another thread is handed them in a tenth of the time that objects take. */
export type PackedRows = PackedText | PackedRecords | PackedShapes;

/** A chunk of a text of features, cut anywhere. */
export interface PackedText {
  kind: 'text';
  /** None, where the text has ended. */
  pieces: [chunk: Buffer] | [];
  dateColumns: string[];
}

/** Parses the rows of one source, which must come in their order. */
export class Unpacker {
  private text: FeatureText | undefined;

  /** Each row when it is asked for. Those before must have been. @throws AppError when the file ends within them */
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
