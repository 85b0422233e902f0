import { brokenRow, type SourceRow } from '../source.js';
import { noParcel } from './non-parcel-rows.js';

// More are no notes, and would have to be kept until the sheet ends.
const maxNotes = 50;
// In a narrower table one filled cell may be all that is known of a parcel.
const minColumns = 4;
/** Words, as no parcel number has them. */
const words = /\p{L}{3}.*\s|\s.*\p{L}{3}/u;

/**
 * Tells the notes below a table from its records: from an empty row to the end, rows of one filled cell with words in it, where no row
 * above has one alone. Which these are is known at the end, until then they wait.
 */
export class NotesBelow {
  private waiting: { row: SourceRow; text: string }[] = [];
  private lastNumber = 0;
  private hasLoneCells = false;

  /** @param decode of a cell as it was given */
  constructor(
    private readonly columnCount: number,
    private readonly decode = (text: string) => text,
  ) {}

  /**
   * The rows that are records for sure, in their order.
   * @param lastLine where the row ends
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
    return [...this.take(({ row }) => row), row];
  }

  end(): SourceRow[] {
    return this.take(({ row, text }) => brokenRow(row.number, noParcel.note, this.decode(text)));
  }

  private take(made: (note: { row: SourceRow; text: string }) => SourceRow): SourceRow[] {
    const rows = this.waiting.map(made);
    this.waiting = [];
    return rows;
  }
}

/** The only cell that holds something; null: there are others, or none. */
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
