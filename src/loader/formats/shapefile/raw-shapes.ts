import { ColumnarRow, namedValues } from '../columnar-row.js';
import { brokenRow, type Cells, type SourceBatch, type SourceGeometry, type SourceRow } from '../source-row.js';
import { type DbfLayout, dbfRows } from './dbf.js';
import { shapeAt } from './shp.js';

/** Unparsed shapes with their table rows. */
export interface RawShapes {
  kind: 'shapes';
  pieces: [shapes: Buffer, rows: Buffer];
  firstNumber: number;
  /** Where each shape starts. */
  starts: number[];
  /** Null if there is no table. */
  layout: DbfLayout | null;
}

export function* parseRawShapes({ pieces: [shapes, rows], firstNumber, starts, layout }: RawShapes): SourceBatch {
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
  return new ColumnarRow(number, cells, geometry);
}
