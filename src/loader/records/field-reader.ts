import { type LastLine, lastLineOf, linePartOf, wholeAddressOf } from '../columns/addresses/last-line.js';
import { type FieldSource, fieldsOfType, type MappableField, type Mapping, mappableFields } from '../columns/fields.js';
import { memoizeByColumns } from '../formats/columnar-row.js';
import type { SourceRow } from '../formats/source-row.js';
import { dateOf, dayOfExcel } from '../values/date.js';
import { isNested, nestedText } from '../values/nested-text.js';
import { OutlierCounter } from '../values/outliers.js';
import { acresOf, addressPieceOf, type NumberOrText, numberOf, parcelNumberOf, textOf, withoutDecimals, yearOf } from '../values/values.js';

/** Field numbers: looking up a field by name takes longer than reading most values. */
export const fieldNumber = Object.fromEntries(mappableFields.map((name, i) => [name, i])) as Record<MappableField, number>;

const summed = fieldsOfType('dollars', 'dollars and cents', 'square feet', 'count');

/** How a field is read. */
interface FieldPlan {
  name: MappableField;
  /** The indexes of its columns among all that are mapped. */
  indexes: number[];
  unit: FieldSource['unit'];
  /** The part of a last line that it reads, or null. */
  part: keyof LastLine | null;
  isAddress: boolean;
  isSummed: boolean;
}

/** Reads a record's fields from the mapped columns of the current row. */
export class FieldReader {
  private readonly plans: FieldPlan[];
  /** See `parcelNumberOf`. */
  private readonly minDigits: number;
  /** All columns that are mapped. */
  private readonly columns: string[];
  /** The current row's values, in the order of `columns`. */
  private readonly values: unknown[];
  /** The indexes of `columns` in rows that are lists. If two columns have one name, the last one counts. */
  private readonly positionsIn = memoizeByColumns((listed) => this.columns.map((column) => listed.lastIndexOf(column)));

  constructor(
    mapping: Mapping,
    private readonly beyondReason = new OutlierCounter(),
  ) {
    this.columns = [...new Set(Object.values(mapping).flatMap(({ columns }) => columns))];
    this.plans = mappableFields.map((name) => {
      const { columns = [], unit }: Partial<FieldSource> = mapping[name] ?? {};
      return {
        name,
        indexes: columns.map((column) => this.columns.indexOf(column)),
        unit,
        part: ((unit === 'part of an address' || unit === 'part of a last line') && linePartOf[name]) || null,
        isAddress: name === 'situs_address' || name === 'mail_address',
        isSummed: summed.includes(name),
      };
    });
    const unit = mapping.apn?.unit;
    this.minDigits = unit === 'with decimals' ? Number.POSITIVE_INFINITY : unit === 'of numbers' ? 1 : 5;
    this.values = this.columns.map(() => null);
  }

  /** Whether words for a blank are counted: a field may be read before, to judge the row. */
  isNoting = false;

  /** Makes this the current row. */
  moveTo(row: SourceRow): void {
    const { columns, values } = this;
    const { cells } = row;
    if (cells === null) {
      const { properties } = row;
      for (let i = 0; i < columns.length; i++) values[i] = properties[columns[i]!];
      return;
    }
    const positions = this.positionsIn(cells.columns);
    for (let i = 0; i < positions.length; i++) values[i] = positions[i]! < 0 ? null : cells.values[positions[i]!];
  }

  /** The unprocessed value of a field's only column, or its part of a last line. */
  value(field: number): unknown {
    const { part, unit, indexes } = this.plans[field]!;
    if (part !== null || unit === 'before a last line') return this.text(field);
    return indexes.length === 1 ? this.values[indexes[0]!] : undefined;
  }

  parcelNumber(): string | null {
    return parcelNumberOf(this.text(fieldNumber.apn), this.minDigits);
  }

  code(field: number): string | null {
    const text = this.text(field);
    return text === null ? null : withoutDecimals(text);
  }

  text(field: number): string | null {
    const plan = this.plans[field]!;
    if (plan.part !== null) return this.ofLastLine(plan, plan.part);
    if (plan.indexes.length === 1) return this.singleText(this.values[plan.indexes[0]!], plan);
    return plan.indexes.length === 0 ? null : this.joined(plan);
  }

  private singleText(value: unknown, { name, unit }: FieldPlan): string | null {
    const text = textOf(value);
    if (text === null) {
      if (this.isNoting && typeof value === 'string' && value !== '' && value.trim() !== '') this.note(name, value);
      return null;
    }
    if (unit === 'before a last line') return wholeAddressOf(text)?.street ?? text;
    if (!isNested(text) || name === 'geometry') return text;
    const inner = nestedText(text);
    if (inner === null && this.isNoting) this.note(name, text);
    return inner;
  }

  /** Notes what stands in the place of the parcel number of a row without one. */
  noteNumber(): void {
    const given = this.value(fieldNumber.apn);
    if (typeof given === 'string' && given.trim() !== '') this.note('apn', given);
  }

  /** Notes that a value is read as none. */
  private note(field: MappableField, value: string): void {
    this.beyondReason.notes.add(`Values of ${field} not understood, left empty`, value.trim());
  }

  /** An amount, as a function reads it. */
  amount<Value extends number | string>(field: number, read: (given: NumberOrText) => Value | null): Value | null {
    const given = this.numberOrText(field);
    const value = read(given);
    this.beyondReason.amount(mappableFields[field]!, given, value);
    return value;
  }

  year(field: number): number | null {
    const given = this.numberOrText(field);
    const year = yearOf(given);
    this.beyondReason.time(mappableFields[field]!, given, year);
    return year;
  }

  day(field: number): string | null {
    const { name, unit } = this.plans[field]!;
    const given = this.text(field);
    const day = (unit === "Excel's days" ? dayOfExcel(given) : null) ?? dateOf(given, unit === 'day first');
    this.beyondReason.time(name, given, day);
    return day;
  }

  acres(gisAcres: number | null): number | null {
    const isSquareFeet = this.plans[fieldNumber.acres]!.unit === 'square feet';
    const acres = this.amount(fieldNumber.acres, (given) => acresOf(given, isSquareFeet));
    this.beyondReason.acres(acres, gisAcres);
    return acres;
  }

  private numberOrText(field: number): NumberOrText {
    const { indexes, isSummed } = this.plans[field]!;
    if (indexes.length > 1 && isSummed) return this.sum(indexes);
    const value = this.value(field);
    return typeof value === 'number' ? value : this.text(field);
  }

  /** The sum is unknown if a part is not a number. Blank parts are ignored. */
  private sum(indexes: number[]): number | null {
    let sum: number | null = null;
    for (const index of indexes) {
      const value = this.values[index];
      const given = typeof value === 'number' ? value : textOf(value);
      if (given === null) continue;
      const part = numberOf(given);
      if (part === null) return null;
      sum = (sum ?? 0) + part;
    }
    return sum;
  }

  private ofLastLine({ indexes, unit }: FieldPlan, part: keyof LastLine): string | null {
    for (const index of indexes.toReversed()) {
      const text = textOf(this.values[index]);
      const line = text === null ? null : unit === 'part of an address' ? wholeAddressOf(text)?.line : lastLineOf(text);
      // `JOHN DOE MD` in an earlier line looks like a last line (Maryland).
      if (line && (line.zip !== null || indexes.length === 1)) return line[part];
    }
    return null;
  }

  private joined({ name, indexes, unit, isAddress }: FieldPlan): string | null {
    const isCut = name === 'apn' && unit !== 'with decimals';
    let text = '';
    for (let i = name === 'mail_address' ? this.streetLine(indexes) : 0; i < indexes.length; i++) {
      const value = textOf(this.values[indexes[i]!]);
      const written = value !== null && isNested(value) ? nestedText(value) : value;
      if (written === null || (i > 0 && name === 'mail_address' && lastLineOf(written)?.zip != null)) continue;
      const piece = isAddress
        ? addressPieceOf(written, i === 0, unit === 'padded house numbers')
        : isCut
          ? withoutDecimals(written)
          : written;
      if (piece !== null) text += text === '' ? piece : ` ${piece}`;
    }
    return text === '' ? null : text;
  }

  /** The first line with a house number or a post box, behind a line with a care-of name. */
  private streetLine(indexes: number[]): number {
    const line = indexes.findIndex((index) => /^(\d|p\.?\s*o\.?\s*(box|drawer)\b)/i.test(textOf(this.values[index]) ?? ''));
    return Math.max(0, line);
  }
}
