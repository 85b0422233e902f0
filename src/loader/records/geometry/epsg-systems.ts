import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { projectFile } from '../../../core/project-files.js';

export interface EpsgSystem {
  /** Such as `CRS-PROJCRS`. */
  kind: string;
  name: string;
  proj4: string | null;
  /** Null if `proj4` is not. */
  wkt: string | null;
  /** Where the system is meant for, in degrees: north, west, south, east. */
  bbox: [number, number, number, number];
}

/** `build-epsg-systems.ts` makes this file and names its source. */
export const epsgFile = projectFile('src/loader/records/geometry/epsg-systems.json.gz');

let systems: Record<string, EpsgSystem> | undefined;

/** EPSG's systems by their codes. Reading them takes some 30 ms, so it waits for the first file that names a code. */
export const epsgSystems = (): Record<string, EpsgSystem> => (systems ??= JSON.parse(gunzipSync(readFileSync(epsgFile)).toString()));
