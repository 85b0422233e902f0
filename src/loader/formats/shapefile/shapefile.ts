import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { AppError } from '../../../core/errors.js';
import { ColumnarRow } from '../columnar-row.js';
import { parseAll } from '../raw-rows.js';
import { withoutByteOrderMark } from '../read-chunks.js';
import type { Source } from '../source.js';
import type { Cells, ReadPosition, SourceBatch } from '../source-row.js';
import { DbfTable, dbfRows } from './dbf.js';
import type { RawShapes } from './raw-shapes.js';
import { readShapes, readShapesAt, type ShapeWindow } from './shp.js';
import { noIndex, readIndex, type ShapeIndex, type ShapeOffsets } from './shx.js';

/**
 * Opens a `.shp` and its sidecar files: attributes in the `.dbf`, coordinate system in the `.prj`, text encoding in the `.cpg`, shape
 * offsets in the `.shx`.
 */
export async function openShapefile(path: string): Promise<Source> {
  const dbf = await findSibling(path, '.dbf');
  const prj = await findSibling(path, '.prj');
  const shx = await findSibling(path, '.shx');
  const label = await encodingLabel(path);
  const table = dbf ? await closedTable(dbf, label) : null;
  const index = shx ? await readIndex(shx, path, table?.rowCount) : noIndex;
  if (dbf && table) await refuseOtherCount(path, index, dbf, table.rowCount);
  const readRaw = (position: ReadPosition) => readRawPairs(path, index.offsets, dbf, label, position);
  const files = [path, ...[dbf, prj, index.offsets && shx].filter((file) => file !== null)];
  return {
    format: 'Shapefile',
    name: basename(path),
    files,
    byteLength: (await stat(path)).size + (dbf ? (await stat(dbf)).size : 0),
    crs: prj && ((await lineIn(prj)) || null),
    warnings: [...(table ? table.warnings : ['There is no .dbf beside the .shp, so the shapes have no attributes.']), ...index.warnings],
    read: (position) => parseAll(readRaw(position)),
    readRaw,
    close: async () => {},
  };
}

/** Opens a dBASE table by itself, such as a tax roll. */
export async function openDbfTable(path: string): Promise<Source> {
  const label = await encodingLabel(path);
  return {
    format: 'dBASE table',
    name: basename(path),
    files: [path],
    byteLength: (await stat(path)).size,
    crs: null,
    warnings: (await closedTable(path, label)).warnings,
    read: (position) => readTable(path, label, position),
    close: async () => {},
  };
}

/** Finds the file with the same name and another extension, ignoring case. */
export async function findSibling(path: string, extension: string): Promise<string | null> {
  const wanted = (basename(path, extname(path)) + extension).toLowerCase();
  const found = (await readdir(dirname(path))).find((name) => name.toLowerCase() === wanted);
  return found ? join(dirname(path), found) : null;
}

/** The content of the file's `.cpg`. */
async function encodingLabel(path: string): Promise<string | undefined> {
  const cpg = await findSibling(path, '.cpg');
  return (cpg && (await lineIn(cpg))) || undefined;
}

/** Reads a one-line file, without the byte order mark that an editor may have added. */
async function lineIn(path: string): Promise<string> {
  const text = withoutByteOrderMark(await readFile(path)).toString('latin1');
  return text.trim();
}

/** Opens a table for its header only. */
async function closedTable(path: string, label: string | undefined): Promise<DbfTable> {
  const table = await DbfTable.open(path, label);
  await table.close();
  return table;
}

/**
 * Shapes and rows are paired by position alone, so if their counts differ, any pair may be wrong. If the index has as many shapes as the
 * table has rows, it is trusted here: the shapes are counted again while they are read.
 * @throws AppError before any row is read
 */
async function refuseOtherCount(shp: string, index: ShapeIndex, dbf: string, rowCount: number): Promise<void> {
  if (index.count === rowCount) return;
  let count = 0;
  for await (const { starts } of readShapes(shp, { bytesRead: 0 })) count += starts.length;
  if (count !== rowCount) throw otherCount(shp, count, dbf, rowCount);
}

const otherCount = (shp: string, shapes: number, dbf: string, rows: number): AppError =>
  new AppError(
    'invalid_request',
    `${basename(shp)} has ${shapes} shapes, but ${basename(dbf)} has ${rows} rows (deleted ones included), so they do not belong together: ` +
      'fetch all files of the Shapefile again.',
  );

/** Reads shapes and table rows in step. */
async function* readRawPairs(
  shp: string,
  offsets: ShapeOffsets | null,
  dbf: string | null,
  label: string | undefined,
  position: ReadPosition,
): AsyncIterable<RawShapes> {
  const table = dbf ? await DbfTable.open(dbf, label) : null;
  const batch = async (read: number, { bytes, starts }: ShapeWindow): Promise<RawShapes> => {
    const rows = (await table?.read(read, starts.length, position)) ?? noBytes;
    return { kind: 'shapes', pieces: [bytes, rows], firstNumber: read + 1, starts, layout: table?.layout ?? null };
  };
  try {
    let read = 0;
    for await (const shapes of offsets ? readShapesAt(shp, offsets, position) : readShapes(shp, position)) {
      yield batch(read, shapes);
      read += shapes.starts.length;
    }
    if (table && read !== table.rowCount) throw otherCount(shp, read, dbf!, table.rowCount);
  } finally {
    await table?.close();
  }
}

const noBytes = Buffer.alloc(0);

async function* readTable(path: string, label: string | undefined, position: ReadPosition): AsyncIterable<SourceBatch> {
  const table = await DbfTable.open(path, label);
  let number = 0;
  const numbered = function* (batch: Iterable<Cells | null>) {
    for (const cells of batch) {
      number++;
      if (cells) yield new ColumnarRow(number, cells, null);
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
