import { ListedRow, namedValues } from '../columnar-row.js';
import { brokenRow, type Cells, type SourceBatch, type SourceGeometry, type SourceRow } from '../source.js';
import { type DbfLayout, dbfRows } from './dbf.js';
import { shapeAt } from './shp.js';

/** Shapes, and the rows of the table beside them, as they stand in their files. */
export interface PackedShapes {
  kind: 'shapes';
  pieces: [shapes: Buffer, rows: Buffer];
  firstNumber: number;
  /** Where each shape starts. */
  starts: number[];
  /** Null: there is no table. */
  layout: DbfLayout | null;
}

export function* unpackShapes({ pieces: [shapes, rows], firstNumber, starts, layout }: PackedShapes): SourceBatch {
  let i = 0;
  for (const cells of layout === null ? starts.map(() => noCells) : dbfRows(rows, layout)) {
    if (cells !== null) yield rowOf(firstNumber + i, cells, shapes, starts[i]!);
    i++;
  }
}

const noCells: Cells = { columns: [], values: [] };

function rowOf(number: number, cells: Cells, shapes: Buffer, start: number): SourceRow {
  let geometry: SourceGeometry | null;
  try {
    geometry = shapeAt(shapes, start);
  } catch (error) {
    return brokenRow(number, `The shape can't be read: ${(error as Error).message}`, JSON.stringify(namedValues(cells)));
  }
  return new ListedRow(number, cells, geometry);
}
