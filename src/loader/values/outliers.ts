import type { RecordField } from '../../releases/catalogue/record-fields.js';
import { type NumberOrText, numberOf } from './values.js';

const noYear = 9999;
const maxAcresFactor = 10;

/**
 * Counts values that nobody can mean. Those below zero and in the future are left out of the records; a few are mistakes of the
 * county, many are the wrong column. Cheap where a value is fine, which nearly all are.
 */
export class BeyondReason {
  counts: Partial<Record<RecordField, number>> = {};

  /** @param value what became of it */
  amount(field: RecordField, given: NumberOrText, value: number | string | null): void {
    if (value === null && given !== null && (numberOf(given) ?? 0) < 0) this.add(field);
  }

  /** Of a year or a day. */
  time(field: RecordField, given: NumberOrText, value: number | string | null): void {
    if (value !== null || given === null) return;
    const year = Number(/(?<!\d)\d{4}(?!\d)/.exec(String(given))?.[0]);
    if (year > new Date().getUTCFullYear() && year !== noYear) this.add(field);
  }

  /** Acres beside a shape of a tenth of them, or of ten times as many: square feet, or the shape of something else. */
  acres(acres: number | null, gisAcres: number | null): void {
    if (acres === null || gisAcres === null || gisAcres === 0) return;
    if (acres > gisAcres * maxAcresFactor || gisAcres > acres * maxAcresFactor) this.add('acres');
  }

  take(): Partial<Record<RecordField, number>> {
    const { counts } = this;
    this.counts = {};
    return counts;
  }

  addAll(counts: Partial<Record<RecordField, number>>): void {
    for (const [field, count] of Object.entries(counts)) this.add(field as RecordField, count);
  }

  private add(field: RecordField, count = 1): void {
    this.counts[field] = (this.counts[field] ?? 0) + count;
  }
}
