import { AppError } from '../../../core/errors.js';
import type { SourceBatch, SourceRow } from '../source-row.js';
import { formatEsriDates } from './esri-dates.js';
import { FeatureReader } from './feature-reader.js';
import { FeatureScanner } from './feature-scanner.js';
import { parseFeature } from './parse-feature.js';

/** Reads features from chunks of text that may end anywhere. Only features that the fast path refuses are cut out and parsed. */
export class FeatureText {
  private readonly scanner = new FeatureScanner();
  private readonly reader = new FeatureReader();
  private count = 0;

  /** @param dateColumns columns of numbers that Esri JSON declares as dates */
  constructor(private readonly dateColumns: string[]) {}

  /** Yields the features that end in this chunk, which may be overwritten once all are consumed. */
  *rows(chunk: Buffer): SourceBatch {
    const { scanner, reader } = this;
    let wasTried = false;
    reader.resetLearning();
    scanner.push(chunk);
    for (let edge = scanner.advance(); edge !== null; edge = scanner.advance()) {
      if (edge === 'end') {
        yield this.read(scanner.feature, wasTried);
        continue;
      }
      const row = reader.readAt(this.count + 1, scanner.bytes, scanner.featureStart);
      wasTried = row === null;
      if (wasTried) continue;
      this.count++;
      scanner.skipTo(reader.end);
      yield row!;
    }
  }

  /** @throws AppError if the text ends within a feature */
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
    if (dateColumns.length > 0) formatEsriDates(parsed.properties, dateColumns);
    else if (parsed.fault === null) reader.learn(parsed.properties);
    return parsed;
  }
}
