import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { AppError } from '../../../core/errors.js';
import { ListedRow } from '../columnar-row.js';
import { unpackAll } from '../packed-rows.js';
import { withoutByteOrderMark } from '../read-chunks.js';
import type { Cells, ReadPosition, Source, SourceBatch } from '../source.js';
import { DbfTable, dbfRows } from './dbf.js';
import type { PackedShapes } from './packed-shapes.js';
import { readShapes, readShapesAt, type ShapeWindow } from './shp.js';
import { noIndex, readIndex, type ShapeIndex, type ShapePlaces } from './shx.js';

/**
 * A `.shp` with what lies beside it: attributes in the `.dbf`, coordinate system in the `.prj`, text encoding in the `.cpg`, the order of
 * its shapes in the `.shx`.
 */
export async function openShapefile(path: string): Promise<Source> {
  const dbf = await sibling(path, '.dbf');
  const prj = await sibling(path, '.prj');
  const shx = await sibling(path, '.shx');
  const label = await encodingLabel(path);
  const table = dbf ? await closedTable(dbf, label) : null;
  const index = shx ? await readIndex(shx, path, table?.rowCount) : noIndex;
  if (dbf && table) await refuseOtherCount(path, index, dbf, table.rowCount);
  const readPacked = (position: ReadPosition) => packPairs(path, index.places, dbf, label, position);
  const files = [path, ...[dbf, prj, index.places && shx].filter((file) => file !== null)];
  return {
    format: 'Shapefile',
    name: basename(path),
    files,
    byteLength: (await stat(path)).size + (dbf ? (await stat(dbf)).size : 0),
    crs: prj && ((await lineIn(prj)) || null),
    warnings: [...(table ? table.warnings : ['There is no .dbf beside the .shp: shapes without attributes.']), ...index.warnings],
    read: (position) => unpackAll(readPacked(position)),
    readPacked,
    close: async () => {},
  };
}

/** A dBASE table by itself, as tax rolls come. */
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

/** The file of the same name with another extension, whatever the case of either. */
export async function sibling(path: string, extension: string): Promise<string | null> {
  const wanted = (basename(path, extname(path)) + extension).toLowerCase();
  const found = (await readdir(dirname(path))).find((name) => name.toLowerCase() === wanted);
  return found ? join(dirname(path), found) : null;
}

/** What a `.cpg` beside the file says of its text. */
async function encodingLabel(path: string): Promise<string | undefined> {
  const cpg = await sibling(path, '.cpg');
  return (cpg && (await lineIn(cpg))) || undefined;
}

/** Whoever saves it in an editor may put a mark before it. */
async function lineIn(path: string): Promise<string> {
  const text = withoutByteOrderMark(await readFile(path)).toString('latin1');
  return text.trim();
}

/** A table of which only the header is asked. */
async function closedTable(path: string, label: string | undefined): Promise<DbfTable> {
  const table = await DbfTable.open(path, label);
  await table.close();
  return table;
}

/**
 * Shapes and rows belong together by their place alone: where there are more of one, any of them may be another parcel's. An index that
 * has as many as the table is believed, since all shapes are counted once more while they are read.
 * @throws AppError before a row is read
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

/** Shapes and rows are two files read side by side. */
async function* packPairs(
  shp: string,
  places: ShapePlaces | null,
  dbf: string | null,
  label: string | undefined,
  position: ReadPosition,
): AsyncIterable<PackedShapes> {
  const table = dbf ? await DbfTable.open(dbf, label) : null;
  const batch = async (read: number, { bytes, starts }: ShapeWindow): Promise<PackedShapes> => {
    const rows = (await table?.read(read, starts.length, position)) ?? noBytes;
    return { kind: 'shapes', pieces: [bytes, rows], firstNumber: read + 1, starts, layout: table?.layout ?? null };
  };
  try {
    let read = 0;
    for await (const shapes of places ? readShapesAt(shp, places, position) : readShapes(shp, position)) {
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
