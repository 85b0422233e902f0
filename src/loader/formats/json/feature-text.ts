import { AppError } from '../../../core/errors.js';
import type { SourceBatch, SourceRow } from '../source.js';
import { writeOutDates } from './esri-dates.js';
import { FeatureReader } from './feature-reader.js';
import { FeatureScanner } from './feature-scanner.js';
import { parseFeature } from './parse-feature.js';

/** A text of features that comes in chunks, cut anywhere. Features that the reader knows are read at once; only others are first cut out. */
export class FeatureText {
  private readonly scanner = new FeatureScanner();
  private readonly reader = new FeatureReader();
  private count = 0;

  /** @param dateColumns whose numbers Esri's JSON declares to be dates */
  constructor(private readonly dateColumns: string[]) {}

  /** The features that end within the next chunk, which may change once all of them were asked for. */
  *rows(chunk: Buffer): SourceBatch {
    const { scanner, reader } = this;
    let wasTried = false;
    reader.mayLearn();
    scanner.take(chunk);
    for (let edge = scanner.advance(); edge !== null; edge = scanner.advance()) {
      if (edge === 'end') {
        yield this.read(scanner.feature, wasTried);
        continue;
      }
      const row = reader.readAt(this.count + 1, scanner.bytes, scanner.featureStart);
      wasTried = row === null;
      if (wasTried) continue;
      this.count++;
      scanner.passTo(reader.end);
      yield row!;
    }
  }

  /** @throws AppError when the text ends within a feature */
  end(): void {
    const { scanner, count } = this;
    if (scanner.isOutside) return;
    throw new AppError(
      'invalid_request',
      `The file is cut: it ends within or right after feature ${count + (scanner.featureStart >= 0 ? 1 : 0)}.`,
    );
  }

  private read(text: Buffer, wasTried: boolean): SourceRow {
    const { reader, dateColumns } = this;
    const number = ++this.count;
    const plain = wasTried ? null : reader.read(number, text);
    if (plain) return plain;
    const parsed = parseFeature(number, text);
    if (dateColumns.length > 0) writeOutDates(parsed.properties, dateColumns);
    else if (parsed.fault === null) reader.learn(parsed.properties);
    return parsed;
  }
}
