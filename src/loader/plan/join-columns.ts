import { AppError } from '../../core/errors.js';
import type { FieldSource, Mapping } from '../columns/fields.js';
import { sampleColumns } from '../columns/sampled-column.js';
import type { Properties, Source, SourceRow } from '../formats/source.js';
import { type FoundPair, findPairs, type JoinPair, joinedName, type KeyCounts, matchedRows, plainCounts } from './join-pairs.js';
import { JoinSide } from './join-side.js';

export interface JoinPlan extends JoinPair {
  roll: Source;
  /** The column that ties it, or the several of which the number consists. */
  rollColumns: string[];
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
 * @param on `COLUMN` or `SHAPECOLUMN=ROLLCOLUMN`, of which each may be several, as `Major+Minor`
 * @param mapping of the columns of both files
 * @param given what the operator has mapped
 * @throws AppError where a column is not there, or none is named and none ties rows surely
 */
export function planJoin(
  roll: Source,
  on: string | undefined,
  shapes: SourceRow[],
  rollRows: SourceRow[],
  mapping: Mapping,
  given: Mapping,
): JoinPlan {
  const ofShapes = new JoinSide(shapes);
  const ofRoll = new JoinSide(rollRows);
  const shapeKeys = ofShapes.keysFor(given);
  const rollKeys = ofRoll.keysFor(given);
  const exact = findPairs(shapeKeys, rollKeys, mapping);
  const found = [...(exact[0]?.isSure ? [] : plainPairs(shapeKeys, rollKeys, mapping, exact)), ...exact].slice(0, maxPairs);
  const pairs = found.map(({ shapeColumn, rollColumn, matched }) => ({ shapeColumn, rollColumn, matched }));
  const pair = on !== undefined ? pairNamed(on, ofShapes, ofRoll) : found[0]?.isSure ? pairs[0]! : null;
  if (pair) return { roll, ...pair, rollColumns: ofRoll.columnsOf(pair.rollColumn), pairs };
  const guesses = pairs.map(({ shapeColumn, rollColumn, matched }) => `${shapeColumn}=${rollColumn} (${matched} of ${rollRows.length})`);
  throw new AppError(
    'invalid_request',
    `No column of the shapes (${[...shapeKeys.keys()].join(', ')}) surely has the values of a column of the roll (${[...rollKeys.keys()].join(', ')}) in the first rows` +
      `${guesses.length > 0 ? `; by chance or not, some meet in ${guesses.join(', ')}` : ''}. ` +
      '--on COLUMN names the one that both have, --on SHAPECOLUMN=ROLLCOLUMN two of different names.',
  );
}

/**
 * Where the records of a join have their number from: not from several columns that one of the files alone has, since a row that meets none
 * of the other file has but its key.
 * @param names of all columns
 */
export function numberOfBoth({ apn }: Mapping, { shapeColumn, rollColumn }: JoinPair, names: string[]): FieldSource {
  if (apn && (apn.columns.length === 1 || ![shapeColumn, rollColumn].includes(joinedName(apn.columns)))) return apn;
  return { columns: [!names.includes(shapeColumn) && names.includes(rollColumn) ? rollColumn : shapeColumn] };
}

/** Pairs that tie rows surely, but for case and punctuation, and none without that: where some values meet as they are, the others are others. */
function plainPairs(shapes: Map<string, KeyCounts>, roll: Map<string, KeyCounts>, mapping: Mapping, exact: JoinPair[]): FoundPair[] {
  const isExact = (pair: JoinPair) =>
    exact.some(({ shapeColumn, rollColumn }) => shapeColumn === pair.shapeColumn && rollColumn === pair.rollColumn);
  return findPairs(plainCounts(shapes), plainCounts(roll), mapping).filter((pair) => pair.isSure && !isExact(pair));
}

function pairNamed(on: string, shapes: JoinSide, roll: JoinSide): JoinPair {
  const [shapeName = '', rollName = shapeName] = on.split('=').map((name) => name.trim());
  const shapeColumn = shapes.find(shapeName);
  const rollColumn = roll.find(rollName);
  if (shapeColumn === undefined)
    throw new AppError('invalid_request', `--on ${on}: the shapes have no column ${shapeName}, but: ${shapes.columns.join(', ')}.`);
  if (rollColumn === undefined)
    throw new AppError('invalid_request', `--on ${on}: the roll has no column ${rollName}, but: ${roll.columns.join(', ')}.`);
  const [ofShapes, ofRoll] = [shapes.keys([shapeColumn]), roll.keys([rollColumn])];
  const matched = (one: Map<string, KeyCounts>, other: Map<string, KeyCounts>) =>
    matchedRows(one.get(shapeColumn)!, other.get(rollColumn)!);
  return { shapeColumn, rollColumn, matched: matched(ofShapes, ofRoll) || matched(plainCounts(ofShapes), plainCounts(ofRoll)) };
}
