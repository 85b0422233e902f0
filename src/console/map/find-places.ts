import { stateName, stateOptions } from './states.js';

/** As `virtual:county-names.json` lists them. */
export type CountyName = [fips: string, name: string, state: string];

export type Place = { kind: 'county'; fips: string; name: string; state: string } | { kind: 'state'; code: string };

const maxPlaces = 8;

/**
 * The states and counties that match a text: each of its words must be the prefix of a word in the name, the state or the code. Names that
 * start with the text come first, then counties with records.
 */
export function findPlaces(text: string, counties: CountyName[], hasRecords: (fips: string) => boolean): Place[] {
  const wanted = plain(text);
  if (wanted === '') return [];
  const words = wanted.split(' ');
  const states = stateOptions
    .filter(({ value, label }) => value.toLowerCase() === wanted || plain(label).startsWith(wanted))
    .map(({ value }): Place => ({ kind: 'state', code: value }));
  const found = counties
    .filter(([fips, name, state]) => {
      const known = ` ${plain(name)} ${plain(stateName(state))} ${state.toLowerCase()} ${fips}`;
      return words.every((word) => known.includes(` ${word}`));
    })
    .map(([fips, name, state]) => ({ fips, name, state, rank: rankOf(plain(name), wanted) * 2 + (hasRecords(fips) ? 0 : 1) }))
    .sort((one, other) => one.rank - other.rank || one.name.localeCompare(other.name) || one.state.localeCompare(other.state));
  const countyPlaces = found.map(({ fips, name, state }): Place => ({ kind: 'county', fips, name, state }));
  return [...states, ...countyPlaces].slice(0, maxPlaces);
}

const rankOf = (name: string, wanted: string): number => {
  if (name === wanted || name.startsWith(`${wanted} `)) return 0;
  return name.startsWith(wanted) ? 1 : 2;
};

/** Lower-case letters and digits, with single spaces between words: `saint marys` matches `St. Mary's`. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replace(/\bsaint\b/g, 'st')
    .replace(/\bsainte\b/g, 'ste');
