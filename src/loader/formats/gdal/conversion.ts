import type { ErrorCode } from '../../../core/errors.js';
import type { LayerChoice } from '../layers.js';

/** A layer to convert to `converted.gpkg`. */
export interface ConversionRequest {
  /** The file, or the folder of a geodatabase, as an absolute path. */
  path: string;
  /** The name to show. */
  name: string;
  isGeodatabase: boolean;
  choice: LayerChoice;
  /** The folder to write to. */
  folder: string;
}

export interface Conversion {
  /** The program and its version. */
  reader: string;
  layer: string;
  /** How many rows the file states. */
  rowCount: number;
  /** GDAL's error messages. It then goes on with the next row. */
  errors: string[];
}

/** The thread's answer: the conversion, or why there is none. */
export type Answer = { conversion: Conversion } | { fault: string; code: ErrorCode };

export const convertedName = 'converted';

/** The name of the only table. */
export const convertedTable = 'layer';
