import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseAll, type RawRows, type RawText } from '../raw-rows.js';
import { readEdge, readReusedChunks, withoutByteOrderMark } from '../read-chunks.js';
import type { Source } from '../source.js';
import type { ReadPosition } from '../source-row.js';
import { decodeText } from '../text-encoding.js';
import { esriDateColumns } from './feature-text.js';
import { declaredCrs } from './json-crs.js';
import type { RawRecords } from './raw-records.js';
import { splitRecords } from './split-records.js';

const lineFeed = 0x0a;
const recordSeparator = 0x1e;
const edgeBytes = 1024 * 1024;

/** GeoJSON of any layout: a collection, an array, one feature, one feature per line, consecutive features, RFC 8142 text sequences. */
export async function openGeoJson(path: string): Promise<Source> {
  const head = withoutByteOrderMark(await readEdge(path, edgeBytes, 'head'));
  const tail = await readEdge(path, edgeBytes, 'tail');
  const delimiter = head[0] === recordSeparator ? recordSeparator : isNewlineDelimited(decodeText(head)) ? lineFeed : undefined;
  const dateColumns = delimiter === undefined ? esriDateColumns(decodeText(head), decodeText(tail)) : [];
  const readRaw = (position: ReadPosition): AsyncIterable<RawRows> =>
    delimiter === undefined ? readRawCollection(path, position, dateColumns) : readRawSequence(path, position, delimiter);
  return {
    format: delimiter === undefined ? 'GeoJSON' : 'GeoJSON sequence',
    name: basename(path),
    files: [path],
    byteLength: (await stat(path)).size,
    crs: declaredCrs(head.toString('latin1'), tail.toString('latin1')),
    warnings: /"exceededTransferLimit"\s*:\s*true/.test(head.toString('latin1') + tail.toString('latin1'))
      ? ['The server that exported this file left out features (exceededTransferLimit).']
      : [],
    read: (position) => parseAll(readRaw(position)),
    readRaw,
    close: async () => {},
  };
}

async function* readRawCollection(path: string, position: ReadPosition, dateColumns: string[]): AsyncIterable<RawText> {
  for await (const chunk of readReusedChunks(path, position)) yield { kind: 'text', pieces: [chunk], dateColumns };
  yield { kind: 'text', pieces: [], dateColumns };
}

async function* readRawSequence(path: string, position: ReadPosition, delimiter: number): AsyncIterable<RawRecords> {
  const piece = delimiter === lineFeed ? 'line' : 'record';
  let number = 0;
  for await (const { records, isUnended } of splitRecords(readReusedChunks(path, position), delimiter)) {
    const pieces: Buffer[] = [];
    const numbers: number[] = [];
    for (const { bytes, isOversized } of records) {
      const isRecord = isOversized || !isBlank(bytes);
      // Line numbers are those of an editor. In a text sequence, the piece before the first separator is not a record.
      if (delimiter === lineFeed || isRecord) number++;
      if (!isRecord) continue;
      pieces.push(bytes);
      numbers.push(number);
    }
    if (pieces.length > 0) yield { kind: 'records', pieces, numbers, piece, isUnended };
  }
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
