import { type LastLine, lastLineOf, linePartOf, wholeAddressOf } from '../columns/addresses/last-line.js';
import { fieldsOfType, type MappableField, type Mapping, mappableFields } from '../columns/fields.js';
import { memoizeByColumns } from '../formats/columnar-row.js';
import type { SourceRow } from '../formats/source-row.js';
import { dateOf, dayOfExcel } from '../values/date.js';
import { isNested, nestedText } from '../values/nested-text.js';
import { OutlierCounter } from '../values/outliers.js';
import {
  acresOf,
  addressPieceOf,
  decimalDollarsOf,
  dollarsOf,
  type NumberOrText,
  numberOf,
  parcelNumberOf,
  positiveOf,
  textOf,
  withoutDecimals,
  yearOf,
} from '../values/values.js';

/** Field numbers: looking up a field by name takes longer than reading most values. */
export const fieldNumber = Object.fromEntries(mappableFields.map((name, i) => [name, i])) as Record<MappableField, number>;

const isAddress = mappableFields.map((field) => field === 'situs_address' || field === 'mail_address');

const summed = fieldsOfType('dollars', 'dollars and cents', 'square feet', 'count');
const isSummed = mappableFields.map((field) => summed.includes(field));

/** Reads a record's fields from the mapped columns of the current row. */
export class FieldReader {
  private readonly isSquareFeet: boolean;
  private readonly isExcelDays: boolean;
  private readonly isDayFirst: boolean;
  private readonly hasDecimals: boolean;
  /** See `parcelNumberOf`. */
  private readonly minDigits: number;
  /** All columns that are mapped. */
  private readonly columns: string[];
  /** By field, the indexes of its columns in `columns`. */
  private readonly columnIndexes: number[][];
  /** By field, the part of a last line that it reads, or null. */
  private readonly lineParts: (keyof LastLine | null)[];
  /** By field, how its last line is found. */
  private readonly lineOf: ((text: string) => LastLine | null)[];
  /** By field, whether it is an address that ends before its last line. */
  private readonly endBeforeLine: boolean[];
  /** By field, whether its house numbers are padded with zeros. */
  private readonly arePadded: boolean[];
  /** The current row's values, in the order of `columns`. */
  private readonly values: unknown[];
  /** The indexes of `columns` in rows that are lists. If two columns have one name, the last one counts. */
  private readonly positionsIn = memoizeByColumns((listed) => this.columns.map((column) => listed.lastIndexOf(column)));

  constructor(
    mapping: Mapping,
    private readonly beyondReason = new OutlierCounter(),
  ) {
    this.isSquareFeet = mapping.acres?.unit === 'square feet';
    this.isExcelDays = mapping.sale_date?.unit === "Excel's days";
    this.isDayFirst = mapping.sale_date?.unit === 'day first';
    this.hasDecimals = mapping.apn?.unit === 'with decimals';
    this.minDigits = this.hasDecimals ? Number.POSITIVE_INFINITY : mapping.apn?.unit === 'of numbers' ? 1 : 5;
    this.columns = [...new Set(Object.values(mapping).flatMap(({ columns }) => columns))];
    this.columnIndexes = mappableFields.map((field) => (mapping[field]?.columns ?? []).map((column) => this.columns.indexOf(column)));
    const isWhole = mappableFields.map((field) => mapping[field]?.unit === 'part of an address');
    this.lineParts = mappableFields.map(
      (field, i) => ((isWhole[i] || mapping[field]?.unit === 'part of a last line') && linePartOf[field]) || null,
    );
    this.lineOf = isWhole.map((whole) => (whole ? (text) => wholeAddressOf(text)?.line ?? null : lastLineOf));
    this.endBeforeLine = mappableFields.map((field) => mapping[field]?.unit === 'before a last line');
    this.arePadded = mappableFields.map((field) => mapping[field]?.unit === 'padded house numbers');
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
    const part = this.lineParts[field]!;
    if (part !== null) return this.ofLastLine(field, part);
    if (this.endBeforeLine[field]) return this.text(field);
    const columnIndexes = this.columnIndexes[field]!;
    return columnIndexes.length === 1 ? this.values[columnIndexes[0]!] : undefined;
  }

  parcelNumber(): string | null {
    return parcelNumberOf(this.text(fieldNumber.apn), this.minDigits);
  }

  code(field: number): string | null {
    const text = this.text(field);
    return text === null ? null : withoutDecimals(text);
  }

  text(field: number): string | null {
    const part = this.lineParts[field]!;
    if (part !== null) return this.ofLastLine(field, part);
    const columnIndexes = this.columnIndexes[field]!;
    if (columnIndexes.length === 1) return this.singleText(this.values[columnIndexes[0]!], field);
    return columnIndexes.length === 0 ? null : this.joined(columnIndexes, field);
  }

  private singleText(value: unknown, field: number): string | null {
    const text = textOf(value);
    if (text === null) {
      if (this.isNoting && typeof value === 'string' && value !== '' && value.trim() !== '') this.note(field, value);
      return null;
    }
    if (this.endBeforeLine[field]) return wholeAddressOf(text)?.street ?? text;
    if (!isNested(text) || field === fieldNumber.geometry) return text;
    const inner = nestedText(text);
    if (inner === null && this.isNoting) this.note(field, text);
    return inner;
  }

  /** Notes what stands in the place of the parcel number of a row without one. */
  noteNumber(): void {
    const given = this.value(fieldNumber.apn);
    if (typeof given === 'string' && given.trim() !== '') this.note(fieldNumber.apn, given);
  }

  /** Notes that a value is read as none. */
  private note(field: number, value: string): void {
    this.beyondReason.notes.add(`Values of ${mappableFields[field]} not understood, left empty`, value.trim());
  }

  dollars(field: number): number | null {
    const given = this.amount(field);
    return this.checkedAmount(field, given, dollarsOf(given));
  }

  decimalDollars(field: number): string | null {
    const given = this.amount(field);
    return this.checkedAmount(field, given, decimalDollarsOf(given));
  }

  /** A number above zero: number columns have 0 for a blank. */
  positive(field: number, decimals: number): number | null {
    const given = this.amount(field);
    return this.checkedAmount(field, given, positiveOf(given, decimals));
  }

  year(field: number): number | null {
    const given = this.amount(field);
    return this.checkedTime(field, given, yearOf(given));
  }

  day(field: number): string | null {
    const given = this.text(field);
    return this.checkedTime(field, given, (this.isExcelDays ? dayOfExcel(given) : null) ?? dateOf(given, this.isDayFirst));
  }

  acres(gisAcres: number | null): number | null {
    const given = this.amount(fieldNumber.acres);
    const acres = this.checkedAmount(fieldNumber.acres, given, acresOf(given, this.isSquareFeet));
    this.beyondReason.acres(acres, gisAcres);
    return acres;
  }

  private checkedAmount<Value extends number | string>(field: number, given: NumberOrText, value: Value | null): Value | null {
    this.beyondReason.amount(mappableFields[field]!, given, value);
    return value;
  }

  private checkedTime<Value extends number | string>(field: number, given: NumberOrText, value: Value | null): Value | null {
    this.beyondReason.time(mappableFields[field]!, given, value);
    return value;
  }

  private amount(field: number): NumberOrText {
    if (this.columnIndexes[field]!.length > 1 && isSummed[field]) return this.sum(this.columnIndexes[field]!);
    const value = this.value(field);
    return typeof value === 'number' ? value : this.text(field);
  }

  /** The sum is unknown if a part is not a number. Blank parts are ignored. */
  private sum(columnIndexes: number[]): number | null {
    let sum: number | null = null;
    for (const index of columnIndexes) {
      const value = this.values[index];
      const given = typeof value === 'number' ? value : textOf(value);
      if (given === null) continue;
      const part = numberOf(given);
      if (part === null) return null;
      sum = (sum ?? 0) + part;
    }
    return sum;
  }

  private ofLastLine(field: number, part: keyof LastLine): string | null {
    const columnIndexes = this.columnIndexes[field]!;
    for (const index of columnIndexes.toReversed()) {
      const text = textOf(this.values[index]);
      const line = text === null ? null : this.lineOf[field]!(text);
      // `JOHN DOE MD` in an earlier line looks like a last line (Maryland).
      if (line && (line.zip !== null || columnIndexes.length === 1)) return line[part];
    }
    return null;
  }

  private joined(columnIndexes: number[], field: number): string | null {
    const isOfAddress = isAddress[field]!;
    const isCut = field === fieldNumber.apn && !this.hasDecimals;
    let text = '';
    for (let i = field === fieldNumber.mail_address ? this.streetLine(columnIndexes) : 0; i < columnIndexes.length; i++) {
      const value = textOf(this.values[columnIndexes[i]!]);
      const written = value !== null && isNested(value) ? nestedText(value) : value;
      if (written === null || (i > 0 && field === fieldNumber.mail_address && lastLineOf(written)?.zip != null)) continue;
      const piece = isOfAddress ? addressPieceOf(written, i === 0, this.arePadded[field]!) : isCut ? withoutDecimals(written) : written;
      if (piece !== null) text += text === '' ? piece : ` ${piece}`;
    }
    return text === '' ? null : text;
  }

  /** The first line with a house number or a post box, behind a line with a care-of name. */
  private streetLine(columnIndexes: number[]): number {
    const line = columnIndexes.findIndex((index) => /^(\d|p\.?\s*o\.?\s*(box|drawer)\b)/i.test(textOf(this.values[index]) ?? ''));
    return Math.max(0, line);
  }
}
