import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { AppError } from '../../core/errors.js';
import { openArchive } from './archives/archive.js';
import { gunzip, type StoredFile, storeInput } from './archives/gunzip.js';
import { isWorkbook } from './archives/zip.js';
import { openGeoJson } from './json/geojson.js';
import { checkOnlyLayer, type LayerWish } from './layers.js';
import { readEdge } from './read-chunks.js';
import { readFormats } from './read-formats.js';
import { recognise, recognisedBytes } from './recognise.js';
import { openDbfTable, openShapefile, sibling } from './shapefile/shapefile.js';
import type { Source } from './source.js';
import { openCsv } from './tables/csv.js';

/**
 * Recognises files by their content and opens them; `-` is standard input. Parts of a shapefile in the folder of their `.shp`, or given
 * together with it (`parcels.*`), belong to it.
 * @throws AppError when a file isn't there, isn't recognised, or is of a kind that isn't supported
 */
export async function openSources(paths: string[], wish: LayerWish = {}): Promise<Source[]> {
  const sources: Source[] = [];
  try {
    for (const path of await withoutCompanions(paths)) sources.push(await (path === '-' ? openInput(wish) : openSource(path, wish)));
  } catch (error) {
    await Promise.all(sources.map((source) => source.close()));
    throw error;
  }
  return sources;
}

const kindsOfOneLayer = new Set<string>(['shapefile', 'dbf', 'flatgeobuf', 'parquet', 'json', 'csv']);

/** Opens one file, or the folder of a file geodatabase. */
export async function openSource(path: string, wish: LayerWish): Promise<Source> {
  const head = await readHead(path);
  if (head === null) return openFolder(path, wish);
  if (head.length === 0) throw new AppError('invalid_request', `${path} is empty.`);
  const kind = recognise(head);
  if (typeof kind === 'string' && kindsOfOneLayer.has(kind)) checkOnlyLayer(path, wish);
  switch (kind) {
    case 'zip':
      return (await isWorkbook(path)) ? (await import('./tables/xlsx.js')).openXlsx(path, wish) : openArchive(path, wish);
    case 'gzip':
      return openStored(await gunzip(path), wish, { name: basename(path), files: [path] });
    case 'shapefile':
      if (/\.shx$/i.test(path)) throw new AppError('invalid_request', `${path} is only the index of a shapefile: the .shp is needed.`);
      return openShapefile(path);
    case 'dbf':
      return openDbfTable(path);
    case 'sqlite':
      return (await import('./geodatabases/geopackage.js')).openGeoPackage(path, wish);
    case 'flatgeobuf':
      return (await import('./geodatabases/flatgeobuf.js')).openFlatGeobuf(path);
    case 'parquet':
      return (await import('./geodatabases/parquet.js')).openParquet(path);
    case 'kml':
      return (await import('./xml/kml.js')).openKml(path, wish);
    case 'gml':
      return (await import('./xml/gml.js')).openGml(path, wish);
    case 'topojson':
      return (await import('./json/topojson.js')).openTopoJson(path, wish);
    case 'mapinfo':
      return (await import('./ogr2ogr.js')).openByOgr2ogr(path, 'MapInfo', wish);
    case 'json':
      return openGeoJson(path);
    case 'csv':
      return openCsv(path);
    default:
      throw new AppError('invalid_request', `${path} is ${kind.reason}. Read are: ${readFormats}.`);
  }
}

/** The first bytes of a file; null for a folder. */
async function readHead(path: string): Promise<Buffer | null> {
  try {
    return (await stat(path)).isDirectory() ? null : await readEdge(path, recognisedBytes, 'head');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new AppError('invalid_request', `${path} can't be read: ${readingFaults[code ?? ''] ?? message}.`);
  }
}

const readingFaults: Record<string, string> = { ENOENT: 'there is no such file', EACCES: 'the permission is missing' };

async function openFolder(path: string, wish: LayerWish): Promise<Source> {
  if (!(await readdir(path)).some((name) => /\.gdbtable$/i.test(name)))
    throw new AppError('invalid_request', `${path} is a folder, but not that of a file geodatabase (.gdb): name the files in it.`);
  return (await import('./ogr2ogr.js')).openByOgr2ogr(path, 'File geodatabase', wish);
}

async function openInput(wish: LayerWish): Promise<Source> {
  const stored = await storeInput(process.stdin);
  return openStored(stored, wish, { name: 'standard input', files: [stored.path] });
}

async function openStored({ path, folder }: StoredFile, wish: LayerWish, shown: Pick<Source, 'name' | 'files'>): Promise<Source> {
  try {
    const source = await openSource(path, wish);
    const close = async () => {
      await source.close();
      await folder.remove();
    };
    return { ...source, ...shown, close };
  } catch (error) {
    await folder.remove();
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, error.message.replaceAll(path, shown.name), { cause: error }); // nobody knows the copy
  }
}

/** Paths without those that belong to another one: the parts of shapefiles and of MapInfo's files. */
export async function withoutCompanions(paths: string[]): Promise<string[]> {
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

// A .dbf that is given alone is loaded as a table, also where a .shp lies beside it.
async function shpBeside(path: string, given: string[]): Promise<string | null> {
  const isDbfAlone = /\.dbf$/i.test(path) && !given.some((other) => stem(other) === stem(path) && /\.shp$/i.test(other));
  const base = path.replace(/\.shp\.xml$/i, '.xml');
  return isDbfAlone || !(await stat(path).catch(() => null)) ? null : await sibling(base, '.shp');
}

function stem(path: string): string {
  return basename(path, extname(path)).toLowerCase();
}
