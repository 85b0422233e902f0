import type { Cells, Properties, SourceGeometry, SourceRow } from './source-row.js';

/** A row that was read as a list of values. `properties` is built only when it is asked for. */
export class ColumnarRow implements SourceRow {
  readonly fault = null;

  constructor(
    readonly number: number,
    readonly cells: Cells,
    readonly geometry: SourceGeometry | null,
  ) {}

  get properties(): Properties {
    return namedValues(this.cells);
  }
}

export const namedValues = ({ columns, values }: Cells): Properties => Object.fromEntries(columns.map((column, i) => [column, values[i]]));

/** Caches the result for the latest array of columns, which the rows of a table share. */
export function memoizeByColumns<Result>(compute: (columns: readonly string[]) => Result): (columns: readonly string[]) => Result {
  let latest: readonly string[] | undefined;
  let result: Result;
  return (columns) => {
    if (columns !== latest) {
      result = compute(columns);
      latest = columns;
    }
    return result;
  };
}
