import { AppError } from '../../../core/errors.js';
import type { Properties, SourceBatch, SourceRow } from '../source-row.js';
import { FeatureReader } from './feature-reader.js';
import { FeatureScanner } from './feature-scanner.js';
import { endOfEnvelope } from './json-crs.js';
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

/** The columns that Esri JSON declares as dates, before or after its features. */
export function esriDateColumns(head: string, tail: string): string[] {
  const declared = head.slice(0, endOfEnvelope(head)) + tail.slice(tail.lastIndexOf('"fields"'));
  const fields = declared.match(/\{[^{}]*"type"\s*:\s*"esriFieldTypeDate"[^{}]*/g) ?? [];
  return fields.flatMap((field) => /"name"\s*:\s*"([^"]*)"/.exec(field)?.[1] ?? []);
}

/** Turns milliseconds since 1970 into ISO dates. Without the declaration, milliseconds of the 1970s would look like seconds. */
function formatEsriDates(properties: Properties, columns: string[]): void {
  for (const column of columns) {
    const value = properties[column];
    const date = new Date(typeof value === 'number' ? value : Number.NaN);
    if (!Number.isNaN(date.getTime())) properties[column] = date.toISOString();
  }
}
