import { type Mapping, plainName } from '../columns/fields.js';
import type { Properties } from '../formats/source.js';
import { plainParcelNumber, textOf } from '../values/values.js';

/** Two columns by which a tax roll may be tied to shapes. */
export interface JoinPair {
  shapeColumn: string;
  rollColumn: string;
  /** How many sampled rows of the roll meet a sampled shape. Low where the files are in different orders. */
  matched: number;
}

/** How often each value of a column is among the sampled rows. */
export type KeyCounts = Map<string, number>;

/** A value as it is compared: one that went through a column of decimals is the same. */
export const comparedText = (value: unknown): string | null => textOf(value)?.replace(/^(\d+)\.0+$/, '$1') ?? null;

// No number is so long, and Postgres' indexes take no more than 2,704 bytes, in which a character may have four.
const mostCharacters = 500;

/** The same as a key; null also for what is no parcel's. */
export function joinKeyOf(value: unknown): string | null {
  const text = comparedText(value);
  return text !== null && text.length > mostCharacters ? null : text;
}

/** How columns are called that make a key together: as `--on` names them. */
export const joinedName = (columns: readonly string[]): string => columns.join('+');

/** A row's key. That of several columns, such as `Major+Minor`, has a space between their values, as a record's number has. */
export function keyIn(row: Properties, column: string): string | null {
  if (column in row || !column.includes('+')) return joinKeyOf(row[column]);
  const pieces = column.split('+').map((piece) => joinKeyOf(row[piece]));
  return pieces.filter((piece) => piece !== null).join(' ') || null;
}

export function keyCounts(columns: string[], rows: Properties[]): Map<string, KeyCounts> {
  return new Map(
    columns.map((column) => {
      const counts: KeyCounts = new Map();
      for (const row of rows) {
        const key = keyIn(row, column);
        if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return [column, counts];
    }),
  );
}

/** The values that meet by no chance, without case and punctuation; a column in which two are the same then has none. */
export function plainCounts(keys: Map<string, KeyCounts>): Map<string, KeyCounts> {
  return new Map(
    [...keys].map(([column, counts]) => {
      const telling = [...counts].filter(([key]) => isTelling(key));
      const plain = new Map(telling.map(([key, count]) => [plainParcelNumber(key), count]));
      return [column, plain.size === telling.length ? plain : new Map()];
    }),
  );
}

export function matchedRows(shapes: KeyCounts, roll: KeyCounts): number {
  let rows = 0;
  for (const [key, count] of roll) if (shapes.has(key)) rows += count;
  return rows;
}

export interface FoundPair extends JoinPair {
  isSure: boolean;
  /** One for columns of the same name, one for a parcel number. */
  named: number;
  /** Different values that both have and that meet by no chance. */
  telling: number;
}

/** A name is worth as much as values again: columns of one name tie few of the first rows where the files are in different orders. */
const weightOf = ({ telling, named }: FoundPair): number => telling * (1 + named);

/**
 * Pairs of columns that tie any of the sampled rows, the best first: those with values that do not meet by chance, by how many of these they
 * share and by what they are called.
 * @param mapping of the columns of both files
 */
export function findPairs(shapes: Map<string, KeyCounts>, roll: Map<string, KeyCounts>, { apn, ...others }: Mapping): FoundPair[] {
  const numberColumns = new Set(apn?.columns);
  const otherColumns = new Set(Object.values(others).flatMap(({ columns }) => columns));
  const rollKeys = [...roll].filter(isKey);
  return [...shapes]
    .filter(isKey)
    .flatMap(([shapeColumn, ofShapes]) => rollKeys.map(([rollColumn, ofRoll]) => pairOf(shapeColumn, rollColumn, ofShapes, ofRoll)))
    .filter(({ matched }) => matched > 0)
    .sort(
      (one, other) =>
        Number(other.isSure) - Number(one.isSure) ||
        weightOf(other) - weightOf(one) ||
        other.named - one.named ||
        other.matched - one.matched,
    );

  function pairOf(shapeColumn: string, rollColumn: string, ofShapes: KeyCounts, ofRoll: KeyCounts): FoundPair {
    const shared = [...ofRoll.keys()].filter((key) => ofShapes.has(key));
    const telling = shared.filter(isTelling).length;
    const named =
      Number(plainName(shapeColumn) === plainName(rollColumn)) + Number(numberColumns.has(shapeColumn) || numberColumns.has(rollColumn));
    const smaller = Math.min(ofShapes.size, ofRoll.size);
    const mayBeShort = named > 0 && !otherColumns.has(shapeColumn) && !otherColumns.has(rollColumn) && isUnique(ofShapes);
    const isSure = telling >= wantedTelling(named, smaller) || (mayBeShort && shared.length >= smaller / 2);
    return { shapeColumn, rollColumn, matched: matchedRows(ofShapes, ofRoll), isSure, named, telling };
  }
}

// Of files in different orders the first rows have few parcels in common: of Cambridge's, 12 of 183 numbers.
const fewTelling = 3;

function wantedTelling(named: number, smaller: number): number {
  if (named === 2) return 1;
  return Math.max(Math.min(fewTelling, smaller), named === 1 ? 0 : smaller / 10);
}

// Condominiums repeat the number of their building: a fifth of Cambridge's first rows are different. Of its codes a twentieth are.
const minDistinct = 0.1;

/** Counts of rows meet whatever is counted in the other file. */
const rowNumberNames = new Set(['objectid', 'fid', 'oid', 'gid', 'ogcfid', 'id', 'rowid', 'recno', 'globalid']);

function isKey([column, counts]: [string, KeyCounts]): boolean {
  return counts.size > 1 && counts.size >= minDistinct * rowsIn(counts) && !rowNumberNames.has(plainName(column));
}

const isUnique = (counts: KeyCounts): boolean => counts.size >= 0.9 * rowsIn(counts);

const rowsIn = (counts: KeyCounts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Values that files have in common by chance, or of parcels that are not the same. */
const untelling = [
  /^\D*$/, // names
  /^-?\d{1,5}$/, // years, stories, lots, ZIP codes
  /^-?\d*\.\d+$/, // areas
  /^\d{1,6}00$/, // amounts
  /^\d{5}-\d{4}$/, // ZIP codes
  /^\d{4}[-/]\d{1,2}[-/]\d{1,2}|^\d{1,2}[-/]\d{1,2}[-/](18|19|20)\d\d|^(18|19|20)\d\d(0[1-9]|1[0-2])[0-3]\d$/, // days
  /\d\s+[a-z .]*[a-z]{2}/i, // addresses
];

// On long texts the expressions above would take time that grows with the square of their length.
const maxKeyLength = 60;

const isTelling = (key: string): boolean => key.length <= maxKeyLength && !untelling.some((pattern) => pattern.test(key));
