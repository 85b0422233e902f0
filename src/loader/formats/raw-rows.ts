import { FeatureText } from './json/feature-text.js';
import { parseRawRecords, type RawRecords } from './json/raw-records.js';
import { parseRawShapes, type RawShapes } from './shapefile/raw-shapes.js';
import type { SourceBatch } from './source-row.js';

/** Unparsed rows, as bytes of their file. Passing bytes to another thread takes a tenth of the time of passing objects. */
export type RawRows = RawText | RawRecords | RawShapes;

/** A chunk of feature text, which may start or end anywhere. */
export interface RawText {
  kind: 'text';
  /** Empty at the end of the text. */
  pieces: [chunk: Buffer] | [];
  dateColumns: string[];
}

/** Parses the raw rows of one source, which must arrive in file order. */
export class RawRowParser {
  private text: FeatureText | undefined;

  /** Parses lazily; consume all rows before the next call. @throws AppError if the file ends within a row */
  rows(raw: RawRows): SourceBatch {
    switch (raw.kind) {
      case 'text':
        return this.textRows(raw);
      case 'records':
        return parseRawRecords(raw);
      case 'shapes':
        return parseRawShapes(raw);
    }
  }

  private *textRows({ pieces: [chunk], dateColumns }: RawText): SourceBatch {
    this.text ??= new FeatureText(dateColumns);
    if (chunk) yield* this.text.rows(chunk);
    else this.text.end();
  }
}

export async function* parseAll(batches: AsyncIterable<RawRows>): AsyncIterable<SourceBatch> {
  const parser = new RawRowParser();
  for await (const raw of batches) yield parser.rows(raw);
}
