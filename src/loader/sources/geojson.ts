import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError } from '../../errors.js';
import { declaredCrs } from './json-crs.js';
import { parseFeature } from './parse-feature.js';
import { readChunks, readEdge, withoutByteOrderMark } from './read-chunks.js';
import { brokenRow, type ReadPosition, type Source, type SourceBatch, type SourceRow } from './source.js';
import { splitFeatures } from './split-features.js';
import { type RecordBatch, splitRecords } from './split-records.js';
import { decodeText } from './text-encoding.js';

const lineFeed = 0x0a;
const recordSeparator = 0x1e;
const edgeBytes = 1024 * 1024;

/** GeoJSON of any layout: a collection, an array, one feature, a feature a line, features in a row, RFC 8142 text sequences. */
export async function openGeoJson(path: string): Promise<Source> {
  const head = withoutByteOrderMark(await readEdge(path, edgeBytes, 'head'));
  const tail = await readEdge(path, edgeBytes, 'tail');
  const delimiter = head[0] === recordSeparator ? recordSeparator : isFeatureALine(decodeText(head)) ? lineFeed : undefined;
  return {
    format: delimiter === undefined ? 'GeoJSON' : 'GeoJSON sequence',
    name: basename(path),
    files: [path],
    byteLength: (await stat(path)).size,
    crs: declaredCrs(head.toString('latin1'), tail.toString('latin1')),
    warnings: /"exceededTransferLimit"\s*:\s*true/.test(head.toString('latin1') + tail.toString('latin1'))
      ? ['The server that gave this file says it did not give all features (exceededTransferLimit).']
      : [],
    read: (position) => (delimiter === undefined ? readFeatures(path, position) : readSequence(path, position, delimiter)),
    close: async () => {},
  };
}

async function* readFeatures(path: string, position: ReadPosition): AsyncIterable<SourceBatch> {
  let number = 0;
  const parse = function* (features: Buffer[]) {
    for (const bytes of features) yield parseFeature(++number, bytes);
  };
  for await (const features of splitFeatures(readChunks(path, position))) yield parse(features);
}

async function* readSequence(path: string, position: ReadPosition, delimiter: number): AsyncIterable<SourceBatch> {
  let number = 0;
  const parse = function* ({ records, isUnended }: RecordBatch) {
    for (const { bytes, isOversized } of records) {
      const isRecord = isOversized || !isBlank(bytes);
      // Lines are numbered as an editor does; in a text sequence the piece before the first separator is no record.
      if (delimiter === lineFeed || isRecord) number++;
      if (!isRecord) continue;
      const parsed = parseFeature(number, bytes);
      if (parsed.fault && isUnended && !isOversized && !bytes.toString('latin1').trimEnd().endsWith('}')) {
        throw new AppError('invalid_request', `The file is cut: it ends within ${delimiter === lineFeed ? 'line' : 'record'} ${number}.`);
      }
      yield isEnvelope(parsed) ? brokenRow(number, 'A collection within a sequence of features', bytes.toString('latin1')) : parsed;
    }
  };
  for await (const batch of splitRecords(readChunks(path, position), delimiter)) yield parse(batch);
}

function isEnvelope({ properties }: SourceRow): boolean {
  return properties.type === 'FeatureCollection';
}

function isBlank(record: Buffer): boolean {
  return record.length < 100 && record.toString('latin1').trim() === '';
}

/** Whether the first or the second line is one feature of its own (either may be a broken one). */
function isFeatureALine(head: string): boolean {
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
