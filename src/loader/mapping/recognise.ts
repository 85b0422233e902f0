import { AppError } from '../../errors.js';
import { textOf } from '../normalise/values.js';
import type { Properties } from '../sources/source.js';
import { type FieldSource, isMappableField, type MappableField, type Mapping, mappableFields, plainName } from './fields.js';
import { doubtfulParcelNumberNames, parcelNumberNames, rowNumberNames } from './parcel-number-names.js';
import { ambiguousAreaNames, dialects, fieldNames, situsPieces, squareFeetName } from './vocabulary.js';

const maxColumns = 5_000;

/** A column of a file, with the values of the sampled rows. */
export interface SampledColumn {
  name: string;
  plain: string;
  /** Without blanks. */
  values: string[];
}

export function sampleColumns(rows: Properties[]): SampledColumn[] {
  const valuesOf = new Map<string, string[]>();
  for (const properties of rows) {
    for (const name of Object.keys(properties)) {
      const values = valuesOf.get(name) ?? [];
      valuesOf.set(name, values);
      if (valuesOf.size > maxColumns) throw new AppError('invalid_request', `The file has more than ${maxColumns} columns.`);
      const text = textOf(properties[name]);
      if (text !== null) values.push(text);
    }
  }
  return [...valuesOf].map(([name, values]) => ({ name, plain: plainName(name), values }));
}

/**
 * Chooses the columns for each field by their names and by whether their values may be that field.
 * @param given what the operator has mapped: it stays as it is, and its columns are used for no other field
 */
export function recogniseMapping(columns: SampledColumn[], given: Mapping = {}): Mapping {
  const used = new Set(Object.values(given).flatMap((source) => source.columns));
  const chosen: Mapping = {};
  const dialect = dialects.find(({ mark }) => columns.some(({ plain }) => plain === mark))?.names;
  for (const field of mappableFields) {
    if (given[field]) {
      chosen[field] = given[field];
      continue;
    }
    const free = columns.filter(({ name }) => !used.has(name));
    const own = free.find(({ plain }) => plain === dialect?.[field]);
    const source = own ? { columns: [own.name] } : field === 'apn' ? parcelNumber(free) : fieldByName(field, free);
    if (!source || source.columns.some((name) => used.has(name))) continue;
    chosen[field] = source;
    for (const name of source.columns) used.add(name);
  }
  return chosen;
}

function parcelNumber(columns: SampledColumn[]): FieldSource | undefined {
  const column =
    firstNamed(columns, parcelNumberNames, isMostlyDistinct(0.02)) ??
    firstNamed(columns, doubtfulParcelNumberNames, (column) => isMostlyDistinct(0.9)(column) && mostly(column, /\d/)) ??
    firstNamed(columns, rowNumberNames, (column) => isMostlyDistinct(0.9)(column) && mostly(column, /^(?=.*\d)(?=.*\D)|^\d{8}/s));
  return column && { columns: [column.name] };
}

function fieldByName(field: MappableField, columns: SampledColumn[]): FieldSource | undefined {
  const names = fieldNames.get(field)!;
  const column = firstNamed(columns, names, (candidate) => mayBe(field, candidate));
  if (field === 'situs_address') {
    const pieces = situsPieces.map((piece) => firstNamed(columns, piece, () => true)?.name);
    // A number and a street; a column named "Location" or "Address" wins over them only by holding a house number itself.
    const isInPieces = pieces[0] !== undefined && pieces[2] !== undefined;
    if (isInPieces && !(column && mostly(column, /^\d/, 0.3))) return { columns: pieces.filter((name) => name !== undefined) };
  }
  if (!column) return undefined;
  return field === 'acres' && isSquareFeet(column) ? { columns: [column.name], unit: 'square feet' } : { columns: [column.name] };
}

/** The first column in the order of names that has values and is fit; a column without any value only if there is no such one. */
function firstNamed(columns: SampledColumn[], names: string[], isFit: (column: SampledColumn) => boolean): SampledColumn | undefined {
  const matches = [
    ...names.flatMap((name) => columns.filter((column) => column.plain === name)),
    ...names.flatMap((name) => columns.filter((column) => isCutName(column, name))),
  ];
  return matches.find((column) => column.values.length > 0 && isFit(column)) ?? matches.find((column) => column.values.length === 0);
}

// dBASE cuts names at ten characters.
function isCutName(column: SampledColumn, name: string): boolean {
  return column.name.length === 10 && column.plain.length >= 8 && name.startsWith(column.plain);
}

function isMostlyDistinct(share: number): (column: SampledColumn) => boolean {
  return ({ values }) => values.length < 20 || new Set(values).size >= values.length * share;
}

function mostly({ values }: SampledColumn, pattern: RegExp, share = 0.8): boolean {
  return values.filter((value) => pattern.test(value)).length >= values.length * share;
}

const shapes: Partial<Record<MappableField, RegExp>> = {
  owner_name: /\p{L}/u,
  mail_state: /^[a-z]{2}$|^[a-z .]{4,}$/i,
  land_value: /\d/,
  improvement_value: /\d/,
  total_value: /\d/,
  tax_year: /^\d{4}/,
  tax_amount: /^[($\s-]*[\d.,]/,
  sale_price: /^[($\s-]*[\d.,]/,
  sale_date: /\d/,
  year_built: /^\d{1,4}(\.0*)?$/,
  acres: /^-?[\d.,]+(e[+-]?\d+)?$/i,
  latitude: /^[+-]?[\d.]+$/,
  longitude: /^[+-]?[\d.]+$/,
  geometry: /^(srid=\d+;)?\s*(multi)?(polygon|point)\s*((z|m|zm)\s*)?\(|^\{.*"coordinates"|^[0-9a-f]{40,}$/i,
};

function mayBe(field: MappableField, column: SampledColumn): boolean {
  // San Diego's SITUS_ADDR is the house number alone.
  if (field === 'situs_address') return column.values.length === 0 || !mostly(column, /^\d+(\.0*)?$/, 0.5);
  // A ZONE of digits alone is a tax map's (Hawaii) or a flood map's.
  if (field === 'zoning' && column.plain === 'zone') return mostly(column, /[a-z]/i, 0.3);
  const shape = shapes[field];
  return !shape || mostly(column, shape);
}

// Half of a county's lots are never larger than 500 acres, and hardly ever smaller than 500 square feet.
function isSquareFeet({ plain, values }: SampledColumn): boolean {
  if (squareFeetName.test(plain)) return true;
  if (!ambiguousAreaNames.has(plain)) return false;
  const areas = values
    .map((value) => Number(value.replaceAll(',', '')))
    .filter((area) => area > 0)
    .sort((a, b) => a - b);
  return areas.length > 0 && areas[areas.length >> 1]! > 500;
}

/**
 * Reads `--map` options such as `apn=ML`, `situs_address=StreetNum+StreetName` or `acres=LandArea:sqft`.
 * @throws Error naming the option that can't be followed
 */
export function parseMapOptions(options: string[], columns: string[]): Mapping {
  const mapping: Mapping = {};
  for (const option of options) {
    const [, field = '', value = ''] = /^([^=]*)=(.*)$/s.exec(option) ?? [];
    if (!isMappableField(field)) throw new Error(`--map ${option}: the field must be one of ${mappableFields.join(', ')}.`);
    const [, names = value, unit] = /^(.*):(sqft|acres)$/.exec(value) ?? [];
    mapping[field] = { columns: names === '' ? [] : splitColumns(option, names, columns), ...(unit === 'sqft' && { unit: 'square feet' }) };
  }
  return mapping;
}

// A column's own name may hold a plus sign.
function splitColumns(option: string, names: string, columns: string[]): string[] {
  const whole = findColumn(names, columns);
  if (whole) return [whole];
  return names.split('+').map((name) => {
    const column = findColumn(name.trim(), columns);
    if (!column) throw new Error(`--map ${option}: there is no column ${name.trim()}. There are: ${columns.join(', ')}.`);
    return column;
  });
}

export function findColumn(name: string, columns: string[]): string | undefined {
  return columns.find((column) => column === name) ?? columns.find((column) => column.toLowerCase() === name.toLowerCase());
}
