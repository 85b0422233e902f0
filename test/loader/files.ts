import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestDatabase } from '../harness/database.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { zip } from './zip.js';

/** A folder of the test's own for files it makes. */
export interface Scratch {
  folder: string;
  write(name: string, content: string | Buffer): Promise<string>;
}

export async function scratch(): Promise<Scratch> {
  const folder = await temporaryFolder();
  return {
    folder,
    write: async (name, content) => {
      const path = join(folder, name);
      await writeFile(path, content);
      return path;
    },
  };
}

/** The rows that a load rejected, as they are stored. */
export async function rejectedRows(db: TestDatabase, { releaseId }: { releaseId: number }) {
  const [stored] = await db.query<{ text: string | null }>(
    `select convert_from(string_agg(lines, '' order by number), 'UTF8') as text from rejected_rows where release_id = $1`,
    [releaseId],
  );
  const lines = stored!.text?.trimEnd().split('\n') ?? [];
  return lines.map((line) => JSON.parse(line) as { number: number; file?: string; reason: string; row: Record<string, unknown> });
}

/** The ring around a rectangle, counterclockwise from the southwest. */
export const box = (west: number, south: number, east: number, north: number): number[][] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

/** A square of a hundred metres or so in Middlesex County, Massachusetts; `index` moves it west and north. */
export function square(index = 0): { type: 'Polygon'; coordinates: number[][][] } {
  const west = -71.11 - (index % 50) * 0.002;
  const south = 42.37 + Math.floor(index / 50) * 0.002;
  return { type: 'Polygon', coordinates: [box(west, south, west + 0.001, south + 0.001)] };
}

export function feature(properties: object, geometry: object | null = square()): object {
  return { type: 'Feature', properties, geometry };
}

export function collection(features: object[], more: object = {}): string {
  return JSON.stringify({ type: 'FeatureCollection', ...more, features });
}

/** The bytes of a `.shp` of polygons (type 5, or 15 with heights), each a list of rings; null is a null shape. */
export function shp(shapes: (number[][][] | null)[], type: 5 | 15 = 5): Buffer {
  const records = shapes.map((rings, i) => {
    const content = rings === null ? nullShape() : polygonShape(rings, type);
    const head = Buffer.alloc(8);
    head.writeInt32BE(i + 1, 0);
    head.writeInt32BE(content.length / 2, 4);
    return Buffer.concat([head, content]);
  });
  const header = Buffer.alloc(100);
  header.writeInt32BE(9994, 0);
  header.writeInt32BE((100 + records.reduce((sum, { length }) => sum + length, 0)) / 2, 24);
  header.writeInt32LE(1000, 28);
  header.writeInt32LE(type, 32);
  return Buffer.concat([header, ...records]);
}

/** The bytes of a `.shx` that says at which byte of its `.shp` each shape is, and how long it is. */
export function shx(shp: Buffer, places: number[]): Buffer {
  const entries = places.map((place) => {
    const entry = Buffer.alloc(8);
    entry.writeInt32BE(place / 2, 0);
    if (place + 8 <= shp.length) shp.copy(entry, 4, place + 4, place + 8);
    return entry;
  });
  return Buffer.concat([shp.subarray(0, 100), ...entries]);
}

function nullShape(): Buffer {
  return Buffer.alloc(4);
}

function polygonShape(rings: number[][][], type: number): Buffer {
  const points = rings.flat();
  const bytes = Buffer.alloc(44 + rings.length * 4 + points.length * 16 + (type === 15 ? 16 + points.length * 8 : 0));
  bytes.writeInt32LE(type, 0);
  bytes.writeInt32LE(rings.length, 36);
  bytes.writeInt32LE(points.length, 40);
  let first = 0;
  rings.forEach((ring, i) => {
    bytes.writeInt32LE(first, 44 + i * 4);
    first += ring.length;
  });
  points.forEach(([x, y], i) => {
    bytes.writeDoubleLE(x!, 44 + rings.length * 4 + i * 16);
    bytes.writeDoubleLE(y!, 52 + rings.length * 4 + i * 16);
  });
  return bytes;
}

export type DbfColumn = [name: string, type: 'C' | 'N' | 'F' | 'D' | 'M' | 'G' | 'B' | 'T' | 'Y', length: number];

/** The bytes of a dBASE table, whose header states the code page of that number; 0: none. */
export function dbf(columns: DbfColumn[], rows: (string | Buffer)[][], languageDriver = 0): Buffer {
  const recordLength = 1 + columns.reduce((sum, [, , length]) => sum + length, 0);
  const header = Buffer.alloc(32 + columns.length * 32 + 1);
  header.set([3, 114, 1, 1]);
  header.writeUInt32LE(rows.length, 4);
  header.writeUInt16LE(header.length, 8);
  header.writeUInt16LE(recordLength, 10);
  header[29] = languageDriver;
  columns.forEach(([name, type, length], i) => {
    header.write(name, 32 + i * 32, 'latin1');
    header.write(type, 43 + i * 32, 'latin1');
    header[48 + i * 32] = length;
  });
  header[header.length - 1] = 0x0d;
  const records = rows.map((values) => {
    const record = Buffer.alloc(recordLength, ' ');
    let start = 1;
    values.forEach((value, i) => {
      Buffer.from(value).copy(record, start, 0, columns[i]![2]);
      start += columns[i]![2];
    });
    return record;
  });
  return Buffer.concat([header, ...records]);
}

/** The bytes of an Excel workbook of these sheets, each given as its rows. Its cell styles are: none, a day, no day, and two masks of digits. */
export const workbook = (sheets: Record<string, string>, pr = ''): Buffer =>
  zip({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook xmlns:r="r">${pr}<sheets>${Object.keys(sheets)
      .map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${Object.keys(sheets)
      .map((_, i) => `<Relationship Id="rId${i + 1}" Target="worksheets/sheet${i + 1}.xml"/>`)
      .join('')}</Relationships>`,
    'xl/sharedStrings.xml': '<sst><si><t>APN</t></si><si><r><t>PE</t></r><r><t>_x00D1_A</t></r><rPh><t>x</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[Red]0.00&quot;y&quot;"/><numFmt numFmtId="165" formatCode="0000000000"/><numFmt numFmtId="166" formatCode="&quot;R&quot;000\\-00\\-000;@"/></numFmts><cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>',
    ...Object.fromEntries(
      Object.values(sheets).map((rows, i) => [
        `xl/worksheets/sheet${i + 1}.xml`,
        `<worksheet xmlns="s"><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  });
