/** What a county's file holds for one parcel: its attributes by column name, and its shape in the file's own coordinates. */
export interface SourceRow {
  /** Line or feature number within the file, counted from 1, as an operator would look it up. */
  number: number;
  properties: Properties;
  geometry: SourceGeometry | null;
  /** Why the row can't be read at all; its text is then `properties.text`. */
  fault: string | null;
}

export type Properties = Record<string, unknown>;

/** A GeoJSON geometry whose numbers nobody has checked yet. */
export interface SourceGeometry {
  type: string;
  coordinates?: unknown;
  geometries?: SourceGeometry[];
}

export type SourceFormat = 'GeoJSON' | 'GeoJSON sequence' | 'CSV' | 'Shapefile' | 'dBASE table';

/** How far a reading has come; the reader moves it, whoever shows progress looks at it. */
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
  read(position: ReadPosition): AsyncIterable<SourceRow[]>;
  /** Removes what was unpacked for reading. */
  close(): Promise<void>;
}

/** Rows travel in batches: one await for each of millions would cost more than reading it. */
export const rowsPerBatch = 256;

export function row(number: number, properties: Properties, geometry: SourceGeometry | null): SourceRow {
  return { number, properties, geometry, fault: null };
}

export function brokenRow(number: number, fault: string, text: string): SourceRow {
  return { number, properties: { text: text.slice(0, 10_000) }, geometry: null, fault };
}
