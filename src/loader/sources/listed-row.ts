import type { Cells, Properties, SourceGeometry, SourceRow } from './source.js';

/** A row that was read as a list. Its values get their names when somebody asks for these. */
export class ListedRow implements SourceRow {
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
