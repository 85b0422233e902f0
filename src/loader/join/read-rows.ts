import type { Database } from '../../database/database.js';
import { connectAlone } from '../../database/service-client.js';
import { type ReadPosition, row, type SourceBatch, type SourceRow } from '../formats/source-row.js';
import { ColumnNames } from '../plan/column-names.js';
import type { JoinPlan } from '../plan/plan-join.js';
import type { LoadPlan } from '../plan/plan-load.js';
import { keptRows } from '../plan/where.js';
import { textGeometry } from '../records/geometry/geometry-text.js';
import { type JoinColumns, joinRows, type Reading } from './join-rows.js';

export interface RowBatch {
  rows: SourceBatch;
  /** The index of their source in the plan, which has their coordinate system. */
  source: number;
}

/** All rows that pass the plan's filter, joined with the tax roll if there is one. */
export async function* readRows(plan: LoadPlan, database: Pick<Database, 'url'>, reading: Reading): AsyncIterable<RowBatch> {
  if (!plan.join) {
    yield* readSources(plan, reading);
    return;
  }
  await using staging = await connectAlone(database.url, 'load');
  const { roll } = plan.join;
  const joined = joinRows(staging, shapesOf(plan, reading), roll.read(reading), columnsOf(plan, plan.join), reading);
  for await (const rows of joined) yield { rows, source: 0 };
}

function columnsOf(plan: LoadPlan, { shapeColumn, rollColumn, mapNumber, spelling }: JoinPlan): JoinColumns {
  const numberColumns = plan.mapping.apn?.columns ?? [];
  const written = [...plan.columns, ...numberColumns];
  const keyed = [shapeColumn, rollColumn].filter((column) => written.includes(column));
  const number = mapNumber && { roll: numberColumns, map: mapNumber };
  return { shapeColumn, rollColumn, names: plan.columns, keyed, spelling, number };
}

async function* readSources(plan: LoadPlan, position: ReadPosition): AsyncIterable<RowBatch> {
  for (const [i, { source }] of plan.sources.entries()) {
    for await (const rows of source.read(position)) yield { rows: keptRows(rows, plan.filter), source: i };
  }
}

async function* shapesOf(plan: LoadPlan, position: ReadPosition): AsyncIterable<SourceBatch> {
  const names = ColumnNames.of(plan.sample);
  for await (const { rows } of readSources(plan, position)) {
    const named = names.ofAll(rows);
    yield plan.mapping.geometry ? [...named].map((each) => withTextShape(each, plan)) : named;
  }
}

/** Parses a shape in a column, so that it can be merged. An unreadable one stays a text: the record builder rejects it with a reason. */
function withTextShape(original: SourceRow, { mapping, sources }: LoadPlan): SourceRow {
  const { number, properties, geometry, fault } = original;
  if (fault !== null || geometry !== null) return original;
  try {
    const stated = textGeometry(properties, mapping);
    const isOfFile = stated?.srid === null || stated?.srid === sources[0]!.crs.srid;
    return isOfFile ? row(number, properties, stated?.geometry ?? null) : original;
  } catch {
    return original;
  }
}
