import { refusal } from '../../../core/errors.js';
import { readEdge, readReusedChunks, withoutByteOrderMark } from '../read-chunks.js';
import { fileSource, type Source } from '../source.js';
import { brokenRow, type Properties, type ReadPosition, type SourceBatch } from '../source-row.js';
import { decodeText } from '../text-encoding.js';
import { FeatureScanner } from './feature-scanner.js';
import { declaredCrs, endOfEnvelope } from './json-crs.js';
import { type JsonLayout, layoutOf, plainLayout } from './json-layout.js';
import { parseFeature } from './parse-feature.js';
import { type RecordBatch, splitRecords } from './split-records.js';

const lineFeed = 0x0a;
const recordSeparator = 0x1e;
const edgeBytes = 1024 * 1024;

/** GeoJSON of any layout: a collection, an array, one feature, one feature per line, consecutive features, RFC 8142 text sequences. */
export async function openGeoJson(path: string): Promise<Source> {
  const head = withoutByteOrderMark(await readEdge(path, edgeBytes, 'head'));
  const tail = await readEdge(path, edgeBytes, 'tail');
  const [first, last] = [decodeText(head), decodeText(tail)];
  const layout = layoutOf(first);
  const isByLine = layout === plainLayout && isNewlineDelimited(first);
  const delimiter = head[0] === recordSeparator ? recordSeparator : isByLine ? lineFeed : undefined;
  const dateColumns = delimiter === undefined ? esriDateColumns(first, last) : [];
  return fileSource(path, {
    format: delimiter === undefined ? 'GeoJSON' : 'GeoJSON sequence',
    crs: declaredCrs(first, last),
    wholeRows: wholeRowsOf(first, last),
    read: (position) =>
      delimiter === undefined ? readCollection(path, position, dateColumns, layout) : readSequence(path, position, delimiter),
  });
}

/** Reads the members around the features, before or after them. */
function wholeRowsOf(head: string, tail: string): number {
  if (/"exceededTransferLimit"\s*:\s*true/.test(head + tail)) return Number.POSITIVE_INFINITY;
  const around = head.slice(0, endOfEnvelope(head)) + tail.slice(tail.lastIndexOf(']'));
  return Number(/"(?:numberMatched|totalFeatures)"\s*:\s*(\d+)/.exec(around)?.[1] ?? 0);
}

async function* readCollection(path: string, position: ReadPosition, dates: string[], layout: JsonLayout): AsyncIterable<SourceBatch> {
  const scanner = new FeatureScanner(layout);
  let count = 0;
  const rowsIn = function* (chunk: Buffer): SourceBatch {
    scanner.push(chunk);
    while (scanner.advance()) {
      const parsed = parseFeature(++count, scanner.feature);
      if (scanner.memberName !== null) parsed.properties = { id: scanner.memberName, ...parsed.properties };
      formatEsriDates(parsed.properties, dates);
      yield parsed;
    }
  };
  for await (const chunk of readReusedChunks(path, position)) yield rowsIn(chunk);
  if (!scanner.isOutside)
    throw refusal(`The file is cut: it ends within or right after feature ${count + (scanner.featureStart >= 0 ? 1 : 0)}.`);
}

/** The columns that Esri JSON declares as dates, before or after its features. */
function esriDateColumns(head: string, tail: string): string[] {
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

async function* readSequence(path: string, position: ReadPosition, delimiter: number): AsyncIterable<SourceBatch> {
  let number = 0;
  const rowsOf = function* ({ records, isUnended }: RecordBatch): SourceBatch {
    for (const { bytes, isOversized } of records) {
      const isRecord = isOversized || !isBlank(bytes);
      // Line numbers are those of an editor. In a text sequence, the piece before the first separator is not a record.
      if (delimiter === lineFeed || isRecord) number++;
      if (!isRecord) continue;
      const parsed = parseFeature(number, bytes);
      if (parsed.fault !== null && isUnended && bytes.length > 0 && !bytes.toString('latin1').trimEnd().endsWith('}')) {
        const piece = delimiter === lineFeed ? 'line' : 'record';
        throw refusal(`The file is cut: it ends within ${piece} ${number}.`);
      }
      const isEnvelope = parsed.properties.type === 'FeatureCollection';
      yield isEnvelope ? brokenRow(number, 'A collection within a sequence of features', bytes.toString('latin1')) : parsed;
    }
  };
  for await (const batch of splitRecords(readReusedChunks(path, position), delimiter)) yield rowsOf(batch);
}

function isBlank(record: Buffer): boolean {
  return record.length < 100 && record.toString('latin1').trim() === '';
}

/** Whether the first or the second line is one whole feature (either may be broken). */
function isNewlineDelimited(head: string): boolean {
  const [first = '', second = ''] = head.split('\n', 2).map((line) => line.trim());
  if (!head.includes('\n')) return false;
  return isOneFeature(first) || (/"type"\s*:\s*"Feature"/.test(first) && isOneFeature(second));
}

function isOneFeature(line: string): boolean {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !('features' in value);
  } catch {
    return false;
  }
}
