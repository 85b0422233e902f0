import type { Source } from '../formats/source.js';
import type { UnseenColumn } from './column-names.js';

/** The columns of a load that its plan knows nothing of, since no sampled row has them. */
export class UnseenColumns {
  /** By the place of a file among the plan's, and the column. */
  private readonly firstRows = new Map<string, UnseenColumn & { source: number }>();

  /** @param found in the order of their rows; threads find them each for itself */
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
        `No field comes from columns that the first rows of ${join ? 'these files' : source.name} do not have: ${names}. If one is a field's, load it again with ` +
          `--map, as in --map owner_name=${first.column}.`,
      ];
    });
  }
}

const mostShown = 20;

export const shownColumns = (names: string[]): string =>
  names.length > mostShown ? `${names.slice(0, mostShown).join(', ')} and ${names.length - mostShown} more` : names.join(', ');
