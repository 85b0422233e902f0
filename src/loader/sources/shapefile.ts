import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { DbfTable, dbfRows } from './dbf.js';
import { ListedRow } from './listed-row.js';
import { unpackAll } from './packed-rows.js';
import type { PackedShapes } from './packed-shapes.js';
import { readShapes, type ShapeWindow } from './shp.js';
import type { Cells, ReadPosition, Source, SourceBatch } from './source.js';

/** A `.shp` with what lies beside it: attributes in the `.dbf`, coordinate system in the `.prj`, text encoding in the `.cpg`. */
export async function openShapefile(path: string): Promise<Source> {
  const dbf = await sibling(path, '.dbf');
  const prj = await sibling(path, '.prj');
  const encoding = await claimedEncoding(path);
  const readPacked = (position: ReadPosition) => packPairs(path, dbf, encoding, position);
  const files = [path, ...[dbf, prj].filter((file) => file !== null)];
  return {
    format: 'Shapefile',
    name: basename(path),
    files,
    byteLength: (await stat(path)).size + (dbf ? (await stat(dbf)).size : 0),
    crs: prj ? (await readFile(prj, 'latin1')).trim() || null : null,
    warnings: dbf ? [] : ['There is no .dbf beside the .shp: shapes without attributes.'],
    read: (position) => unpackAll(readPacked(position)),
    readPacked,
    close: async () => {},
  };
}

/** A dBASE table by itself, as tax rolls come. */
export async function openDbfTable(path: string): Promise<Source> {
  const encoding = await claimedEncoding(path);
  return {
    format: 'dBASE table',
    name: basename(path),
    files: [path],
    byteLength: (await stat(path)).size,
    crs: null,
    warnings: [],
    read: (position) => readTable(path, encoding, position),
    close: async () => {},
  };
}

/** The file of the same name with another extension, whatever the case of either. */
export async function sibling(path: string, extension: string): Promise<string | null> {
  const wanted = (basename(path, extname(path)) + extension).toLowerCase();
  const found = (await readdir(dirname(path))).find((name) => name.toLowerCase() === wanted);
  return found ? join(dirname(path), found) : null;
}

async function claimedEncoding(path: string): Promise<string | undefined> {
  const cpg = await sibling(path, '.cpg');
  if (!cpg) return undefined;
  const label = (await readFile(cpg, 'latin1')).trim();
  return /^\d+$/.test(label) ? (label === '65001' ? 'utf8' : `cp${label}`) : label || undefined;
}

/** Shapes and attributes are two files read side by side; either may have more of them. */
async function* packPairs(
  shp: string,
  dbf: string | null,
  encoding: string | undefined,
  position: ReadPosition,
): AsyncIterable<PackedShapes> {
  const table = dbf ? await DbfTable.open(dbf, encoding) : null;
  const batch = async (read: number, count: number, shapes: ShapeWindow): Promise<PackedShapes> => {
    const rows = (await table?.read(read, count, position)) ?? noBytes;
    return { kind: 'shapes', pieces: [shapes.bytes, rows], firstNumber: read + 1, starts: shapes.starts, layout: table?.layout ?? null };
  };
  try {
    let read = 0;
    for await (const shapes of readShapes(shp, position)) {
      yield batch(read, shapes.starts.length, shapes);
      read += shapes.starts.length;
    }
    for (; table && read < table.rowCount; read += table.rowsPerWindow) {
      yield batch(read, table.rowsPerWindow, { bytes: noBytes, starts: [] });
    }
  } finally {
    await table?.close();
  }
}

const noBytes = Buffer.alloc(0);

async function* readTable(path: string, encoding: string | undefined, position: ReadPosition): AsyncIterable<SourceBatch> {
  const table = await DbfTable.open(path, encoding);
  let number = 0;
  const numbered = function* (batch: Iterable<Cells | null>) {
    for (const cells of batch) {
      number++;
      if (cells) yield new ListedRow(number, cells, null);
    }
  };
  try {
    for (let first = 0; first < table.rowCount; first += table.rowsPerWindow) {
      yield numbered(dbfRows(await table.read(first, table.rowsPerWindow, position), table.layout));
    }
  } finally {
    await table.close();
  }
}
