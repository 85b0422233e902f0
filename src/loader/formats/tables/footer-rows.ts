import { brokenRow, type SourceRow } from '../source-row.js';

/**
 * Reasons for rejecting rows that the county never meant as parcels. They do not show that a file was misunderstood, so they do not count
 * against the share of rows that may be rejected.
 */
export const nonParcelReasons = {
  header: 'The column names again, not a record',
  note: 'A note below the table, not a record',
  totals: 'A line of totals, not a parcel',
};

const reasons: ReadonlySet<string> = new Set(Object.values(nonParcelReasons));

export const isNonParcelReason = (reason: string): boolean => reasons.has(reason);

// More rows than this are not notes, and all would have to be kept until the table ends.
const maxNotes = 50;
// In a narrower table, a single filled cell may be all that is known of a parcel.
const minColumns = 4;
/** Matches words, which no parcel number contains. */
const words = /\p{L}{3}.*\s|\s.*\p{L}{3}/u;

/**
 * Finds the notes below a table: rows after an empty row, up to the end, with words in a single filled cell, in a table where no row
 * above has a single filled cell. Candidates wait until the end or until a record follows.
 */
export class FooterRows {
  private waiting: { row: SourceRow; text: string }[] = [];
  private lastNumber = 0;
  private hasLoneCells = false;

  /** @param decode decodes a cell for the rejected rows */
  constructor(
    private readonly columnCount: number,
    private readonly decode = (text: string) => text,
  ) {}

  /**
   * Returns the rows that are certainly records, in order.
   * @param lastLine the line at which the row ends
   */
  add(row: SourceRow, cells: (string | number | null)[], lastLine = row.number): SourceRow[] {
    const isBehindGap = row.number > this.lastNumber + 1;
    this.lastNumber = lastLine;
    const text = loneCell(cells);
    const mayBeNote = text !== null && this.columnCount >= minColumns && !this.hasLoneCells && words.test(text);
    if (mayBeNote && (isBehindGap || this.waiting.length > 0) && this.waiting.length < maxNotes) {
      this.waiting.push({ row, text });
      return [];
    }
    this.hasLoneCells ||= text !== null || this.waiting.length > 0;
    return [...this.release(({ row }) => row), row];
  }

  end(): SourceRow[] {
    return this.release(({ row, text }) => brokenRow(row.number, nonParcelReasons.note, this.decode(text)));
  }

  private release(toRow: (note: { row: SourceRow; text: string }) => SourceRow): SourceRow[] {
    const rows = this.waiting.map(toRow);
    this.waiting = [];
    return rows;
  }
}

/** The row's only filled cell; null if none or several are filled. */
function loneCell(cells: (string | number | null)[]): string | null {
  let lone: string | null = null;
  for (const cell of cells) {
    const text = String(cell ?? '');
    if (text.trim() === '') continue;
    if (lone !== null) return null;
    lone = text;
  }
  return lone;
}
