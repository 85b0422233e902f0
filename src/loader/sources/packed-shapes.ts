import { type DbfLayout, dbfRows } from './dbf.js';
import { ListedRow, namedValues } from './listed-row.js';
import { shapeAt } from './shp.js';
import { brokenRow, type Cells, type SourceBatch, type SourceGeometry, type SourceRow } from './source.js';

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
  for (const cells of layout === null ? [] : dbfRows(rows, layout)) {
    if (cells !== null) yield rowOf(firstNumber + i, cells, shapes, starts[i]);
    i++;
  }
  for (; i < starts.length; i++) yield rowOf(firstNumber + i, noCells, shapes, starts[i]);
}

const noCells: Cells = { columns: [], values: [] };

function rowOf(number: number, cells: Cells, shapes: Buffer, start: number | undefined): SourceRow {
  let geometry: SourceGeometry | null;
  try {
    geometry = start === undefined ? null : shapeAt(shapes, start);
  } catch (error) {
    return brokenRow(number, `The shape is damaged: ${(error as Error).message}`, JSON.stringify(namedValues(cells)));
  }
  return new ListedRow(number, cells, geometry);
}
