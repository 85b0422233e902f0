import type { Database } from '../../database/database.js';
import { type PackedRows, Unpacker } from '../formats/packed-rows.js';
import { type ReadPosition, row, type SourceBatch, type SourceRow } from '../formats/source.js';
import { ColumnNames } from '../plan/column-names.js';
import type { LoadPlan } from '../plan/plan-load.js';
import { keptRows } from '../plan/where.js';
import { textGeometry } from '../records/geometry/geometry-text.js';
import { connectForLoad } from '../staging/load-connection.js';
import { joinRows } from './join-rows.js';

/** What is known of the reading of all rows while it goes on. */
export interface Reading extends ReadPosition {
  /** Of what was found only in the rows. */
  warnings: string[];
}

export interface RowBatch {
  rows: SourceBatch;
  /** The same before the filter, for another thread; null: they are objects already. */
  packed: PackedRows | null;
  /** Which of the plan's sources they are from, hence which coordinate system they are in. */
  source: number;
}

/** All rows of a plan that its filter keeps, joined with the tax roll if there is one. */
export async function* readRows(plan: LoadPlan, database: Pick<Database, 'url'>, reading: Reading): AsyncIterable<RowBatch> {
  if (!plan.join) {
    yield* readSources(plan, reading);
    return;
  }
  const staging = await connectForLoad(database);
  try {
    const { roll, shapeColumn, rollColumn } = plan.join;
    const written = [...plan.columns, ...(plan.mapping.apn?.columns ?? [])];
    const keyed = [shapeColumn, rollColumn].filter((column) => written.includes(column));
    const columns = { shapeColumn, rollColumn, names: plan.columns, keyed };
    const joined = joinRows(staging, shapesOf(plan, reading), roll.read(reading), columns, reading);
    for await (const rows of joined) yield { rows, packed: null, source: 0 };
  } finally {
    await staging.end();
  }
}

async function* readSources(plan: LoadPlan, position: ReadPosition): AsyncIterable<RowBatch> {
  for (const [i, { source }] of plan.sources.entries()) {
    if (source.readPacked) {
      const unpacker = new Unpacker();
      for await (const packed of source.readPacked(position)) {
        yield { rows: keptRows(unpacker.rows(packed), plan.filter), packed, source: i };
      }
    } else for await (const rows of source.read(position)) yield { rows: keptRows(rows, plan.filter), packed: null, source: i };
  }
}

async function* shapesOf(plan: LoadPlan, position: ReadPosition): AsyncIterable<SourceBatch> {
  const names = ColumnNames.of(plan.sample);
  for await (const { rows } of readSources(plan, position)) {
    const named = names.ofAll(rows);
    yield plan.mapping.geometry ? [...named].map((each) => withTextShape(each, plan)) : named;
  }
}

/** A shape in a column is merged with others as any shape is. One that can't be read stays a text, of which the record's builder says why. */
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
