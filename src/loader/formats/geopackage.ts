import { chmod, constants, copyFile, open, stat, symlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { refusal } from '../../core/errors.js';
import { requireFreeSpace, temporaryFolder } from './archives/temporary-folder.js';
import { ColumnarRow, namedValues } from './columnar-row.js';
import { convertedTable } from './gdal/conversion.js';
import { type Layer, type LayerChoice, pickLayer } from './layers.js';
import { readEdge } from './read-chunks.js';
import { parseWkb } from './shapes/wkb.js';
import { fileSource, openWithin, type Source } from './source.js';
import { brokenRow, type ReadPosition, rowsPerBatch, type SourceBatch, type SourceGeometry, type SourceRow } from './source-row.js';

interface GeoPackageLayer extends Layer {
  geometryColumn: string | null;
  crs: string | null;
}

type SqliteRow = Record<string, number | bigint | string | Uint8Array | null>;

/** One table of a GeoPackage, with or without shapes. */
export async function openGeoPackage(path: string, choice: LayerChoice): Promise<Source> {
  const { size } = await stat(path);
  if ((await stat(`${path}-wal`).catch(() => null))?.size)
    throw refusal(`${basename(path)} is open in another program, which has unsaved changes (${basename(path)}-wal).`);
  // SQLite creates its lock next to the file, where we may not be allowed to write. Opening a link moves the lock into our folder.
  const folder = await temporaryFolder();
  return openWithin(folder, async () => {
    const link = join(folder.path, 'layers.gpkg');
    if (await isWriteAhead(path)) await copyWithJournal(path, link, size);
    else await symlink(resolve(path), link);
    const table = describe(link, basename(path), choice);
    const bytesPerRow = size / Math.max(1, table.rowCount);
    return fileSource(path, {
      format: 'GeoPackage',
      crs: table.layer.crs,
      read: (position) => readTable(link, basename(path), table, bytesPerRow, position),
    });
  });
}

// Two bytes of the header give the journal mode: 1 is a rollback journal, 2 a write-ahead log.
const journalAt = 18;

async function isWriteAhead(path: string): Promise<boolean> {
  return (await readEdge(path, journalAt + 1, 'head'))[journalAt] === 2;
}

/** Copies the file with the journal mode changed: a write-ahead log needs shared memory, which SQLite in WebAssembly lacks. */
async function copyWithJournal(path: string, copy: string, size: number): Promise<void> {
  await requireFreeSpace(basename(path), size);
  await copyFile(path, copy, constants.COPYFILE_FICLONE);
  await chmod(copy, 0o600);
  await using file = await open(copy, 'r+');
  await file.write(Buffer.from([1, 1]), 0, 2, journalAt);
}

interface Table {
  layer: GeoPackageLayer;
  columns: string[];
  rowCount: number;
}

function describe(link: string, file: string, choice: LayerChoice): Table {
  try {
    using db = openDatabase(link, { readOnly: true });
    const layer = pickLayer(file, layersOf(db, file), choice);
    const columns = (db.all(`pragma table_info(${quoted(layer.name)})`) as SqliteRow[])
      .filter((column) => column.name !== layer.geometryColumn && !isRowId(column))
      .map((column) => String(column.name));
    return { layer, columns, rowCount: countRows(db, layer.name) };
  } catch (error) {
    throw damaged(file, error);
  }
}

const countRows = (db: sqlite.Database, table: string): number =>
  (db.get(`select count(*) as count from ${quoted(table)}`) as { count: number }).count;

/** Whether a column is GeoPackage's own row number, which the same data has in no other format. */
const isRowId = ({ pk, type }: SqliteRow): boolean => pk === 1 && String(type).toUpperCase() === 'INTEGER';

function layersOf(db: sqlite.Database, name: string): GeoPackageLayer[] {
  if (!db.get(`select 1 from sqlite_master where name = 'gpkg_contents'`))
    throw refusal(`${name} is an SQLite database, but not a GeoPackage.`);
  const rows = db.all(`
    select c.table_name, g.column_name, s.organization, s.organization_coordsys_id, s.definition
      from gpkg_contents c
      left join gpkg_geometry_columns g on g.table_name = c.table_name
      left join gpkg_spatial_ref_sys s on s.srs_id = g.srs_id
     where c.data_type in ('features', 'attributes', 'aspatial')
     order by c.table_name`) as SqliteRow[];
  return rows.map((found) => ({
    name: String(found.table_name),
    isSpatial: found.column_name !== null,
    geometryColumn: found.column_name === null ? null : String(found.column_name),
    crs: crsOf(found),
  }));
}

function crsOf({ organization, organization_coordsys_id: code, definition }: SqliteRow): string | null {
  if (/^(epsg|esri)$/i.test(String(organization)) && Number(code) > 0) return `${organization}:${code}`;
  return typeof definition === 'string' && definition.includes('[') ? definition : null;
}

async function* readTable(
  link: string,
  file: string,
  { layer, columns }: Table,
  bytesPerRow: number,
  position: ReadPosition,
): AsyncIterable<SourceBatch> {
  const selected = [...columns, ...(layer.geometryColumn === null ? [] : [layer.geometryColumn])].map(quoted).join(', ');
  try {
    using db = openDatabase(link, { readOnly: true });
    using statement = prepare(db, `select ${selected || '1'} from ${quoted(layer.name)}`);
    let rows: SourceRow[] = [];
    let number = 0;
    for (const found of statement.iterate() as Iterable<SqliteRow>) {
      rows.push(toRow(++number, found, columns, layer.geometryColumn));
      if (rows.length < rowsPerBatch) continue;
      position.bytesRead += rows.length * bytesPerRow;
      yield rows;
      rows = [];
    }
    position.bytesRead += rows.length * bytesPerRow;
    if (rows.length > 0) yield rows;
  } catch (error) {
    throw damaged(file, error);
  }
}

function toRow(number: number, found: SqliteRow, columns: string[], geometryColumn: string | null): SourceRow {
  const cells = { columns, values: columns.map((column) => plainValue(found[column])) };
  const bytes = geometryColumn === null ? null : found[geometryColumn];
  try {
    return new ColumnarRow(number, cells, bytes instanceof Uint8Array ? readGeometry(bytes) : null);
  } catch (error) {
    return brokenRow(number, `The geometry can't be read: ${(error as Error).message}`, JSON.stringify(namedValues(cells)));
  }
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Uint8Array ? null : value;
}

// Indexed by the three envelope bits of the flags.
const envelopeBytes = [0, 32, 48, 48, 64];

/** Reads a GeoPackage geometry: a header, an envelope, and well-known binary. */
function readGeometry(bytes: Uint8Array): SourceGeometry | null {
  const envelope = envelopeBytes[(bytes[3]! >> 1) & 0b111];
  if (bytes[0] !== 0x47 || bytes[1] !== 0x50 || envelope === undefined) throw new Error('it is not a GeoPackage geometry');
  return parseWkb(bytes.subarray(8 + envelope)).geometry;
}

function openDatabase(path: string, options?: { readOnly: boolean }): sqlite.Database & Disposable {
  const db = new sqlite.Database(path, options);
  return Object.assign(db, { [Symbol.dispose]: () => db.close() });
}

function prepare(db: sqlite.Database, sql: string): sqlite.Statement & Disposable {
  const statement = db.prepare(sql);
  const finalize = () => {
    try {
      statement.finalize();
    } catch {
      // It repeats the error of the last row.
    }
  };
  return Object.assign(statement, { [Symbol.dispose]: finalize });
}

function damaged(name: string, error: unknown): unknown {
  return error instanceof sqlite.SQLite3Error ? refusal(`${name} can't be read: ${error.message}.`, { cause: error }) : error;
}

/** Names the columns of words that GDAL added to columns of codes as people do (`USE_CODE_DESCRIPTION`). @returns how many rows there are */
export function finishConverted(path: string): number {
  using db = openDatabase(path);
  const columns = (db.all(`pragma table_info(${quoted(convertedTable)})`) as { name: string }[]).map(({ name }) => name);
  for (const column of columns) {
    const [words, description] = [`${column}_resolved`, `${column}_DESCRIPTION`];
    if (columns.includes(words) && !columns.includes(description))
      db.exec(`alter table ${quoted(convertedTable)} rename column ${quoted(words)} to ${quoted(description)}`);
  }
  return countRows(db, convertedTable);
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
