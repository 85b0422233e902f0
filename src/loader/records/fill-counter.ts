import { type RecordField, recordFields } from '../../releases/catalogue/record-fields.js';

// What is before and after them is the same in all records of a release.
const first = recordFields.indexOf('apn');
const last = recordFields.indexOf('geometry');

/** Counts how many records have a value in each field. It is told of the fields in their order, so that nothing is looked up. */
export class FillCounter {
  private counts = new Uint32Array(recordFields.length);
  private field = first;

  /** Begins a record: its parcel number comes next. */
  begin(): void {
    this.field = first;
  }

  add(hasValue: boolean): void {
    if (hasValue) this.counts[this.field]!++;
    this.field++;
  }

  take(): Uint32Array {
    const { counts } = this;
    this.counts = new Uint32Array(counts.length);
    return counts;
  }

  addAll(counts: Uint32Array): void {
    for (let i = 0; i < counts.length; i++) this.counts[i]! += counts[i]!;
  }

  /** @param constants the values of the fields that are the same in all records */
  filled(records: number, constants: Partial<Record<RecordField, unknown>>): Record<RecordField, number> {
    const countOf = (field: RecordField, i: number) =>
      i < first || i > last ? (constants[field] === null ? 0 : records) : this.counts[i]!;
    return Object.fromEntries(recordFields.map((field, i) => [field, countOf(field, i)])) as Record<RecordField, number>;
  }
}
