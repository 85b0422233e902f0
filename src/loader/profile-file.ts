import type { ParameterFault } from '../core/errors.js';
import { refusal } from '../core/errors.js';
import { invalidRequest, quoteValue } from '../core/parameters.js';
import { snakeCase } from '../core/snake-case.js';
import { linePartOf } from './columns/addresses/last-line.js';
import { type FieldSource, isMappableField, type MappableField, type Mapping } from './columns/fields.js';
import { isKeySpelling, keySpellingRule } from './join/key-spelling.js';
import { isSourceName, isSourceUrl, sourceNameRule, sourceUrlRule } from './plan/load-options.js';
import { type KeptOptions, keptOptions, type Profile, type Seen } from './profile/profile.js';
import type { StoredProfile } from './profile/profile.store.js';
import { isStorable, maxSampleLength, maxSamples, type SeenColumn } from './profile/seen-columns.js';

/** A profile as a file that operators share. */
export function writeProfileFile({ countyFips, part, version, body: { map, seen, ...options } }: StoredProfile): string {
  const named = Object.fromEntries(Object.entries(options).map(([name, value]) => [snakeCase(name), value]));
  return `${JSON.stringify({ county: countyFips, part, version, ...named, map, seen }, null, 2)}\n`;
}

type Check = (value: unknown) => string | null;

const maxText = 2000;
const maxColumns = 100;

/**
 * Reads a profile's file.
 * @param fips the county that it is imported for
 * @throws AppError naming each faulty key
 */
export function readProfileFile(text: string, fips: string): { part: string | null; profile: Profile } {
  const file = parse(text);
  const faults: ParameterFault[] = [];
  const check = (parameter: string, message: string | null) => {
    if (message !== null) faults.push({ parameter, message });
  };
  for (const [key, value] of Object.entries(file)) {
    if (own.has(key)) check(key, own.get(key)!(value));
    else if (key === 'map') checkMap(value, check);
    else if (key === 'seen') checkSeen(value, check);
    else check(key, 'is not known');
  }
  if (file.county !== undefined && file.county !== fips) check('county', `is ${quoteValue(file.county)}, not ${fips}`);
  for (const key of ['map', 'seen']) if (!(key in file)) check(key, 'is missing');
  if (faults.length > 0) throw invalidRequest(faults);
  const options = Object.fromEntries(
    keptOptions.filter((name) => (file[snakeCase(name)] ?? null) !== null).map((name) => [name, file[snakeCase(name)]]),
  ) as KeptOptions;
  return { part: (file.part ?? null) as string | null, profile: { map: file.map as Mapping, ...options, seen: file.seen as Seen } };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // the same answer as for JSON that is no object
  }
  throw refusal('The file is not a profile: it must be one JSON object, as `profile export` writes it.');
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= maxText && isStorable(value);
const isTexts = (value: unknown, most: number): value is string[] => Array.isArray(value) && value.length <= most && value.every(isText);

const optional =
  (holds: (value: unknown) => boolean, rule: string): Check =>
  (value) =>
    value === null || holds(value) ? null : `${rule}; it is ${quoteValue(value)}`;
const text = optional(isText, `must be a text of 1 to ${maxText} characters`);

const own = new Map<string, Check>([
  ['county', optional((value) => typeof value === 'string' && /^\d{5}$/.test(value), 'must be five digits')],
  ['part', text],
  ['version', optional(Number.isSafeInteger, 'must be a whole number')],
  [
    'where',
    optional(
      (value) => isTexts(value, maxColumns) && value.every((condition) => condition.indexOf('=') > 0),
      'must be a list of COLUMN=VALUE',
    ),
  ],
  ['layer', text],
  ['crs', text],
  ['on', text],
  ['join_key', optional((value) => isTexts(value, maxColumns) && value.every(isKeySpelling), `must be a list; each ${keySpellingRule}`)],
  ['join_layer', text],
  ['source', optional((value) => typeof value === 'string' && isSourceName(value), sourceNameRule)],
  ['source_url', optional((value) => typeof value === 'string' && isSourceUrl(value), sourceUrlRule)],
  ['protocol', optional((value) => value === 'arcgis' || value === 'http', 'must be arcgis or http')],
  ['license', optional((value) => typeof value === 'string' && isSourceName(value), sourceNameRule)],
  ['attributes', optional((value) => typeof value === 'boolean', 'must be true or false')],
]);

const unitsOf: Partial<Record<MappableField, FieldSource['unit'][]>> = {
  acres: ['square feet'],
  sale_date: ["Excel's days", 'day first'],
  apn: ['with decimals', 'of numbers'],
  situs_address: ['before a last line', 'padded house numbers'],
  mail_address: ['before a last line', 'padded house numbers'],
};

function checkMap(map: unknown, check: (key: string, message: string | null) => void): void {
  if (!isObject(map)) {
    check('map', 'must be an object of fields');
    return;
  }
  for (const [field, source] of Object.entries(map)) {
    const key = `map.${field}`;
    if (!isMappableField(field)) {
      check(key, 'is not a field that columns can be mapped to');
      continue;
    }
    if (!isObject(source)) {
      check(key, 'must be an object with columns');
      continue;
    }
    for (const name of Object.keys(source)) if (name !== 'columns' && name !== 'unit') check(`${key}.${name}`, 'is not known');
    if (!isTexts(source.columns, maxColumns)) check(`${key}.columns`, 'must be a list of column names');
    const units = [...(unitsOf[field] ?? []), ...(linePartOf[field] ? ['part of a last line', 'part of an address'] : [])];
    if (source.unit !== undefined && !units.includes(source.unit as string))
      check(`${key}.unit`, units.length > 0 ? `must be ${units.join(' or ')}` : 'is not for this field');
  }
}

function checkSeen(seen: unknown, check: (key: string, message: string | null) => void): void {
  if (!isObject(seen)) {
    check('seen', 'must be an object with format, crs and columns');
    return;
  }
  for (const name of Object.keys(seen)) if (!['format', 'crs', 'columns'].includes(name)) check(`seen.${name}`, 'is not known');
  for (const name of ['format', 'crs']) if (!isText(seen[name])) check(`seen.${name}`, 'must be a text');
  if (!isObject(seen.columns)) {
    check('seen.columns', 'must be an object of columns');
    return;
  }
  for (const [name, column] of Object.entries(seen.columns)) {
    if (!isStorable(name) || !isSeenColumn(column))
      check(`seen.columns.${name}`, 'must have filled, distinct, samples and, for numbers, range');
  }
}

function isSeenColumn(column: unknown): column is SeenColumn {
  if (!isObject(column)) return false;
  const { filled, distinct, samples, range, ...others } = column;
  const isShare = typeof filled === 'number' && filled >= 0 && filled <= 1;
  const areSamples =
    Array.isArray(samples) &&
    samples.length <= maxSamples &&
    samples.every((value) => typeof value === 'string' && [...value].length <= maxSampleLength && isStorable(value));
  const isRange = range === undefined || (isObject(range) && ['low', 'middle', 'high'].every((name) => Number.isFinite(range[name])));
  return isShare && Number.isSafeInteger(distinct) && areSamples && isRange && Object.keys(others).length === 0;
}
