import type { Source } from '../formats/source.js';
import type { UnseenColumn } from './column-names.js';

/** Columns that the plan does not know because no sampled row has them. */
export class UnseenColumns {
  /** By the file's index in the plan, and the column. */
  private readonly firstRows = new Map<string, UnseenColumn & { source: number }>();

  /** @param found in row order; each thread reports its own finds, so a column may come twice */
  add(found: (UnseenColumn & { source: number })[]): void {
    for (const each of found) {
      const key = `${each.source} ${each.column}`;
      if (!this.firstRows.has(key)) this.firstRows.set(key, each);
    }
  }

  warnings({ sources, join }: { sources: { source: Pick<Source, 'name'> }[]; join: object | null }): string[] {
    return sources.flatMap(({ source }, i) => {
      const own = [...this.firstRows.values()].filter((each) => each.source === i);
      const [first] = own;
      if (!first) return [];
      const names = shownColumns(own.map(({ column, row }) => `${column} (row ${row})`));
      return [
        `Columns that the first rows of ${join ? 'these files' : source.name} do not have are not mapped to a field: ${names}. To map one, load ` +
          `again with --map, such as --map owner_name=${first.column}.`,
      ];
    });
  }
}

const mostShown = 20;

export const shownColumns = (names: string[]): string =>
  names.length > mostShown ? `${names.slice(0, mostShown).join(', ')} and ${names.length - mostShown} more` : names.join(', ');
