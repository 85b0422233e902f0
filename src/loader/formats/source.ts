import type { PackedRows } from './packed-rows.js';

/** One row of a county's file: its attributes by column name, and its shape in the file's own coordinates. */
export interface SourceRow {
  /** Line or feature number within the file, counted from 1, as an operator would look it up. */
  number: number;
  properties: Properties;
  /** The same as a list, where the rows around it have the same columns; null: there is none. */
  cells: Cells | null;
  geometry: SourceGeometry | null;
  /** Why the row can't be read at all; its text is then `properties.text`. */
  fault: string | null;
}

export type Properties = Record<string, unknown>;

/** Values in the order of their columns, which rows share: to find a value by its name in each of millions of objects takes longer. */
export interface Cells {
  columns: readonly string[];
  values: unknown[];
}

/** The positions of a ring one after the other: x, y, x, y, … A million arrays of two numbers each would take ten times the memory. */
export type FlatRing = number[];

/** A GeoJSON geometry whose numbers are not checked yet. Its rings may be flat, or arrays of positions. */
export interface SourceGeometry {
  type: string;
  coordinates?: unknown;
  geometries?: SourceGeometry[];
}

export type SourceFormat =
  | 'GeoJSON'
  | 'GeoJSON sequence'
  | 'TopoJSON'
  | 'CSV'
  | 'Shapefile'
  | 'dBASE table'
  | 'GeoPackage'
  | 'FlatGeobuf'
  | 'Parquet'
  | 'KML'
  | 'GML'
  | 'Excel workbook'
  | 'File geodatabase'
  | 'MapInfo';

/** How far a file was read. The reader updates it, and the display of progress reads it. */
export interface ReadPosition {
  bytesRead: number;
}

/** A file that was recognised and can be read, any number of times, in batches and bounded memory. */
export interface Source {
  format: SourceFormat;
  /** The name to show, and the files that belong to it. */
  name: string;
  files: string[];
  /** How many bytes a full reading takes. */
  byteLength: number;
  /** The coordinate system as the file states it (WKT, `EPSG:…`, a URN), or null. */
  crs: string | null;
  /** What an operator should know about the file before loading it. */
  warnings: string[];
  read(position: ReadPosition): AsyncIterable<SourceBatch>;
  /** The same before it is parsed, where the format allows for it. */
  readPacked?(position: ReadPosition): AsyncIterable<PackedRows>;
  /** Deletes the files that were unpacked for reading. */
  close(): Promise<void>;
}

/**
 * Rows are read in batches: an await for each of millions of rows would take longer than reading it. Batches are small, or their rows
 * made only when asked for: V8's collector copies all that are in memory, and takes those for long-lived that it meets twice.
 */
export type SourceBatch = Iterable<SourceRow>;

export const rowsPerBatch = 32;

export function row(number: number, properties: Properties, geometry: SourceGeometry | null): SourceRow {
  return { number, properties, cells: null, geometry, fault: null };
}

export function brokenRow(number: number, fault: string, text: string): SourceRow {
  return { number, properties: { text: text.slice(0, 10_000) }, cells: null, geometry: null, fault };
}
