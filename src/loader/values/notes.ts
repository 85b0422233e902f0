import { count } from '../../core/format-numbers.js';

/** Counts what a load leaves out, so that nothing is lost silently. */
export class NoteCounter {
  /** By a sentence's beginning, such as `Shapes dropped as empty`. */
  private readonly notes = new Map<string, { times: number; example: string }>();

  add(what: string, example: string, times = 1): void {
    const known = this.notes.get(what);
    if (known) known.times += times;
    else this.notes.set(what, { times, example: example.slice(0, shownCharacters) });
  }

  /** A line for each, for the operator. */
  get lines(): string[] {
    return [...this.notes].map(([what, { times, example }]) => `${what}: ${count(times)}, such as ${example}.`);
  }
}

const shownCharacters = 60;

/** The note of parcel numbers that Excel turned into days, such as 1-9, when it opened a table. */
export const dayNumbers = 'Parcel numbers that are days, as Excel makes of numbers such as 1-9';

const month = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const dayOfExcel = new RegExp(
  `^((\\d{1,2}-)?(${month})(-\\d\\d)?|(1[0-2]|[1-9])/(3[01]|[12]\\d|[1-9])/(19|20)\\d\\d|(19|20)\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01]))$`,
  'i',
);
const longest = 10;

/** Whether a parcel number looks like a day: `9-Jan`, `1/9/2023`, or, as a workbook has it, `2023-01-09`. Some may be genuine. */
export const isDayOfExcel = (apn: string): boolean => apn.length <= longest && dayOfExcel.test(apn);

/** Counts in descending order. */
export const byFrequency = <Key>(counts: ReadonlyMap<Key, number>): [Key, number][] => [...counts].sort(([, a], [, b]) => b - a);

/**
 * Sentences with the three most frequent reasons, for an operator.
 * @param reasons in descending order of rows
 * @param what what happened to the rows, such as `rejected`
 */
export const frequentReasons = (reasons: { reason: string; rows: number }[], what: string): string[] =>
  reasons.slice(0, 3).map(({ reason, rows }) => `${count(rows)} ${rows === 1 ? 'row' : 'rows'} ${what}: ${reason}.`);
