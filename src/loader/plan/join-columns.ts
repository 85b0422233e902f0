import { AppError } from '../../errors.js';
import { findColumn } from '../mapping/map-options.js';
import { sampleColumns } from '../mapping/sampled-column.js';
import { textOf } from '../normalise/values.js';
import type { Properties, Source, SourceRow } from '../sources/source.js';

/** Two columns by which a tax roll may be tied to shapes. */
export interface JoinPair {
  shapeColumn: string;
  rollColumn: string;
  /** How many sampled rows of the roll meet a sampled shape. Low where the files are in different orders. */
  matched: number;
}

export interface JoinPlan extends JoinPair {
  roll: Source;
  /** Pairs that tie any rows, the best first: what an operator may choose from. */
  pairs: JoinPair[];
}

const maxPairs = 8;
// A column in which most values repeat, such as the town, ties everything to everything.
const minDistinct = 0.5;

/**
 * The columns that tie a roll to shapes: those that are named, else those that tie most of the sampled rows.
 * @param on `COLUMN` or `SHAPECOLUMN=ROLLCOLUMN`
 * @throws AppError where a column is not there, or none is named and none ties any rows
 */
export function planJoin(roll: Source, on: string | undefined, shapes: SourceRow[], rollRows: SourceRow[]): JoinPlan {
  const shapeValues = columnsOf(shapes);
  const rollValues = columnsOf(rollRows);
  const pairs = findPairs(shapeValues, rollValues);
  const named = on === undefined ? undefined : pairNamed(on, shapeValues, rollValues);
  const chosen = named ?? pairs[0];
  if (!chosen) {
    throw new AppError(
      'invalid_request',
      `No column of the shapes (${[...shapeValues.keys()].join(', ')}) has values of a column of the roll (${[...rollValues.keys()].join(', ')}) in the first rows. ` +
        '--on COLUMN names the one that both have, --on SHAPECOLUMN=ROLLCOLUMN two of different names.',
    );
  }
  return { roll, ...chosen, pairs };
}

/** The values of each column in the sampled rows; null for none. */
function columnsOf(rows: SourceRow[]): Map<string, (string | null)[]> {
  const properties: Properties[] = rows.map((row) => row.properties);
  return new Map(sampleColumns(properties).map(({ name }) => [name, properties.map((row) => textOf(row[name]))]));
}

function findPairs(shapes: Map<string, (string | null)[]>, roll: Map<string, (string | null)[]>): JoinPair[] {
  const keys = [...shapes]
    .map(([column, values]) => ({ column, distinct: distinctOf(values), count: values.filter((value) => value !== null).length }))
    .filter(({ distinct, count }) => distinct.size > 0 && distinct.size >= count * minDistinct);
  return keys
    .flatMap(({ column, distinct }) =>
      [...roll].map(([rollColumn, values]) => ({ shapeColumn: column, rollColumn, matched: countIn(values, distinct) })),
    )
    .filter(({ matched }) => matched > 0)
    .sort((one, other) => other.matched - one.matched)
    .slice(0, maxPairs);
}

function pairNamed(on: string, shapes: Map<string, (string | null)[]>, roll: Map<string, (string | null)[]>): JoinPair {
  const [shapeName = '', rollName = shapeName] = on.split('=').map((name) => name.trim());
  const shapeColumn = findColumn(shapeName, [...shapes.keys()]);
  const rollColumn = findColumn(rollName, [...roll.keys()]);
  if (!shapeColumn)
    throw new AppError('invalid_request', `--on ${on}: the shapes have no column ${shapeName}, but: ${[...shapes.keys()].join(', ')}.`);
  if (!rollColumn)
    throw new AppError('invalid_request', `--on ${on}: the roll has no column ${rollName}, but: ${[...roll.keys()].join(', ')}.`);
  return { shapeColumn, rollColumn, matched: countIn(roll.get(rollColumn)!, distinctOf(shapes.get(shapeColumn)!)) };
}

const distinctOf = (values: (string | null)[]): Set<string | null> => new Set(values.filter((value) => value !== null));
const countIn = (values: (string | null)[], keys: Set<string | null>): number => values.filter((value) => keys.has(value)).length;
