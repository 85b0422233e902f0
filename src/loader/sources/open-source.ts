import { stat } from 'node:fs/promises';
import { basename, extname, relative } from 'node:path';
import { AppError } from '../../errors.js';
import { openCsv } from './csv.js';
import { isDbf } from './dbf.js';
import { openGeoJson } from './geojson.js';
import { readEdge, withoutByteOrderMark } from './read-chunks.js';
import { openDbfTable, openShapefile, sibling } from './shapefile.js';
import type { Source } from './source.js';
import { unpackZip } from './zip.js';

const recordSeparator = '\u001e';

/**
 * Recognises files by their content and opens them. Parts of a shapefile in the folder of their `.shp`, or given
 * together with it (`parcels.*`), belong to it. `layer` picks one file of an archive that holds several.
 * @throws AppError when a file isn't there, isn't recognised, or is of a kind that isn't supported
 */
export async function openSources(paths: string[], layer?: string): Promise<Source[]> {
  const sources: Source[] = [];
  try {
    for (const path of await withoutCompanions(paths)) sources.push(await openSource(path, layer));
  } catch (error) {
    await Promise.all(sources.map((source) => source.close()));
    throw error;
  }
  return sources;
}

async function openSource(path: string, layer?: string): Promise<Source> {
  const head = await readEdge(path, 1024, 'head').catch((error) => {
    throw new AppError('invalid_request', `${path} can't be read: ${readingFaults[error.code] ?? error.message}.`);
  });
  if (head.length === 0) throw new AppError('invalid_request', `${path} is empty.`);
  if (head.toString('latin1', 0, 4) === 'PK\u0003\u0004') return openZip(path, layer);
  if (head.length >= 4 && head.readInt32BE(0) === 9994) {
    if (/\.shx$/i.test(path)) throw new AppError('invalid_request', `${path} is only the index of a shapefile: the .shp is needed.`);
    return openShapefile(path);
  }
  const text = withoutByteOrderMark(head).toString('latin1').replaceAll(recordSeparator, '').trimStart();
  if (isDbf(head)) return openDbfTable(path);
  const other = otherKind(head, text);
  if (other)
    throw new AppError(
      'invalid_request',
      `${path} is ${other}. GeoJSON, newline-delimited GeoJSON, CSV, Shapefile (also zipped) are read.`,
    );
  if (text.startsWith('{') || text.startsWith('[')) return openGeoJson(path);
  return openCsv(path);
}

const readingFaults: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'the permission is missing',
  EISDIR: 'it is a folder, and files are read (of a .gdb, export the layer as GeoJSON or Shapefile)',
};

function otherKind(head: Buffer, text: string): string | null {
  if (text.startsWith('SQLite format 3')) return 'a GeoPackage or another SQLite database';
  if (text.startsWith('fgb')) return 'a FlatGeobuf file';
  if (text.startsWith('PAR1')) return 'a Parquet file';
  if (text.startsWith('<')) return 'an XML or HTML document';
  if (head[0] === 0x1f && head[1] === 0x8b) return 'compressed with gzip: unpack it first';
  if (/^\{\s*"error"\s*:/.test(text)) return `a server's error message: ${text.slice(0, 200)}`;
  if (/^\{\s*"type"\s*:\s*"Topology"/.test(text)) return 'a TopoJSON file';
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (isWide && /^[{[]$/.test(text.slice(2).replaceAll('\0', '').trimStart().slice(0, 1))) return 'JSON in UTF-16: save it as UTF-8';
  return head.includes(0) && !isWide ? 'of an unknown binary kind' : null;
}

async function openZip(path: string, layer?: string): Promise<Source> {
  const { folder, files, remove } = await unpackZip(path);
  try {
    const candidates = await withoutCompanions(files.filter((file) => !/\.(prj|cpg|shx)$/i.test(file)));
    const nameOf = (file: string) => relative(folder, file);
    const chosen = layer ? candidates.filter((file) => isLayer(nameOf(file), layer)) : preferShapes(candidates);
    if (chosen.length !== 1) {
      const names = candidates.map(nameOf).join(', ') || 'none';
      throw new AppError(
        'invalid_request',
        `${basename(path)} must hold one data file, or --layer must name one of them (it holds: ${names}).`,
      );
    }
    const source = await openSource(chosen[0]!);
    return { ...source, name: `${basename(path)}/${source.name}`, close: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A layer is named by its file's name or its path in the archive, each with or without extension. */
function isLayer(name: string, layer: string): boolean {
  const plain = name.toLowerCase();
  const asked = layer.toLowerCase();
  return [plain, plain.slice(0, -extname(plain).length), basename(plain), stem(plain)].includes(asked);
}

// A readme.txt or a table beside one shapefile doesn't make the archive ambiguous.
function preferShapes(files: string[]): string[] {
  const shapes = files.filter((file) => /\.(shp|geojson|geojsonl|geojsons|ndjson)$/i.test(file));
  const tables = files.filter((file) => !/\.txt$/i.test(file));
  return shapes.length > 0 ? shapes : tables.length > 0 ? tables : files;
}

async function withoutCompanions(paths: string[]): Promise<string[]> {
  const kept = new Set<string>();
  for (const path of paths) {
    const isCompanion = /\.(dbf|shx|prj|cpg|qix|qpj|qmd|sbn|sbx|fbn|fbx|atx|ixs|mxs|xml)$/i.test(path);
    const shp = isCompanion ? await shpBeside(path, paths) : null;
    kept.add(shp ?? path);
  }
  return [...kept];
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
