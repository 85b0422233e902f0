import { readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError, refusal } from '../../core/errors.js';
import { openArchive } from './archives/archive.js';
import { gunzip, type StoredFile, storeInput } from './archives/gunzip.js';
import { isWorkbook } from './archives/zip.js';
import { detectFormat, detectionBytes } from './detect-format.js';
import { openGeoJson } from './json/geojson.js';
import { checkOnlyLayer, type LayerChoice } from './layers.js';
import { readEdge } from './read-chunks.js';
import { openDbfTable, openShapefile } from './shapefile/shapefile.js';
import { withoutSidecars } from './sidecar-files.js';
import { openWithin, type Source, supportedFormats } from './source.js';
import { openCsv } from './tables/csv.js';

/**
 * Detects the format of each file by its content and opens it; `-` is standard input. The sidecar files of a shapefile (`parcels.*`) are
 * opened with their `.shp`.
 * @throws AppError if a file is missing or its format is unknown or unsupported
 */
export async function openSources(paths: string[], choice: LayerChoice = {}): Promise<Source[]> {
  const sources: Source[] = [];
  try {
    for (const path of await withoutSidecars(paths)) sources.push(await (path === '-' ? openInput(choice) : openSource(path, choice)));
  } catch (error) {
    await Promise.all(sources.map((source) => source.close()));
    throw error;
  }
  return sources;
}

const singleLayerKinds = new Set<string>(['shapefile', 'dbf', 'flatgeobuf', 'json', 'csv']);

/** Opens one file, or the folder of a file geodatabase. */
async function openSource(path: string, choice: LayerChoice): Promise<Source> {
  const head = await readHead(path);
  if (head === null) return openFolder(path, choice);
  if (head.length === 0) throw refusal(`${path} is empty.`);
  const kind = detectFormat(head);
  if (typeof kind === 'string' && singleLayerKinds.has(kind)) checkOnlyLayer(path, choice);
  switch (kind) {
    case 'zip':
      return (await isWorkbook(path)) ? (await import('./tables/xlsx.js')).openXlsx(path, choice) : openArchive(path, choice, openSource);
    case 'gzip':
      return openStored(await gunzip(path), choice, { name: basename(path), files: [path] });
    case 'shapefile':
      if (/\.shx$/i.test(path)) throw refusal(`${path} is only the index of a shapefile: the .shp is needed.`);
      return openShapefile(path);
    case 'dbf':
      return openDbfTable(path);
    case 'sqlite':
      return (await import('./geopackage.js')).openGeoPackage(path, choice);
    case 'flatgeobuf':
      return (await import('./gdal/open-by-gdal.js')).openByGdal(path, 'FlatGeobuf', { prefersTable: choice.prefersTable });
    case 'kml':
      return (await import('./xml/kml.js')).openKml(path, choice);
    case 'gml':
      return (await import('./xml/gml.js')).openGml(path, choice);
    case 'mapinfo':
      return (await import('./gdal/open-by-gdal.js')).openByGdal(path, 'MapInfo', choice);
    case 'json':
      return openGeoJson(path);
    case 'csv':
      return openCsv(path);
    default:
      throw refusal(`${path} is ${kind.reason}. Supported formats: ${supportedFormats}.`);
  }
}

/** The first bytes of a file; null for a folder. */
async function readHead(path: string): Promise<Buffer | null> {
  try {
    return (await stat(path)).isDirectory() ? null : await readEdge(path, detectionBytes, 'head');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw refusal(`${path} can't be read: ${readingFaults[code ?? ''] ?? message}.`);
  }
}

const readingFaults: Record<string, string> = { ENOENT: 'there is no such file', EACCES: 'permission is denied' };

async function openFolder(path: string, choice: LayerChoice): Promise<Source> {
  if (!(await readdir(path)).some((name) => /\.gdbtable$/i.test(name)))
    throw refusal(`${path} is a folder, but not that of a file geodatabase (.gdb): name the files in it.`);
  return (await import('./gdal/open-by-gdal.js')).openByGdal(path, 'File geodatabase', choice);
}

async function openInput(choice: LayerChoice): Promise<Source> {
  const stored = await storeInput(process.stdin);
  return openStored(stored, choice, { name: 'standard input', files: [stored.path] });
}

async function openStored({ path, folder }: StoredFile, choice: LayerChoice, shown: Pick<Source, 'name' | 'files'>): Promise<Source> {
  try {
    return await openWithin(folder, async () => ({ ...(await openSource(path, choice)), ...shown }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, error.message.replaceAll(path, shown.name), { cause: error }); // the operator never saw the copy's path
  }
}
