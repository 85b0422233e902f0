import { stat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { findSibling } from './shapefile/shapefile.js';

/** Replaces the sidecar files of shapefiles and MapInfo files (`.dbf`, `.prj`, `.mid`, …) by their main file. */
export async function withoutSidecars(paths: string[]): Promise<string[]> {
  const kept = new Set<string>();
  for (const path of paths) kept.add((await mainFileOf(path, paths)) ?? path);
  return [...kept];
}

async function mainFileOf(path: string, given: string[]): Promise<string | null> {
  if (/\.(dbf|shx|prj|cpg|qix|qpj|qmd|sbn|sbx|fbn|fbx|atx|ixs|mxs|xml)$/i.test(path)) return shpBeside(path, given);
  const stemOf = (other: string) => dirname(other) + stem(other);
  const isOf = (extension: string) => (other: string) => extname(other).toLowerCase() === extension && stemOf(other) === stemOf(path);
  if (/\.mid$/i.test(path)) return given.find(isOf('.mif')) ?? null;
  return /\.(dat|map|id|ind)$/i.test(path) ? (given.find(isOf('.tab')) ?? null) : null;
}

// A .dbf that is named without its .shp is loaded as a table, even if the .shp is in the same folder.
async function shpBeside(path: string, given: string[]): Promise<string | null> {
  const isDbfAlone = /\.dbf$/i.test(path) && !given.some((other) => stem(other) === stem(path) && /\.shp$/i.test(other));
  const base = path.replace(/\.shp\.xml$/i, '.xml');
  return isDbfAlone || !(await stat(path).catch(() => null)) ? null : await findSibling(base, '.shp');
}

function stem(path: string): string {
  return basename(path, extname(path)).toLowerCase();
}
