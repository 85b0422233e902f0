import type { PackedRows } from './packed-rows.js';
import type { ReadPosition, SourceBatch } from './source-row.js';

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

/** The formats that `load` reads, for messages. */
export const supportedFormats =
  'GeoJSON, newline-delimited GeoJSON, Esri JSON, TopoJSON, CSV, Shapefile, dBASE, GeoPackage, FlatGeobuf, GeoParquet, KML, KMZ, GML and Excel (.xlsx), ' +
  'each also in .zip or .gz; file geodatabases (.gdb) and MapInfo files where ogr2ogr is installed';
