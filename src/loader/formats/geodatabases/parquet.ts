import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { AppError } from '../../../core/errors.js';
import { ListedRow, namedValues } from '../columnar-row.js';
import { parseWkb } from '../shapes/wkb.js';
import {
  brokenRow,
  type FlatRing,
  type Properties,
  type ReadPosition,
  rowsPerBatch,
  type Source,
  type SourceBatch,
  type SourceGeometry,
  type SourceRow,
} from '../source.js';

// The rows of a group are read together: a column's values are compressed over all of them.
const maxGroupBytes = 2 * 1024 ** 3;

/** The column of shapes as GeoParquet describes it. */
interface GeoColumn {
  name: string;
  encoding: string;
  crs: string | null;
}

/** Parquet: with shapes as GeoParquet has them (WKB, or the native encodings of points and polygons), or a table without. */
export async function openParquet(path: string): Promise<Source> {
  const name = basename(path);
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file, { geoparquet: false });
    const largest = Math.max(0, ...metadata.row_groups.map(({ total_byte_size: bytes }) => Number(bytes)));
    if (largest > maxGroupBytes)
      throw new AppError('invalid_request', `${name} has groups of rows of more than 2 GB: write it again with smaller row groups.`);
    const geo = geoColumn(metadata);
    return {
      format: 'Parquet',
      name,
      files: [path],
      byteLength: file.byteLength,
      crs: geo?.crs ?? null,
      warnings: [],
      read: (position) => readGroups(path, metadata, geo, position),
      close: async () => {},
    };
  } catch (error) {
    throw damaged(name, error);
  }
}

function damaged(name: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('invalid_request', `${name} is cut or damaged: ${(error as Error).message}.`, { cause: error });
}

function geoColumn({ key_value_metadata: pairs, schema }: FileMetaData): GeoColumn | null {
  const text = pairs?.find(({ key }) => key === 'geo')?.value;
  if (text) {
    const { primary_column: name, columns } = JSON.parse(text);
    const { encoding, crs } = columns[name];
    return { name, encoding: String(encoding).toLowerCase(), crs: crs ? crsOf(crs) : null };
  }
  // Since version 2.11 Parquet itself has a type of shapes.
  const typed = schema.find(({ logical_type: type }) => type?.type === 'GEOMETRY' || type?.type === 'GEOGRAPHY');
  const stated = (typed?.logical_type as { crs?: string } | undefined)?.crs;
  return typed ? { name: typed.name, encoding: 'wkb', crs: stated ?? null } : null;
}

/** PROJJSON names most systems by a code. */
function crsOf(projJson: { id?: { authority: string; code: number | string } }): string {
  return projJson.id ? `${projJson.id.authority}:${projJson.id.code}` : JSON.stringify(projJson);
}

async function* readGroups(
  path: string,
  metadata: FileMetaData,
  geo: GeoColumn | null,
  position: ReadPosition,
): AsyncIterable<SourceBatch> {
  const file = await asyncBufferFromFile(path);
  const columns = plainColumns(metadata).filter((name) => name !== geo?.name);
  const wanted = geo ? [...columns, geo.name] : columns;
  const options = { file, metadata, columns: wanted, compressors, parsers, geoparquet: false, utf8: false };
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const found: Properties[] = await parquetReadObjects({ ...options, rowStart, rowEnd }).catch((error) => {
      throw damaged(basename(path), error);
    });
    for (let i = 0; i < found.length; i += rowsPerBatch) {
      const batch = found.slice(i, i + rowsPerBatch);
      position.bytesRead += (batch.length * file.byteLength) / Number(metadata.num_rows);
      yield batch.map((values, j) => toRow(rowStart + i + j + 1, values, columns, geo));
    }
    rowStart = rowEnd;
  }
}

/** The columns of values; not those of structures, such as the bounding boxes beside shapes. */
function plainColumns({ schema }: FileMetaData): string[] {
  const names: string[] = [];
  let inner = 0;
  for (const { name, num_children: children = 0 } of schema.slice(1)) {
    if (inner === 0 && children === 0) names.push(name);
    inner = Math.max(0, inner - 1) + children;
  }
  return names;
}

/** Null for what no calendar has, as the largest number by which databases write infinity. */
function timeOf(milliseconds: number): string | null {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

const parsers = {
  dateFromDays: (days: number) => timeOf(days * 86_400_000)?.slice(0, 10) ?? null,
  timestampFromMilliseconds: (time: bigint) => timeOf(Number(time)),
  timestampFromMicroseconds: (time: bigint) => timeOf(Number(time / 1000n)),
  timestampFromNanoseconds: (time: bigint) => timeOf(Number(time / 1_000_000n)),
  geometryFromBytes: (bytes: Uint8Array) => bytes,
  geographyFromBytes: (bytes: Uint8Array) => bytes,
};

function toRow(number: number, values: Properties, columns: string[], geo: GeoColumn | null): SourceRow {
  const cells = { columns, values: columns.map((column) => plainValue(values[column])) };
  const shape = geo && values[geo.name];
  if (shape === null || shape === undefined) return new ListedRow(number, cells, null);
  try {
    return new ListedRow(number, cells, shape instanceof Uint8Array ? parseWkb(shape).geometry : nativeGeometry(shape, geo!.encoding));
  } catch (error) {
    return brokenRow(number, `The geometry can't be read: ${(error as Error).message}`, JSON.stringify(namedValues(cells)));
  }
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return isUtf8(value) ? Buffer.from(value).toString() : null;
  return value ?? null;
}

interface Position {
  x: number;
  y: number;
}

const flatRing = (ring: Position[]): FlatRing => ring.flatMap(({ x, y }) => [x, y]);

/** GeoArrow's arrays of positions. */
function nativeGeometry(shape: unknown, encoding: string): SourceGeometry | null {
  switch (encoding) {
    case 'point':
      return { type: 'Point', coordinates: flatRing([shape as Position]) };
    case 'multipoint':
      return { type: 'MultiPoint', coordinates: flatRing(shape as Position[]) };
    case 'polygon':
      return { type: 'Polygon', coordinates: (shape as Position[][]).map(flatRing) };
    case 'multipolygon':
      return { type: 'MultiPolygon', coordinates: (shape as Position[][][]).map((polygon) => polygon.map(flatRing)) };
    default:
      return null;
  }
}
