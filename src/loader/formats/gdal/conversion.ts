import type { LayerChoice } from '../layers.js';

/** What to convert to `converted.gpkg`. */
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
  /** What GDAL reported as errors, up to `maxErrors`. It then goes on with the next row. */
  errors: string[];
}

export const convertedName = 'converted';

/** The name of the only table. */
export const convertedTable = 'layer';

/** The column of words that `-resolveDomains` adds to a column of codes has this after the other's name. */
export const domainSuffix = '_resolved';

export const maxErrors = 100;

/** The options of ogr2ogr. Arcs become lines; a column of codes gets a column of their words. */
export const conversionOptions = [
  ...['-f', 'GPKG', '-nlt', 'CONVERT_TO_LINEAR', '-lco', 'SPATIAL_INDEX=NO', '-resolveDomains', '-nln', convertedTable],
];

/** A file that is made to do harm may keep GDAL at work for ever. A million polygons take it three minutes. */
export const conversionLimitMs = 2 * 60 * 60_000;

/** Texts of GDAL and of the system name files of this server, and of the machine that compiled it. */
export const withoutPaths = (text: string): string => text.replace(/\/\S*\//g, '');

/** The errors among what GDAL writes to standard error. */
export function errorsIn(lines: string[]): string[] {
  const errors = lines.flatMap((line) => /^ERROR \d+: (.*)/.exec(line)?.[1] ?? []);
  return errors.slice(0, maxErrors).map(withoutPaths);
}
