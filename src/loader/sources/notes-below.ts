import { brokenRow, type SourceRow } from './source.js';
import { filledCount } from './title-lines.js';

/** Why such a row is rejected. */
export const noteBelow = 'A note below the table, not a record';

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

  constructor(private readonly columnCount: number) {}

  /** The rows that are records for sure, in their order. */
  add(row: SourceRow, cells: (string | number | null)[]): SourceRow[] {
    const isBehindGap = row.number > this.lastNumber + 1;
    this.lastNumber = row.number;
    const isLone = filledCount(cells) === 1;
    const text = isLone ? String(cells.find((cell) => filledCount([cell ?? null]) === 1)) : '';
    const mayBeNote = this.columnCount >= minColumns && !this.hasLoneCells && words.test(text);
    if (mayBeNote && (isBehindGap || this.waiting.length > 0) && this.waiting.length < maxNotes) {
      this.waiting.push({ row, text });
      return [];
    }
    this.hasLoneCells ||= isLone || this.waiting.length > 0;
    return [...this.take(({ row }) => row), row];
  }

  end(): SourceRow[] {
    return this.take(({ row, text }) => brokenRow(row.number, noteBelow, text));
  }

  private take(made: (note: { row: SourceRow; text: string }) => SourceRow): SourceRow[] {
    const rows = this.waiting.map(made);
    this.waiting = [];
    return rows;
  }
}
