import type { ReadPosition, SourceBatch } from './source-row.js';

export type SourceFormat =
  | 'GeoJSON'
  | 'GeoJSON sequence'
  | 'CSV'
  | 'Shapefile'
  | 'dBASE table'
  | 'GeoPackage'
  | 'FlatGeobuf'
  | 'KML'
  | 'GML'
  | 'Excel workbook'
  | 'File geodatabase'
  | 'MapInfo';

/** An opened file, which can be read any number of times, in batches and bounded memory. */
export interface Source {
  format: SourceFormat;
  /** The name to show. */
  name: string;
  /** The file and the sidecar files that are read with it. */
  files: string[];
  /** How many bytes one full read takes. */
  byteLength: number;
  /** The coordinate system as the file states it (WKT, `EPSG:…`, a URN), or null. */
  crs: string | null;
  /** Shown to the operator before the load. */
  warnings: string[];
  /** How many rows there are by what the file says of itself: a page of a service has fewer. Infinity: more than it has. */
  wholeRows?: number;
  read(position: ReadPosition): AsyncIterable<SourceBatch>;
  /** Deletes temporary files. */
  close(): Promise<void>;
}

/** The formats that `load` reads, for messages. */
export const supportedFormats =
  'GeoJSON, newline-delimited GeoJSON, Esri JSON, CSV, Shapefile, dBASE, GeoPackage, FlatGeobuf, KML, KMZ, GML, ' +
  'file geodatabase (.gdb), MapInfo and Excel (.xlsx), each also in .zip or .gz';
