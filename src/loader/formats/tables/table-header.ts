import { decodeLatin1Text } from '../text-encoding.js';

/** The line of a table that names its columns. */
export class TableHeader {
  /** Names that repeat or are missing are numbered. */
  readonly columns: string[];
  private readonly cells: string[];

  constructor(cells: string[]) {
    this.columns = columnNames(cells);
    this.cells = cells.map((cell) => cell.trim());
  }

  /**
   * Whether a row is this line once more: where files were put together, or on each page of a report. The first cell comes last, since
   * the mark that a file brings with it is looked for there.
   */
  isAgain(values: unknown[]): boolean {
    const { cells } = this;
    for (let i = cells.length - 1; i >= 0; i--) {
      const text = String(values[i] ?? '');
      if ((i === 0 ? withoutByteOrderMark(text) : text).trim() !== cells[i]) return false;
    }
    return true;
  }
}

// Read as Latin-1, in which the mark is three letters; the quotes behind it are then no quotes to the parser.
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
