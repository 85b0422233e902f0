import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { TemporaryFolder } from './archives/temporary-folder.js';
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

/** A file that is read by itself and states nothing, unless `own` says otherwise. */
export const fileSource = async (path: string, own: Pick<Source, 'format' | 'read'> & Partial<Source>): Promise<Source> => ({
  name: basename(path),
  files: [path],
  byteLength: (await stat(path)).size,
  crs: null,
  warnings: [],
  close: async () => {},
  ...own,
});

/** Opens a source whose files are in a temporary folder, which is deleted with it. */
export async function openWithin(folder: TemporaryFolder, open: () => Promise<Source>): Promise<Source> {
  try {
    const source = await open();
    const close = async () => {
      await source.close();
      await folder.remove();
    };
    return { ...source, close };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** The formats that `load` reads, for messages. */
export const supportedFormats =
  'GeoJSON, newline-delimited GeoJSON, Esri JSON, CSV, Shapefile, dBASE, GeoPackage, FlatGeobuf, KML, KMZ, GML, ' +
  'file geodatabase (.gdb), MapInfo and Excel (.xlsx), each also in .zip or .gz';
