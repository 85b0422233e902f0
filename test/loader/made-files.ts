import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import sqlite from 'node-sqlite3-wasm';
import { collection, type DbfColumn, dbf, feature, shp, square, workbook } from './files.js';
import { zip } from './zip.js';

interface Making {
  /** In which encoding the text is written, UTF-8 if none is said. */
  as?: string;
  /** Bytes as hexadecimal digits that stand in place of others, from an offset or from a text on. */
  bytes?: Record<string, string>;
  /** How many bytes are left; below 0: how many are missing at the end. */
  cut?: number;
  /** Bytes at the end that are too many. */
  more?: string;
  /** Whether an archive compresses its files. */
  isDeflated?: boolean;
}

interface MadeFile extends Making {
  text: string;
}

const marks: Record<string, string> = { r: '\r', 0: '\0', z: '\u001a', s: '\u001e', b: '\ufeff', t: '\t', '\\': '\\' };

/**
 * The files of a case: `> name {making}`, then the text. In it `\r`, `\t`, `\0`, `\b` (a byte order mark), `\z` (that of DOS), `\s` (a record
 * separator) and `\xd1` (a byte) stand for what cannot be seen. `> a.zip/b.csv` is a file of an archive, and what ends in `.gz` is packed. The
 * lines of a `.shp` are lists of rings, below `heights` if it has any; those of a `.dbf` its columns and its rows with `|` between cells, as are
 * those of an `.xlsx`, which may also be rows of XML; those of a `.shx` the words at which shapes begin, and how many they have; those of a `.gpkg` SQL; those of a
 * `.geojson` features: their properties, and their shape or the number of its square.
 */
export function filesOf(lines: string[]): Map<string, Buffer> {
  const texts = lines.join('\n').split(/^> /m).slice(1);
  const files = texts.map((each): [string, MadeFile] => {
    const [head = '', ...rest] = each.replace(/\n$/, '').split('\n');
    const [, name = '', making = '{}'] = /^(.*?)(?: (\{.*\}))?$/.exec(head)!;
    return [name, { text: rest.join('\n'), ...JSON.parse(making) }];
  });
  return packed(files);
}

function packed(files: [string, MadeFile][]): Map<string, Buffer> {
  const made = new Map<string, Buffer>();
  const within = (archive: string) =>
    files.flatMap(([name, file]): [string, MadeFile][] => (name.startsWith(`${archive}/`) ? [[name.slice(archive.length + 1), file]] : []));
  for (const [name, file] of files) {
    const archive = /^[^/]*\.(zip|kmz|xlsx|xlsb|ods)(?=\/)/.exec(name)?.[0] ?? (within(name).length > 0 ? name : null);
    if (archive === null) made.set(name, changed(contentOf(name, file), file));
    else if (!made.has(archive)) {
      const making = files.find(([other]) => other === archive)?.[1] ?? {};
      made.set(archive, changed(zip(Object.fromEntries(packed(within(archive))), making), making));
    }
  }
  return made;
}

function changed(content: Buffer, { bytes = {}, cut, more = '' }: Making): Buffer {
  for (const [place, digits] of Object.entries(bytes))
    Buffer.from(digits, 'hex').copy(content, /^\d+$/.test(place) ? Number(place) : content.indexOf(place));
  return Buffer.concat([content.subarray(0, cut), Buffer.from(more, 'hex')]);
}

function contentOf(name: string, { text, as = 'utf8' }: MadeFile): Buffer {
  const bytes = Buffer.concat(
    text.split(/(\\x[0-9a-f]{2})/).map((part, i) =>
      i % 2
        ? Buffer.from(part.slice(2), 'hex')
        : iconv.encode(
            part.replace(/\\(.)/g, (_, mark: string) => marks[mark]!),
            as,
          ),
    ),
  );
  const lines = bytes.toString().split('\n');
  if (name.endsWith('.gz')) return gzipSync(contentOf(name.slice(0, -3), { text, as }));
  if (name.endsWith('.geojson')) return Buffer.from(collection(text.split('\n').map(featureOf)));
  if (name.endsWith('.shp')) return lines[0] === 'heights' ? shp(shapesOf(lines.slice(1)), 15) : shp(shapesOf(lines));
  if (name.endsWith('.shx')) return Buffer.concat([Buffer.alloc(100), ...lines.map(wordsOf)]);
  if (name.endsWith('.dbf')) return tableOf(bytes);
  if (name.endsWith('.gpkg') && !text.startsWith('SQLite')) return geoPackage(text);
  if (name.endsWith('.xlsx')) return workbook({ Roll: lines.map(rowOfCells).join('') });
  return bytes;
}

const shapesOf = (lines: string[]): (number[][][] | null)[] => lines.map((line) => JSON.parse(line));

function wordsOf(line: string): Buffer {
  const words = line.split(' ').filter(Boolean).map(Number);
  const bytes = Buffer.alloc(words.length * 4);
  words.forEach((word, i) => {
    bytes.writeInt32BE(word, i * 4);
  });
  return bytes;
}

function tableOf(bytes: Buffer): Buffer {
  const [head, ...rows] = bytes
    .toString('latin1')
    .split('\n')
    .map((line) => line.split('|'));
  const columns = head!.map((column) => column.trim().split(' ')).map(([name, type, length]) => [name, type, Number(length)] as DbfColumn);
  return dbf(
    columns,
    rows.map((cells) => cells.map((cell) => Buffer.from(cell, 'latin1'))),
  );
}

/** A feature of its properties, and of its shape or the number of its square. */
function featureOf(line: string): object {
  const at = line.lastIndexOf('} ') + 1;
  const shape: number | object | null = JSON.parse(line.slice(at));
  return feature(JSON.parse(line.slice(0, at)), typeof shape === 'number' ? square(shape) : shape);
}

/** A GeoPackage as programs write them, and what SQL puts in it. */
export function geoPackage(sql: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'made-'));
  const path = join(folder, 'made.gpkg');
  const db = new sqlite.Database(path);
  db.exec(`
    create table gpkg_spatial_ref_sys (srs_id integer primary key, organization text, organization_coordsys_id integer, definition text);
    create table gpkg_contents (table_name text primary key, data_type text);
    create table gpkg_geometry_columns (table_name text, column_name text, srs_id integer);
    insert into gpkg_spatial_ref_sys values (2249, 'EPSG', 2249, 'PROJCS[]'), (9, 'NONE', 9, 'PROJCS["own"]');
    ${sql}`);
  db.close();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

function rowOfCells(line: string, i: number): string {
  if (line === '' || line.startsWith('<row')) return line;
  const cells = line.split('|').map((value, j) => (value ? `<c r="${'ABCDE'[j]}${i + 1}" t="str"><v>${value}</v></c>` : ''));
  return `<row r="${i + 1}">${cells.join('')}</row>`;
}
