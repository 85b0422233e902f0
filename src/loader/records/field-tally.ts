import { type RecordField, recordFieldList, recordFields } from '../../releases/record-fields/record-fields.js';
import type { SourceGeometry } from '../formats/source-row.js';
import { dayNumbers, isDayOfExcel, NoteCounter } from '../values/notes.js';
import { OutlierCounter } from '../values/outliers.js';
import { type ParcelLocation, whyDropped } from './geometry/geometry.js';

/** Counts of a release's values, kept while its records are written. */
export class FieldTally {
  readonly fill = new FillCounter();
  readonly notes = new NoteCounter();
  readonly beyondReason = new OutlierCounter(this.notes);

  /** Notes what was dropped of a row's shape, all of it if there is neither area nor point, and a parcel number that Excel made a day. */
  noteRow({ shape, location, apn, shapeNotes }: NotedRow): void {
    if (apn !== null && isDayOfExcel(apn)) this.notes.add(dayNumbers, apn);
    const example = apn === null ? 'one without a parcel number' : `that of ${apn}`;
    for (const { what, times } of shapeNotes) this.notes.add(what, example, times);
    if (shape === null || (location !== null && location.polygons.length > 0)) return;
    const why = whyDropped(shape);
    if (why) this.notes.add(`Shapes dropped ${why}`, example);
  }

  /** @param repeated how many records repeat another in every field, by `numberKey` */
  noteRepeated(repeated: ReadonlyMap<string, number>): void {
    for (const [key, times] of repeated) this.notes.add('Records identical to another in every field', key, times);
  }
}

interface NotedRow {
  shape: SourceGeometry | null;
  location: ParcelLocation | null;
  apn: string | null;
  shapeNotes: ShapeNote[];
}

/** The dropped part of a shape, as a sentence's beginning, and how often. */
export interface ShapeNote {
  what: string;
  times: number;
}

// Not counted: the id, which every record has, and fields that are the same in all records of a release.
const counted = recordFieldList.filter(({ type }) => type !== 'id' && type !== 'constant').map(({ name }) => name);

/** Counts how many records have a value in each field. Fields are reported in order, which saves a lookup. */
class FillCounter {
  private readonly counts = new Uint32Array(counted.length);
  private field = 0;

  /** Begins a record: its parcel number comes next. */
  begin(): void {
    this.field = 0;
  }

  add(hasValue: boolean): void {
    if (hasValue) this.counts[this.field]!++;
    this.field++;
  }

  /** Counts fields without a value. */
  skip(fields: number): void {
    this.field += fields;
  }

  /** @param constants the values of the fields that are the same in all records */
  filled(records: number, constants: Partial<Record<RecordField, unknown>>): Record<RecordField, number> {
    const countOf = (field: RecordField) =>
      counted.includes(field) ? this.counts[counted.indexOf(field)]! : constants[field] === null ? 0 : records;
    return Object.fromEntries(recordFields.map((field) => [field, countOf(field)])) as Record<RecordField, number>;
  }
}
