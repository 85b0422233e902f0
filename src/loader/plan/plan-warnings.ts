import { fieldsOfType, type MappableField, type Mapping, mappableFields } from '../columns/fields.js';
import { parcelNumberNames } from '../columns/names/parcel-number-names.js';
import type { SampledColumn } from '../columns/sampled-column.js';
import type { Source } from '../formats/source.js';
import type { SourceRow } from '../formats/source-row.js';
import { FieldReader, fieldNumber } from '../records/field-reader.js';
import { OutlierCounter } from '../values/outliers.js';
import { isTruncatedNumber } from '../values/values.js';
import { type JoinPlan, withJoinKey } from './plan-join.js';
import { shownColumns } from './shown-columns.js';

/** What the first rows show. */
interface Sampled {
  mapping: Mapping;
  columns: SampledColumn[];
  files: { source: Pick<Source, 'name'>; sample: SourceRow[] }[];
  /** The rows with the parcels' values: the roll's, if there is one. */
  rows: SourceRow[];
  join: JoinPlan | null;
}

/** What the operator should know before the load, by one rule each. */
export const planWarnings = (sampled: Sampled): string[] =>
  [decimalCommas, spoiltNumbers, missingColumns, severalYears, severalSales].flatMap((rule) => rule(sampled));

const numberFields = fieldsOfType('dollars', 'dollars and cents', 'acres', 'square feet', 'count', 'number');
const surelyDecimal = /^-?\d*,(\d{1,2}|\d{4,})$/;
const doubtful = /^-?[1-9]\d{0,2},\d{3}$/;

/** Numbers that `numberOf` reads as thousands, in columns whose other values have decimal commas. */
function decimalCommas({ mapping, columns }: Sampled): string[] {
  const mapped = new Set(numberFields.flatMap((field) => mapping[field]?.columns ?? []));
  return columns.flatMap(({ name, values }) => {
    const decimal = values.find((value) => surelyDecimal.test(value));
    const thousand = values.find((value) => doubtful.test(value));
    if (!mapped.has(name) || decimal === undefined || thousand === undefined) return [];
    return [
      `${name} has decimal commas (${decimal}), but ${thousand} is read as ${thousand.replace(',', '')}. If that is wrong, ` +
        'export it with decimal points.',
    ];
  });
}

/** Parcel numbers that Excel cut to six digits when it opened and saved a CSV. They reach no record, from whichever column. */
function spoiltNumbers({ mapping: { apn }, columns }: Sampled): string[] {
  return columns
    .filter(({ name, plain }) => (apn ? apn.columns.includes(name) : parcelNumberNames.includes(plain)))
    .flatMap(({ name, values }) => {
      const cut = values.filter(isTruncatedNumber);
      return cut.length === 0
        ? []
        : [
            `${cut.length} of the first ${values.length} values of ${name} have lost digits (${cut[0]}) and are not parcel numbers. Export the ` +
              'table with that column as text. Excel shortens numbers when it opens and saves a CSV.',
          ];
    });
}

const placeFields = new Set<string>(['latitude', 'longitude', 'geometry']);

/** One of several files lacks a mapped column, which may have another name there. */
function missingColumns({ files: sampled, mapping }: Sampled): string[] {
  const files = sampled.map(({ source, sample }) => {
    const rows = sample.filter(({ fault }) => fault === null);
    const columns = new Set(rows.flatMap(({ properties }) => Object.keys(properties)));
    return { name: source.name, columns, hasShapes: rows.some(({ geometry }) => geometry !== null) };
  });
  return files.flatMap((file) => {
    const others = files.filter((other) => other !== file);
    const missing = mappableFields
      .filter((field) => !(file.hasShapes && placeFields.has(field)))
      .flatMap((field) => (mapping[field]?.columns ?? []).map((column) => ({ field, column })))
      .filter(({ column }) => !file.columns.has(column) && others.some(({ columns }) => columns.has(column)));
    const [first] = missing;
    if (file.columns.size === 0 || !first) return [];
    const own = [...file.columns].filter((column) => others.every(({ columns }) => !columns.has(column)));
    return [
      `${file.name} has no column ${shownColumns(missing.map(({ field, column }) => `${column} (${field})`))}` +
        (own.length === 0
          ? '.'
          : `, but only it has ${shownColumns(own)}: if they mean the same, map both, such as --map ${first.field}=${first.column}+${own[0]}.`),
    ];
  });
}

// Back taxes give a parcel a few more rows. A table of several years repeats nearly every parcel.
const enoughNumbers = 3;
const minShare = 0.2;
const areMany = (several: number, all: number): boolean => several >= enoughNumbers && several >= all * minShare;

/** The rows of each parcel number, and how their fields are read. */
function parcelsOf({ mapping, rows, join }: Sampled) {
  const read = new FieldReader(withJoinKey(mapping, join), new OutlierCounter());
  const of = <Value>(row: SourceRow, value: (read: FieldReader) => Value): Value => {
    read.moveTo(row);
    return value(read);
  };
  const parcels = new Map<string, SourceRow[]>();
  for (const row of rows) {
    const apn = row.fault === null ? of(row, () => read.parcelNumber()) : null;
    if (apn !== null) parcels.set(apn, [...(parcels.get(apn) ?? []), row]);
  }
  return { parcels: [...parcels.values()], of };
}

/** Parcels have a row for each of several years: each row would become a record. */
function severalYears(sampled: Sampled): string[] {
  const [column, ...others] = sampled.mapping.tax_year?.columns ?? [];
  if (column === undefined || others.length > 0) return [];
  const { parcels, of } = parcelsOf(sampled);
  const written = new Map<number, string>();
  const years = parcels
    .map((rows) => {
      const own = new Set<number>();
      for (const row of rows) {
        const year = of(row, (read) => read.year(fieldNumber.tax_year));
        if (year === null) continue;
        own.add(year);
        written.set(year, of(row, (read) => read.text(fieldNumber.tax_year))!);
      }
      return own;
    })
    .filter(({ size }) => size > 0);
  const several = years.filter(({ size }) => size > 1).length;
  if (!areMany(several, years.length)) return [];
  const latest = written.get(Math.max(...written.keys()))!;
  return [
    `${several} of the first ${years.length} parcel numbers are repeated with another ${column}, and each year becomes its own record: ` +
      (sampled.join ? `leave only the rows of ${latest} in the roll.` : `--where "${column}=${latest}" loads the latest alone.`),
  ];
}

const saleFields: ReadonlySet<MappableField> = new Set(['sale_date', 'sale_price']);

/** Parcels have a row for each sale: each row would become a record. Rows that differ in another field may be units of a building. */
function severalSales(sampled: Sampled): string[] {
  const { mapping, join } = sampled;
  const column = (mapping.sale_date ?? mapping.sale_price)?.columns[0];
  if (column === undefined) return [];
  const { parcels, of } = parcelsOf(sampled);
  const fields = mappableFields.filter((field) => mapping[field]);
  const distinct = (rows: SourceRow[], isOfSale: boolean) => {
    const own = fields.filter((field) => saleFields.has(field) === isOfSale);
    return new Set(rows.map((row) => JSON.stringify(own.map((field) => of(row, (read) => read.text(fieldNumber[field])))))).size;
  };
  const several = parcels.filter((rows) => rows.length > 1 && distinct(rows, true) > 1 && distinct(rows, false) === 1).length;
  if (!areMany(several, parcels.length)) return [];
  return [
    `${several} of the first ${parcels.length} parcel numbers are repeated with only another ${column}, and each sale becomes its own record: ` +
      `leave only the latest of each parcel in the ${join ? 'roll' : 'file'}.`,
  ];
}
