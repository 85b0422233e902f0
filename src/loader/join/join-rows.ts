import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'pg';
import { refusal } from '../../core/errors.js';
import { rowsOf } from '../../database/long-reads.js';
import { type Properties, type ReadPosition, row, type SourceBatch, type SourceGeometry, type SourceRow } from '../formats/source-row.js';
import type { JoinedSide, JoinMatch } from '../load-answers.js';
import { keyIn, numberIn } from '../plan/join-pairs.js';
import { CopyWriter, copyText } from '../staging/copy-writer.js';
import { textOf } from '../values/values.js';
import { conflictingColumns } from './conflicting-columns.js';
import { applyKeySpelling, findKeySpelling, haveCommonKeys, proposeKeySpelling, type Side } from './key-spelling.js';

/** The join columns of two files. */
export interface JoinColumns {
  shapeColumn: string;
  rollColumn: string;
  /** The names of all columns of both files. */
  names: string[];
  /** The join columns that exist in the county's files. A key of several columns has no column of its own. */
  keyed: string[];
  /** How the keys are written, as `--join-key` takes it. Empty: as they are, or by their letters and digits. */
  spelling: string[];
  /** If the roll has its own number beside the key: its columns, and those from which shapes without a row of the roll get theirs. */
  number: { roll: string[]; map: string[] } | null;
}

/** Progress of reading all rows. */
export interface Reading extends ReadPosition {
  /** Warnings that only reading the rows can give. */
  warnings: string[];
  /** Once all rows are joined, or none can be. */
  match?: JoinMatch;
}

/**
 * Joins a tax roll to shapes. Yields one row for each roll row, with the shape of its key if there is one, and one row for each shape
 * without a roll row. Shapes that share a key with roll rows are one parcel of several parts: it gets the properties on which all parts
 * agree. Both sides are copied into temporary tables, so neither has to fit into memory. `reading` counts the joined rows as a second pass
 * over the files.
 */
export async function* joinRows(
  db: Client,
  shapes: AsyncIterable<SourceBatch>,
  roll: AsyncIterable<SourceBatch>,
  columns: JoinColumns,
  reading: Reading,
): AsyncIterable<SourceBatch> {
  const [ofShapes, ofRoll] = [unread(), unread()];
  await db.query(`
    create temp table shape (number integer, key text, properties text collate "C", geometry text collate "C");
    create temp table roll (like shape)
  `);
  yield* stage(db, 'shape', shapes, columns.shapeColumn, ofShapes);
  yield* stage(db, 'roll', roll, columns.rollColumn, ofRoll);
  const sides = { shape: ofShapes, roll: ofRoll };
  const spelling = await spellKeys(db, columns, sides, reading);
  const renamed = new Map([...(await conflictingColumns(db))].map((name) => [name, spareName(name, columns.names)]));
  const names = { ...columns, renamed };

  const bytesPerRow = reading.bytesRead / (ofShapes.rows + ofRoll.rows);
  await db.query('begin');
  for await (const batch of rowsOf<MatchedShape>(db, matchedShapes)) {
    for (const matched of batch) {
      reading.bytesRead += bytesPerRow * (matched.shape_count + matched.rows.length);
      yield matchedRows(matched, names);
    }
  }
  for (const [query, side, propertiesOf] of [
    [unmatched('shape', 'roll'), ofShapes, loneShapeProperties],
    [unmatched('roll', 'shape'), ofRoll, rollProperties],
  ] as const) {
    for await (const batch of rowsOf<StagedRow>(db, query)) {
      reading.bytesRead += bytesPerRow * batch.length;
      side.unmatched += batch.length;
      side.example ??= batch.find(({ key }) => key !== null)?.key ?? null;
      yield batch.map(({ number, key, properties, geometry }) =>
        row(number, propertiesOf(key, JSON.parse(properties), names), geometry && JSON.parse(geometry)),
      );
    }
  }
  await db.query('commit');
  reading.match = { ...sides, spelling, proposal: matchPoorly(sides) ? await proposeKeySpelling(db) : null };
}

// Roads have no roll row and personal property has no shape, but both are fewer.
const fewUnmatched = 0.1;

/** Whether many rows of both files match nothing: their keys are probably written in two ways. */
export const matchPoorly = ({ shape, roll }: Record<Side, JoinedSide>): boolean =>
  Math.min(shape.unmatched, roll.unmatched) > Math.min(shape.rows, roll.rows) * fewUnmatched;

const unread = (): JoinedSide => ({ rows: 0, unmatched: 0, example: null });

/** Gives the staged keys one spelling: the stated one, or by letters and digits. @throws AppError when no key matches: the columns are wrong */
async function spellKeys(
  db: Client,
  { shapeColumn, rollColumn, spelling: stated }: JoinColumns,
  sides: Record<Side, JoinedSide>,
  reading: Reading,
): Promise<string[]> {
  const found = stated.length > 0 ? null : await findKeySpelling(db);
  const spelling = found?.spelling ?? stated;
  reading.warnings.push(...(await applyKeySpelling(db, spelling)));
  if (found)
    reading.warnings.push(
      `The shapes' ${shapeColumn} and the roll's ${rollColumn} are written in two ways (${found.example.shape}, ${found.example.roll}): they are ` +
        "joined by their letters and digits. Records have the shapes' spelling.",
    );
  await db.query('create index on shape (key); create index on roll (key); analyze shape; analyze roll');
  if (await haveCommonKeys(db)) return spelling;
  const { rows } = await db.query<Record<Side, string>>(
    'select (select min(key) from shape) as shape, (select min(key) from roll) as roll',
  );
  const proposal = await proposeKeySpelling(db);
  const none = (side: Side): JoinedSide => ({ ...sides[side], unmatched: sides[side].rows, example: rows[0]![side] });
  reading.match = { shape: none('shape'), roll: none('roll'), spelling, proposal };
  throw refusal(
    `--on ${shapeColumn}=${rollColumn} joins no row of the roll to a shape: the shapes have keys such as ${rows[0]!.shape}, the roll such as ` +
      `${rows[0]!.roll}${stated.length > 0 ? `, after --join-key ${stated.join(' ')}` : ''}.` +
      (proposal ? ` If these are the same parcels, say so with ${describeSpelling(proposal)}.` : ''),
  );
}

export const describeSpelling = (spelling: string[]): string => spelling.map((text) => `--join-key ${text}`).join(' ');

interface MatchedShape {
  key: string;
  shapes: string[];
  shape_count: number;
  geometries: string[];
  numbers: number[];
  rows: string[];
}

interface StagedRow {
  number: number;
  key: string | null;
  properties: string;
  geometry: string | null;
}

const matchedShapes = `
  select s.key, array_agg(distinct s.properties order by s.properties) as shapes, count(*)::integer as shape_count,
         array_remove(array_agg(distinct s.geometry order by s.geometry), null) as geometries,
         (select array_agg(r.number order by r.number) from roll r where r.key = s.key) as numbers,
         (select array_agg(r.properties order by r.number) from roll r where r.key = s.key) as rows
    from shape s
   where exists (select from roll r where r.key = s.key)
   group by s.key
   order by min(s.number)`;

const unmatched = (side: Side, other: Side): string => `
  select number, key, properties, geometry from ${side} s
   where not exists (select from ${other} o where o.key = s.key) order by number`;

function matchedRows({ key, shapes, geometries, numbers, rows }: MatchedShape, names: Names): SourceRow[] {
  const shape = shapeProperties(key, agreed(shapes.map((text) => JSON.parse(text))), names);
  const geometry = mergeGeometries(geometries.map((text) => JSON.parse(text)));
  return rows.map((text, i) =>
    row(numbers[i]!, { ...shape, ...withKey(key, withoutBlanks(JSON.parse(text)), names.rollColumn, names) }, geometry),
  );
}

/** The properties on which all parts of a parcel agree. Another property (an address, a unit) may not apply to every roll row. */
function agreed([first, ...others]: Properties[]): Properties {
  return Object.fromEntries(
    Object.entries(first!).filter(([name, value]) => others.every((other) => isDeepStrictEqual(other[name], value))),
  );
}

/** The new names of shape columns that conflict with the roll's. */
interface Names extends JoinColumns {
  renamed: Map<string, string>;
}

function spareName(name: string, names: string[]): string {
  for (let n = 2; ; n++) if (!names.includes(`${name}_${n}`)) return `${name}_${n}`;
}

// A row gets its key under both join columns' names: the parcel number may be mapped to either.
function shapeProperties(key: string | null, properties: Properties, names: Names): Properties {
  const { shapeColumn, rollColumn, renamed } = names;
  const own = Object.entries({ ...keyAs([shapeColumn], key, names), ...withKey(key, properties, shapeColumn, names) });
  return { ...keyAs([rollColumn], key, names), ...Object.fromEntries(own.map(([name, value]) => [renamed.get(name) ?? name, value])) };
}

/** A shape without a row of the roll has the map's number in the place of the roll's. */
function loneShapeProperties(key: string | null, properties: Properties, names: Names): Properties {
  const own = shapeProperties(key, properties, names);
  if (!names.number) return own;
  const { roll, map } = names.number;
  return { ...own, ...Object.fromEntries(roll.map((column) => [column, null])), [roll[0]!]: numberIn(properties, map) };
}

function rollProperties(key: string | null, properties: Properties, names: Names): Properties {
  const { shapeColumn, rollColumn } = names;
  return { ...keyAs([shapeColumn, rollColumn], key, names), ...withKey(key, properties, rollColumn, names) };
}

/** Writes a normalized key back into its column. */
function withKey(key: string | null, properties: Properties, column: string, names: Names): Properties {
  return keyIn(properties, column) === key ? properties : { ...properties, ...keyAs([column], key, names) };
}

const keyAs = (columns: string[], key: string | null, { keyed }: Names): Properties =>
  Object.fromEntries(columns.filter((column) => keyed.includes(column)).map((column) => [column, key]));

function mergeGeometries(geometries: SourceGeometry[]): SourceGeometry | null {
  return geometries.length > 1 ? { type: 'GeometryCollection', geometries } : (geometries[0] ?? null);
}

function withoutBlanks(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => textOf(value) !== null));
}

/**
 * Copies rows into a temporary table, those of the roll without shapes. Yields the unreadable rows of each batch, which are counted as
 * rejected; yielding also reports progress.
 */
async function* stage(
  db: Client,
  table: Side,
  batches: AsyncIterable<SourceBatch>,
  column: string,
  side: JoinedSide,
): AsyncIterable<SourceRow[]> {
  const copy = new CopyWriter(db, `copy ${table} from stdin`);
  try {
    for await (const rows of batches) {
      const broken: SourceRow[] = [];
      let lines = '';
      for (const each of rows) {
        if (each.fault !== null) {
          broken.push(each);
          continue;
        }
        side.rows++;
        const { number, properties, geometry } = each;
        const shape = table === 'shape' && geometry ? JSON.stringify(geometry) : null;
        lines += `${[String(number), keyIn(properties, column), JSON.stringify(properties), shape].map(copyText).join('\t')}\n`;
      }
      await copy.write(Buffer.from(lines));
      yield broken;
    }
    await copy.finish();
  } catch (error) {
    await copy.abort();
    throw error;
  }
}
