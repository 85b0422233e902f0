import type { RecordField } from '../../releases/record-fields/record-fields.js';
import { NoteCounter } from './notes.js';
import { type NumberOrText, numberOf } from './values.js';

const placeholderYear = 9999;
// Zeros, and the first or last days of programs.
const placeholderTime = /^[0\W]*$|1900|1899|1753|9999|^0*1?[-/]?0*1?[-/]?0*1$/;
const maxAcresFactor = 10;

/**
 * Counts implausible values, reported as `beyondReason`. Negative and future values are left out of the records; a few are the county's
 * mistakes, many mean the wrong column. The check is cheap for plausible values, which are nearly all.
 */
export class OutlierCounter {
  counts: Partial<Record<RecordField, number>> = {};

  /** @param notes takes the values that are read as none */
  constructor(readonly notes = new NoteCounter()) {}

  /** @param value what `given` was read as */
  amount(field: RecordField, given: NumberOrText, value: number | string | null): void {
    if (value !== null || given === null) return;
    const number = numberOf(given);
    if (number === null) this.notes.add(`Values of ${field} that cannot be read`, String(given));
    else if (number < 0) this.add(field);
  }

  /** Checks a year or a day. */
  time(field: RecordField, given: NumberOrText, value: number | string | null): void {
    if (value !== null || given === null) return;
    const year = Number(/(?<!\d)\d{4}(?!\d)/.exec(String(given))?.[0]);
    if (year > new Date().getUTCFullYear() && year !== placeholderYear) this.add(field);
    else if (!placeholderTime.test(String(given))) this.notes.add(`Values of ${field} that cannot be read`, String(given));
  }

  /** Checks acres against the shape's area: a factor of ten means square feet, or the wrong shape. */
  acres(acres: number | null, gisAcres: number | null): void {
    if (acres === null || gisAcres === null || gisAcres === 0) return;
    if (acres > gisAcres * maxAcresFactor || gisAcres > acres * maxAcresFactor) this.add('acres');
  }

  private add(field: RecordField): void {
    this.counts[field] = (this.counts[field] ?? 0) + 1;
  }
}
