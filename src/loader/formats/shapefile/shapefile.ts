import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { AppError, refusal } from '../../../core/errors.js';
import { ColumnarRow, namedValues } from '../columnar-row.js';
import { withoutByteOrderMark } from '../read-chunks.js';
import { fileSource, type Source } from '../source.js';
import { brokenRow, type Cells, type ReadPosition, type SourceBatch, type SourceRow } from '../source-row.js';
import { DbfTable, dbfRows } from './dbf.js';
import { readShapes, readShapesAt, shapeAt } from './shp.js';
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
  const table = dbf ? await headerOf(dbf, label) : null;
  const index = shx ? await readIndex(shx, path, table?.recordCount) : noIndex;
  if (dbf && table) await refuseOtherCount(path, index, dbf, table.recordCount);
  const files = [path, ...[dbf, prj, index.offsets && shx].filter((file) => file !== null)];
  return fileSource(path, {
    format: 'Shapefile',
    files,
    byteLength: (await stat(path)).size + (dbf ? (await stat(dbf)).size : 0),
    crs: prj && ((await lineIn(prj)) || null),
    warnings: [...(table ? table.warnings : ['There is no .dbf beside the .shp, so the shapes have no attributes.']), ...index.warnings],
    read: (position) => readPairs(path, index.offsets, dbf, label, position),
  });
}

/** Opens a dBASE table by itself, such as a tax roll. */
export async function openDbfTable(path: string): Promise<Source> {
  const label = await encodingLabel(path);
  const { warnings } = await headerOf(path, label);
  return fileSource(path, { format: 'dBASE table', warnings, read: (position) => readTable(path, label, position) });
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

async function headerOf(path: string, label: string | undefined): Promise<DbfTable['layout']> {
  await using table = await DbfTable.open(path, label);
  return table.layout;
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
  refusal(
    `${basename(shp)} has ${shapes} shapes, but ${basename(dbf)} has ${rows} rows (deleted ones included), so they do not belong together: ` +
      'fetch all files of the Shapefile again.',
  );

/** Reads shapes and table rows in step. */
async function* readPairs(
  shp: string,
  offsets: ShapeOffsets | null,
  dbf: string | null,
  label: string | undefined,
  position: ReadPosition,
): AsyncIterable<SourceBatch> {
  await using table = dbf ? await DbfTable.open(dbf, label) : null;
  let read = 0;
  for await (const shapes of offsets ? readShapesAt(shp, offsets, position) : readShapes(shp, position)) {
    const { bytes, starts } = shapes;
    const cells = table ? dbfRows(await table.read(read, starts.length, position), table.layout) : starts.map(() => noCells);
    yield rowsOf(read + 1, cells, bytes, starts);
    read += starts.length;
  }
  if (table && read !== table.rowCount) throw otherCount(shp, read, dbf!, table.rowCount);
}

const noCells: Cells = { columns: [], values: [] };

/** @param cells null for a deleted row */
function* rowsOf(firstNumber: number, cells: Iterable<Cells | null>, bytes: Buffer, starts: number[]): SourceBatch {
  let i = 0;
  for (const own of cells) {
    if (own !== null) yield rowOf(firstNumber + i, own, bytes, starts[i]!);
    i++;
  }
}

function rowOf(number: number, cells: Cells, bytes: Buffer, start: number): SourceRow {
  try {
    return new ColumnarRow(number, cells, shapeAt(bytes, start));
  } catch (error) {
    return brokenRow(number, `The shape can't be read: ${(error as Error).message}`, JSON.stringify(namedValues(cells)));
  }
}

async function* readTable(path: string, label: string | undefined, position: ReadPosition): AsyncIterable<SourceBatch> {
  await using table = await DbfTable.open(path, label);
  let number = 0;
  const numbered = function* (batch: Iterable<Cells | null>) {
    for (const cells of batch) {
      number++;
      if (cells) yield new ColumnarRow(number, cells, null);
    }
  };
  for (let first = 0; first < table.rowCount; first += table.rowsPerWindow) {
    yield numbered(dbfRows(await table.read(first, table.rowsPerWindow, position), table.layout));
  }
}
