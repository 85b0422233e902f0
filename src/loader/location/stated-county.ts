import { successorsOf } from '../../counties/county-codes.js';
import { plainName } from '../columns/fields.js';
import type { SourceRow } from '../formats/source-row.js';
import { textOf } from '../values/values.js';
import type { CountyMatcher } from './county-matcher.js';

/** A column that says which county its rows are of, by code or name. */
export interface StatedCounty {
  column: string;
  /** Such as `36047` or `KINGS`. */
  example: string;
  /** `all`: each row that names a county names this one. */
  here: 'all' | 'some' | 'none';
}

const columnNames = [
  ...['countyfips', 'cntyfips', 'stcntyfips', 'fips', 'fipscode', 'parcelfips', 'geoid', 'stcofips', 'fips5'],
  ...['county', 'countyname', 'countynm', 'cntyname', 'cntynm', 'cnty'],
];

/** Finds the column that names a county of the state in half of the rows or more. Retired codes count for the counties of their land. */
export function statedCounty(sample: SourceRow[], { county: { fips }, outlines }: CountyMatcher): StatedCounty | null {
  const columns = Object.keys(sample[0]?.properties ?? {}).filter((name) => columnNames.includes(plainName(name)));
  if (columns.length === 0) return null;
  const codesByName = new Map<string, string[]>();
  for (const code of outlines.fipsCodes.filter((each) => each.startsWith(fips.slice(0, 2)))) {
    for (const name of namesIn(outlines.of(code).label)) codesByName.set(name, [...(codesByName.get(name) ?? []), code]);
  }
  const codesIn = (text: string): string[] =>
    /^\d{4,5}$/.test(text) ? successorsOf(text.padStart(5, '0')) : (codesByName.get(lettersOf(text.replace(/\bco\.?$/i, 'County'))) ?? []);
  for (const column of columns) {
    const named = sample
      .flatMap(({ properties }) => textOf(properties[column]) ?? [])
      .map((text) => ({ text, codes: codesIn(text) }))
      .filter(({ codes }) => codes.length > 0);
    if (named.length * 2 < sample.length) continue;
    const elsewhere = named.filter(({ codes }) => !codes.includes(fips));
    const here = elsewhere.length === 0 ? 'all' : elsewhere.length < named.length ? 'some' : 'none';
    return { column, example: (elsewhere[0] ?? named[0]!).text, here };
  }
  return null;
}

/** `KINGSCOUNTY` and `KINGS` of `Kings County, NY (36047)`. */
const namesIn = (label: string): string[] => [
  ...new Set([/, .*/, /( (County|Parish|Municipio|Borough|Census Area|city))?, .*/].map((end) => lettersOf(label.replace(end, '')))),
];

const lettersOf = (text: string): string =>
  text
    .toUpperCase()
    .normalize('NFD')
    .replace(/[^A-Z]/g, '');
