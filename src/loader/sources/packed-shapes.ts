import { type DbfLayout, dbfRows } from './dbf.js';
import { shapeAt } from './shp.js';
import { brokenRow, type Properties, row, type SourceBatch, type SourceGeometry, type SourceRow } from './source.js';

/** Shapes, and the rows of the table beside them, as they stand in their files. */
export interface PackedShapes {
  kind: 'shapes';
  /** Fewer rows than shapes where the table has ended, more where the shapes have. */
  pieces: [shapes: Buffer, rows: Buffer];
  firstNumber: number;
  /** Where each shape starts. */
  starts: number[];
  /** Null: there is no table. */
  layout: DbfLayout | null;
}

/** A row that only one of the files has is kept, with the other part unknown. */
export function* unpackShapes({ pieces: [shapes, rows], firstNumber, starts, layout }: PackedShapes): SourceBatch {
  let i = 0;
  for (const properties of layout === null ? [] : dbfRows(rows, layout)) {
    if (properties !== null) yield rowOf(firstNumber + i, properties, shapes, starts[i]);
    i++;
  }
  for (; i < starts.length; i++) yield rowOf(firstNumber + i, {}, shapes, starts[i]);
}

function rowOf(number: number, properties: Properties, shapes: Buffer, start: number | undefined): SourceRow {
  let geometry: SourceGeometry | null;
  try {
    geometry = start === undefined ? null : shapeAt(shapes, start);
  } catch (error) {
    return brokenRow(number, `The shape is damaged: ${(error as Error).message}`, JSON.stringify(properties));
  }
  return row(number, properties, geometry);
}
