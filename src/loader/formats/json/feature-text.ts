import { refusal } from '../../../core/errors.js';
import type { Properties, SourceBatch } from '../source-row.js';
import { FeatureScanner } from './feature-scanner.js';
import { endOfEnvelope } from './json-crs.js';
import type { JsonLayout } from './json-layout.js';
import { parseFeature } from './parse-feature.js';

/** Reads features from chunks of text that may end anywhere. */
export class FeatureText {
  private readonly scanner: FeatureScanner;
  private count = 0;

  /** @param dateColumns columns of numbers that Esri JSON declares as dates */
  constructor(
    private readonly dateColumns: string[],
    layout?: JsonLayout,
  ) {
    this.scanner = new FeatureScanner(layout);
  }

  /** Yields the features that end in this chunk, which may be overwritten once all are consumed. */
  *rows(chunk: Buffer): SourceBatch {
    const { scanner, dateColumns } = this;
    scanner.push(chunk);
    while (scanner.advance()) {
      const parsed = parseFeature(++this.count, scanner.feature);
      if (scanner.memberName !== null) parsed.properties = { id: scanner.memberName, ...parsed.properties };
      if (dateColumns.length > 0) formatEsriDates(parsed.properties, dateColumns);
      yield parsed;
    }
  }

  /** @throws AppError if the text ends within a feature */
  end(): void {
    const { scanner, count } = this;
    if (scanner.isOutside) return;
    throw refusal(`The file is cut: it ends within or right after feature ${count + (scanner.featureStart >= 0 ? 1 : 0)}.`);
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
