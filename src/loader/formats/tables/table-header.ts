import { decodeLatin1Text } from '../text-encoding.js';

/** The header line of a table. */
export class TableHeader {
  /** Repeated and missing names get a number. */
  readonly columns: string[];
  private readonly cells: string[];

  constructor(cells: string[]) {
    this.columns = columnNames(cells);
    this.cells = cells.map((cell) => cell.trim());
  }

  /**
   * Whether a row repeats the header, as in concatenated files or on each page of a report. The first cell is compared last, because it may
   * have the byte order mark of a concatenated file.
   */
  isRepeatedBy(values: unknown[]): boolean {
    const { cells } = this;
    for (let i = cells.length - 1; i >= 0; i--) {
      const text = String(values[i] ?? '');
      if ((i === 0 ? withoutByteOrderMark(text) : text).trim() !== cells[i]) return false;
    }
    return true;
  }
}

// Read as Latin-1, the mark is three letters, and the parser does not treat the quotes after it as quotes.
const withoutByteOrderMark = (text: string): string => text.replace(/^\u00ef\u00bb\u00bf("?)(.*)\1/s, '$2');

function columnNames(header: string[]): string[] {
  const seen = new Map<string, number>();
  return header.map((cell, i) => {
    const name = decodeLatin1Text(cell).replaceAll('\0', '').trim() || `column_${i + 1}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}

/** How many of a table's first lines decide how many columns it has. */
export const layoutSampleLines = 30;

/** The most common count, weighted by its size: notes above a table may fill more of the sampled lines than the table itself. */
export function commonestCount(counts: number[]): number {
  const weight = (count: number) => count * counts.filter((other) => other === count).length;
  return counts.toSorted((a, b) => weight(b) - weight(a))[0] ?? 1;
}

export const filledCount = (cells: (string | number | null)[]): number =>
  cells.filter((cell) => cell !== null && String(cell).trim() !== '').length;

/** Whether a line is a title above the table, such as the county's name or the export date: it fills at most half of the columns. */
export function isTitle(cells: (string | number | null)[], columnCount: number): boolean {
  return columnCount >= 3 && filledCount(cells) * 2 <= columnCount;
}
