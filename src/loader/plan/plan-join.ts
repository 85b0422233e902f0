import { refusal } from '../../core/errors.js';
import type { FieldSource, Mapping } from '../columns/fields.js';
import { type Recognition, recognise } from '../columns/recognise.js';
import { sampleColumns } from '../columns/sampled-column.js';
import type { Source } from '../formats/source.js';
import type { Properties } from '../formats/source-row.js';
import {
  countMatchedRows,
  type FoundPair,
  findPairs,
  type JoinPair,
  joinedName,
  type KeyCounts,
  plainCounts,
  possibleKeys,
  rowsIn,
} from './join-pairs.js';
import { JoinSide } from './join-side.js';
import { type JoinedFile, wholeKeys } from './whole-keys.js';

export interface JoinPlan extends JoinPair {
  roll: Source;
  /** The roll's key column, or the columns that make the key together. */
  rollColumns: string[];
  /** The columns of the map's own number if the roll's number is another one: rows of the roll have it, and shapes without a row this one. */
  mapNumber: string[] | null;
  /** How the keys are written, as the operator or the profile says; as `--join-key` takes it. */
  spelling: string[];
  /** How many rows of the roll were compared. */
  comparedRows: number;
  /** Candidates that match any rows, the best first, for the operator to choose from. */
  pairs: JoinPair[];
}

const maxPairs = 8;

/**
 * The rows of both files, for recognizing the columns. For columns of one name only the roll's values count, because the shapes' may mean
 * something else (a subdivision's name, the parcel's address). A shared key column keeps both.
 */
export function rowsOfBoth(shapes: Properties[], roll: Properties[], { shapeColumn, rollColumn }: JoinPair): Properties[] {
  const filled = new Set(sampleColumns(roll).flatMap(({ name, values }) => (values.length > 0 ? [name] : [])));
  if (shapeColumn === rollColumn) filled.delete(rollColumn);
  const own = (properties: Properties) => Object.fromEntries(Object.entries(properties).filter(([name]) => !filled.has(name)));
  return [...shapes.map(own), ...roll];
}

/**
 * The join columns: the ones that `--on` names, or the ones that surely match. The first rows are compared first, and the whole files if
 * these have too little in common.
 * @param on `COLUMN` or `SHAPECOLUMN=ROLLCOLUMN`; each may be several, as `Major+Minor`
 * @param mapping for the columns of both files
 * @param given the operator's mapping
 * @throws AppError when a named column is missing, or when none is named and none matches surely
 */
export async function planJoin(
  shapes: JoinedFile,
  roll: JoinedFile,
  on: string | undefined,
  mapping: Mapping,
  given: Mapping,
): Promise<JoinPlan> {
  const ofShapes = new JoinSide(shapes.sample);
  const ofRoll = new JoinSide(roll.sample);
  const shapeKeys = ofShapes.keysFor(given);
  const rollKeys = ofRoll.keysFor(given);
  let comparedRows = roll.sample.length;
  let found = pairsOf(shapeKeys, rollKeys, mapping);
  if (on === undefined && !found[0]?.isSure) {
    const whole = await wholeKeys({ ...shapes, columns: possibleKeys(shapeKeys) }, { ...roll, columns: possibleKeys(rollKeys) });
    found = pairsOf(whole.shapes, whole.roll, mapping);
    comparedRows = Math.max(0, ...[...whole.roll.values()].map(rowsIn));
  }
  const pairs = found.map(({ shapeColumn, rollColumn, matched }) => ({ shapeColumn, rollColumn, matched }));
  const pair = on !== undefined ? pairNamed(on, ofShapes, ofRoll) : found[0]?.isSure ? pairs[0]! : null;
  if (pair)
    return {
      roll: roll.sources[0]!,
      ...pair,
      rollColumns: ofRoll.columnsOf(pair.rollColumn),
      mapNumber: null,
      spelling: [],
      comparedRows,
      pairs,
    };
  const guesses = pairs.map(({ shapeColumn, rollColumn, matched }) => `${shapeColumn}=${rollColumn} (${matched} of ${comparedRows})`);
  throw refusal(
    `No column of the shapes (${[...shapeKeys.keys()].join(', ')}) clearly matches a column of the roll (${[...rollKeys.keys()].join(', ')})` +
      `${guesses.length > 0 ? `; some values match in ${guesses.join(', ')}` : ''}. ` +
      'Name the column that both have with --on COLUMN, or two different ones with --on SHAPECOLUMN=ROLLCOLUMN.',
  );
}

/**
 * The source of the parcel number in a join. A key made of several columns is read from the joined key, because a row of the other file
 * has only the key.
 * @param names of all columns
 */
export function numberOfBoth({ apn }: Mapping, { shapeColumn, rollColumn }: JoinPair, names: string[]): FieldSource {
  if (apn && (apn.columns.length === 1 || ![shapeColumn, rollColumn].includes(joinedName(apn.columns)))) return apn;
  return { columns: [!names.includes(shapeColumn) && names.includes(rollColumn) ? rollColumn : shapeColumn] };
}

/**
 * The source of the parcel number if the roll has its own beside the key: a building's units have one key, and each its number.
 * @param roll the sampled rows of the roll
 * @param shapes the sampled rows of the shapes
 */
export function rollsOwnNumber(
  { shapeColumn, rollColumn }: JoinPair,
  roll: Properties[],
  shapes: Properties[],
  state: string,
): { apn: FieldSource; evidence: Recognition['evidence']['apn']; mapNumber: string[] } | null {
  const { mapping, evidence } = recognise(sampleColumns(roll), { state });
  if (!mapping.apn || joinedName(mapping.apn.columns) === rollColumn || rollColumn.split('+').includes(mapping.apn.columns[0]!))
    return null;
  const ofShapes = recognise(sampleColumns(shapes), { state }).mapping.apn?.columns;
  return { apn: mapping.apn, evidence: evidence.apn, mapNumber: ofShapes ?? [shapeColumn] };
}

function pairsOf(shapes: Map<string, KeyCounts>, roll: Map<string, KeyCounts>, mapping: Mapping): FoundPair[] {
  const exact = findPairs(shapes, roll, mapping);
  return [...(exact[0]?.isSure ? [] : plainPairs(shapes, roll, mapping, exact)), ...exact].slice(0, maxPairs);
}

/** Pairs that surely match without case and punctuation. Pairs with exact matches are left out: their other values really differ. */
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
    throw refusal(`--on ${on}: the shapes have no column ${shapeName}. Their columns: ${shapes.columns.join(', ')}.`);
  if (rollColumn === undefined) throw refusal(`--on ${on}: the roll has no column ${rollName}. Its columns: ${roll.columns.join(', ')}.`);
  const [ofShapes, ofRoll] = [shapes.keys([shapeColumn]), roll.keys([rollColumn])];
  const matched = (one: Map<string, KeyCounts>, other: Map<string, KeyCounts>) =>
    countMatchedRows(one.get(shapeColumn)!, other.get(rollColumn)!);
  return { shapeColumn, rollColumn, matched: matched(ofShapes, ofRoll) || matched(plainCounts(ofShapes), plainCounts(ofRoll)) };
}

/** The mapping that reads a row's parcel number. A roll's number is in the columns of the join key, unless it has its own. */
export const withJoinKey = (mapping: Mapping, join: JoinPlan | null): Mapping =>
  join && join.mapNumber === null ? { ...mapping, apn: { columns: join.rollColumns } } : mapping;
