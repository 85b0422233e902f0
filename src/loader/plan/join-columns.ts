import { AppError } from '../../errors.js';
import type { Mapping } from '../mapping/fields.js';
import { findColumn } from '../mapping/map-options.js';
import { sampleColumns } from '../mapping/sampled-column.js';
import type { Properties, Source, SourceRow } from '../sources/source.js';
import { type FoundPair, findPairs, type JoinPair, type KeyCounts, keyCounts, matchedRows, plainCounts } from './join-pairs.js';

export interface JoinPlan extends JoinPair {
  roll: Source;
  /** Pairs that tie any rows, the best first: what an operator may choose from. */
  pairs: JoinPair[];
}

const maxPairs = 8;

/**
 * The rows of both files, for recognising what their columns are: of those of one name the roll's values count, since the shapes' may say
 * something else (a subdivision's name, the parcel's address). The key says the same in both.
 */
export function rowsOfBoth(shapes: Properties[], roll: Properties[], { shapeColumn, rollColumn }: JoinPair): Properties[] {
  const filled = new Set(sampleColumns(roll).flatMap(({ name, values }) => (values.length > 0 ? [name] : [])));
  if (shapeColumn === rollColumn) filled.delete(rollColumn);
  const own = (properties: Properties) => Object.fromEntries(Object.entries(properties).filter(([name]) => !filled.has(name)));
  return [...shapes.map(own), ...roll];
}

/**
 * The columns that tie a roll to shapes: those that are named, else those that tie the sampled rows surely.
 * @param on `COLUMN` or `SHAPECOLUMN=ROLLCOLUMN`
 * @param mapping of the columns of both files
 * @throws AppError where a column is not there, or none is named and none ties rows surely
 */
export function planJoin(roll: Source, on: string | undefined, shapes: SourceRow[], rollRows: SourceRow[], mapping: Mapping): JoinPlan {
  const shapeKeys = keysOf(shapes);
  const rollKeys = keysOf(rollRows);
  const exact = findPairs(shapeKeys, rollKeys, mapping);
  const found = [...(exact[0]?.isSure ? [] : plainPairs(shapeKeys, rollKeys, mapping, exact)), ...exact].slice(0, maxPairs);
  const pairs = found.map(({ shapeColumn, rollColumn, matched }) => ({ shapeColumn, rollColumn, matched }));
  if (on !== undefined) return { roll, ...pairNamed(on, shapeKeys, rollKeys), pairs };
  if (found[0]?.isSure) return { roll, ...pairs[0]!, pairs };
  const guesses = pairs.map(({ shapeColumn, rollColumn, matched }) => `${shapeColumn}=${rollColumn} (${matched} of ${rollRows.length})`);
  throw new AppError(
    'invalid_request',
    `No column of the shapes (${[...shapeKeys.keys()].join(', ')}) surely has the values of a column of the roll (${[...rollKeys.keys()].join(', ')}) in the first rows` +
      `${guesses.length > 0 ? `; by chance or not, some meet in ${guesses.join(', ')}` : ''}. ` +
      '--on COLUMN names the one that both have, --on SHAPECOLUMN=ROLLCOLUMN two of different names.',
  );
}

/** Pairs that tie rows surely, but for case and punctuation, and none without that: where some values meet as they are, the others are others. */
function plainPairs(shapes: Map<string, KeyCounts>, roll: Map<string, KeyCounts>, mapping: Mapping, exact: JoinPair[]): FoundPair[] {
  const isExact = (pair: JoinPair) =>
    exact.some(({ shapeColumn, rollColumn }) => shapeColumn === pair.shapeColumn && rollColumn === pair.rollColumn);
  return findPairs(plainCounts(shapes), plainCounts(roll), mapping).filter((pair) => pair.isSure && !isExact(pair));
}

function keysOf(rows: SourceRow[]): Map<string, KeyCounts> {
  const properties = rows.map((row) => row.properties);
  return keyCounts(
    sampleColumns(properties).map(({ name }) => name),
    properties,
  );
}

function pairNamed(on: string, shapes: Map<string, KeyCounts>, roll: Map<string, KeyCounts>): JoinPair {
  const [shapeName = '', rollName = shapeName] = on.split('=').map((name) => name.trim());
  const shapeColumn = findColumn(shapeName, [...shapes.keys()]);
  const rollColumn = findColumn(rollName, [...roll.keys()]);
  if (!shapeColumn)
    throw new AppError('invalid_request', `--on ${on}: the shapes have no column ${shapeName}, but: ${[...shapes.keys()].join(', ')}.`);
  if (!rollColumn)
    throw new AppError('invalid_request', `--on ${on}: the roll has no column ${rollName}, but: ${[...roll.keys()].join(', ')}.`);
  const matchedOf = (ofShapes: Map<string, KeyCounts>, ofRoll: Map<string, KeyCounts>) =>
    matchedRows(ofShapes.get(shapeColumn)!, ofRoll.get(rollColumn)!);
  return { shapeColumn, rollColumn, matched: matchedOf(shapes, roll) || matchedOf(plainCounts(shapes), plainCounts(roll)) };
}
