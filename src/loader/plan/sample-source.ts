import { findColumn } from '../columns/map-options.js';
import type { Source, SourceFormat } from '../formats/source.js';
import type { SourceGeometry, SourceRow } from '../formats/source-row.js';
import { ColumnNames } from './column-names.js';
import type { RowFilter } from './where.js';

const sampleRows = 1000;
const sampledNumbers = 10_000;

export interface SourceSample {
  /** The first rows of the file. */
  seen: SourceRow[];
  /** The first rows of the file that pass the filter. */
  kept: SourceRow[];
  /** The number of rows in the file, estimated from the sample's share of its bytes. */
  rowEstimate: number;
}

/** Reads a file until enough rows pass the filter. */
export async function sampleSource(source: Source, filter: RowFilter): Promise<SourceSample> {
  const position = { bytesRead: 0 };
  const seen: SourceRow[] = [];
  const kept: SourceRow[] = [];
  let rowCount = 0;
  let isWhole = true;
  for await (const rows of source.read(position)) {
    for (const original of rows) {
      rowCount++;
      // A copy: if the rows themselves lived on, V8 would allocate all later rows in its old generation, too, where only a full
      // collection frees them (5 µs a row, and 100 MB).
      const row = structuredClone(plainRow(original));
      if (seen.length < sampleRows) seen.push(row);
      if (kept.length < sampleRows && filter(row)) kept.push(row);
    }
    if (kept.length >= sampleRows) {
      isWhole = false;
      break;
    }
  }
  const estimate = position.bytesRead > 0 ? Math.round((rowCount * source.byteLength) / position.bytesRead) : rowCount;
  return { seen, kept, rowEstimate: isWhole ? rowCount : estimate };
}

// In other formats all rows have the first row's columns.
const formatsOfFeatures = new Set<SourceFormat>(['GeoJSON', 'GeoJSON sequence', 'KML', 'GML']);

/** The first rows that have the given columns, however far down in the file. */
export async function rowsWithColumns(source: Source, filter: RowFilter, columns: string[]): Promise<SourceRow[]> {
  const found: SourceRow[] = [];
  let missing = columns;
  if (missing.length === 0 || !formatsOfFeatures.has(source.format)) return found;
  for await (const rows of source.read({ bytesRead: 0 })) {
    for (const row of rows) {
      if (row.fault !== null || !filter(row)) continue;
      const names = Object.keys(row.properties);
      const left = missing.filter((column) => !findColumn(column, names));
      if (left.length === missing.length) continue;
      missing = left;
      found.push(structuredClone(plainRow(row)));
    }
    if (missing.length === 0) break;
  }
  return found;
}

function plainRow({ number, properties, geometry, fault }: SourceRow): SourceRow {
  return { number, properties, cells: null, geometry: geometry && shortShape(geometry), fault };
}

/** Replaces a very long shape by its first position: a thousand such shapes would not fit into memory. */
function shortShape(geometry: SourceGeometry): SourceGeometry | null {
  if (!hasMoreNumbers(geometry, sampledNumbers)) return geometry;
  const coordinates = firstPosition(geometry);
  return coordinates && { type: 'Point', coordinates };
}

/** The samples of a load's files, with one spelling of each column name. */
export function unifyColumnSpelling(samples: SourceSample[]): SourceSample[] {
  const names = ColumnNames.of(samples.flatMap(({ seen, kept }) => [...seen, ...kept]));
  const named = (rows: SourceRow[]) => rows.map((row) => names.of(row));
  return samples.map((sample) => ({ ...sample, seen: named(sample.seen), kept: named(sample.kept) }));
}

/** The first position of a shape in the file's own coordinates, or null. */
export function firstPosition({ coordinates, geometries }: SourceGeometry): [x: number, y: number] | null {
  let value: unknown = coordinates ?? geometries?.[0]?.coordinates;
  while (Array.isArray(value) && Array.isArray(value[0])) value = value[0];
  return Array.isArray(value) && Number.isFinite(value[0]) && Number.isFinite(value[1]) ? [value[0], value[1]] : null;
}

/** Whether a shape has more than `bound` coordinate numbers. */
function hasMoreNumbers({ coordinates, geometries }: SourceGeometry, bound: number): boolean {
  const rest = geometries ? geometries.reduce((left, member) => left - numbersIn(member.coordinates), bound) : bound;
  return numbersIn(coordinates) > rest;
}

function numbersIn(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  return Array.isArray(value[0]) ? value.reduce((sum, item) => sum + numbersIn(item), 0) : value.length;
}
