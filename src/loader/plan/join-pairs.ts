import { plainParcelNumber } from '../../releases/record-fields/search-keys.js';
import { type Mapping, plainName } from '../columns/fields.js';
import type { Properties } from '../formats/source-row.js';
import { textOf } from '../values/values.js';

/** Two columns by which a tax roll may be joined to shapes. */
export interface JoinPair {
  shapeColumn: string;
  rollColumn: string;
  /** How many sampled rows of the roll match a sampled shape. Low when the files are in different orders. */
  matched: number;
}

/** How often each value of a column occurs in the sampled rows. */
export type KeyCounts = Map<string, number>;

/** A value for comparison. Zeros from a column of decimals are dropped. */
export const comparedText = (value: unknown): string | null => textOf(value)?.replace(/^(\d+)\.0+$/, '$1') ?? null;

// No parcel number is longer. Postgres' indexes take 2,704 bytes at most, and a character has up to four.
const mostCharacters = 500;

/** Editors enter for land without a number words such as ROW, UNKNOWN or WATER, zeros, or nines. */
const isPlaceholder = (key: string): boolean => !hasDigit.test(key) || /^[0\W_]+$/.test(key) || /^9{4,}$/.test(key);

const hasDigit = /\d/;

/** A value as a piece of a join key; null for blanks and for texts too long to be a parcel number. */
function keyPieceOf(value: unknown): string | null {
  const text = comparedText(value);
  return text !== null && text.length > mostCharacters ? null : text;
}

/** The name of several columns that make a key together, as `--on` writes it. */
export const joinedName = (columns: readonly string[]): string => columns.join('+');

/**
 * A row's join key, null for a placeholder, which would join all rows that have it. Values of several columns, such as `Major+Minor`, are
 * joined by a space, as in a record's parcel number.
 */
export function keyIn(row: Properties, column: string): string | null {
  const key = column in row || !column.includes('+') ? keyPieceOf(row[column]) : numberIn(row, column.split('+'));
  return key === null || isPlaceholder(key) ? null : key;
}

/** A row's parcel number, as its columns make it together. */
export const numberIn = (row: Properties, columns: string[]): string | null =>
  columns
    .map((column) => keyPieceOf(row[column]))
    .filter((piece) => piece !== null)
    .join(' ') || null;

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

/** Distinctive values without case and punctuation. A column has none if two of its values become the same. */
export function plainCounts(keys: Map<string, KeyCounts>): Map<string, KeyCounts> {
  return new Map(
    [...keys].map(([column, counts]) => {
      const distinctive = [...counts].filter(([key]) => isDistinctive(key));
      const plain = new Map(distinctive.map(([key, count]) => [plainParcelNumber(key), count]));
      return [column, plain.size === distinctive.length ? plain : new Map()];
    }),
  );
}

export function countMatchedRows(shapes: KeyCounts, roll: KeyCounts): number {
  let rows = 0;
  for (const [key, count] of roll) if (shapes.has(key)) rows += count;
  return rows;
}

export interface FoundPair extends JoinPair {
  isSure: boolean;
  /** One point for columns of the same name, one for a parcel number. */
  named: number;
  /** How many distinctive values both columns share. */
  distinctive: number;
}

/** A name is worth as much as values again: columns of one name tie few of the first rows where the files are in different orders. */
const weightOf = ({ distinctive, named }: FoundPair): number => distinctive * (1 + named);

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
    const distinctive = shared.filter(isDistinctive).length;
    const named =
      Number(plainName(shapeColumn) === plainName(rollColumn)) + Number(numberColumns.has(shapeColumn) || numberColumns.has(rollColumn));
    const smaller = Math.min(ofShapes.size, ofRoll.size);
    const mayBeShort = named > 0 && !otherColumns.has(shapeColumn) && !otherColumns.has(rollColumn) && isUnique(ofShapes);
    const isSure =
      distinctive >= distinctiveNeeded(named, smaller) ||
      (mayBeShort && shared.length >= smaller / 2) ||
      areSameNumbers(shared, smaller, ofShapes);
    return { shapeColumn, rollColumn, matched: countMatchedRows(ofShapes, ofRoll), isSure, named, distinctive };
  }
}

// Files in different orders have few parcels in common in their first rows: Cambridge's have 12 of 183.
const enoughDistinctive = 3;

function distinctiveNeeded(named: number, smaller: number): number {
  if (named === 2) return 1;
  return Math.max(Math.min(enoughDistinctive, smaller), named === 1 ? 0 : smaller / 10);
}

const enoughShort = 20;
const nearlyAll = 0.95;

/** Whether nearly all keys are shared, too many to meet by chance, and are no count of rows, which any two files share. */
function areSameNumbers(shared: string[], smaller: number, shapes: KeyCounts): boolean {
  if (shared.length < enoughShort || shared.length < smaller * nearlyAll || !isUnique(shapes)) return false;
  const numbers = shared.map(Number);
  if (numbers.some((number) => !Number.isInteger(number))) return false;
  const [least, most] = numbers.reduce(([low, high], number) => [Math.min(low, number), Math.max(high, number)], [Infinity, -Infinity]);
  return most - least > 2 * shared.length && shared.some((key) => !amountOrYear.test(key));
}

const amountOrYear = /00$|^(1[6-9]|20)\d\d$/;

// Condominiums repeat their building's number: a fifth of the numbers in Cambridge's first rows are distinct, a twentieth of its codes.
const minDistinct = 0.1;

/** Row numbers match any row numbers of the other file. */
const rowNumberNames = new Set(['objectid', 'fid', 'oid', 'gid', 'ogcfid', 'id', 'rowid', 'recno', 'globalid']);

function isKey([column, counts]: [string, KeyCounts]): boolean {
  return counts.size > 1 && counts.size >= minDistinct * rowsIn(counts) && !rowNumberNames.has(plainName(column));
}

const enoughRows = 100;

/**
 * Columns that may be keys in the whole file, judged by the first rows: not those with few values, or with names, addresses, amounts and
 * days. Mostly blank columns may be.
 */
export const possibleKeys = (columns: Map<string, KeyCounts>): string[] =>
  [...columns].flatMap((column) => {
    const [name, counts] = column;
    if (rowNumberNames.has(plainName(name))) return [];
    const keys = [...counts.keys()].filter((key) => isDistinctive(key) || shortNumber.test(key));
    return rowsIn(counts) < enoughRows || (isKey(column) && keys.length * 2 > counts.size) ? [name] : [];
  });

const shortNumber = /^\d{1,5}$/;

const isUnique = (counts: KeyCounts): boolean => counts.size >= 0.9 * rowsIn(counts);

export const rowsIn = (counts: KeyCounts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Values that match by chance, or for different parcels. */
const undistinctive = [
  /^\D*$/, // names
  /^-?\d{1,5}$/, // years, stories, lots, ZIP codes
  /^-?\d*\.\d+$/, // areas
  /^\d{1,6}00$/, // amounts
  /^\d{5}-\d{4}$/, // ZIP codes
  /^\d{4}[-/]\d{1,2}[-/]\d{1,2}|^\d{1,2}[-/]\d{1,2}[-/](18|19|20)\d\d|^(18|19|20)\d\d(0[1-9]|1[0-2])[0-3]\d$/, // days
  /\d\s+[a-z .]*[a-z]{2}/i, // addresses
];

// The expressions above take quadratic time on long texts.
const maxKeyLength = 60;

const isDistinctive = (key: string): boolean => key.length <= maxKeyLength && !undistinctive.some((pattern) => pattern.test(key));
