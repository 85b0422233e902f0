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

/** What is made of columns, made once for all rows that share them. */
export function onceForColumns<Made>(make: (columns: readonly string[]) => Made): (columns: readonly string[]) => Made {
  let known: readonly string[] | undefined;
  let made: Made;
  return (columns) => {
    if (columns !== known) {
      made = make(columns);
      known = columns;
    }
    return made;
  };
}
