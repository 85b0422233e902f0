import { type Candidate, possible, type Tier } from './candidate.js';
import { matchName } from './names/match-name.js';
import type { ReadColumn } from './names/read-name.js';
import { doubtfulParcelNumberNames, parcelNumberNames, rowNumberNames } from './names/words.js';
import { distinctShare, type SampledColumn, shareLike } from './sampled-column.js';
import { areSlugs, enoughValues, type Fit } from './value-fit.js';

/** Columns that may be the parcel number, judged by name and values. */
export function parcelNumberCandidates(columns: ReadColumn[]): Candidate[] {
  const single = columns.flatMap((column) => candidateOf(column) ?? []);
  return [...single, ...mapAndLot(columns), ...majorAndMinor(columns)];
}

/** How many of its values differ decides between names of one kind; their order comes after it. */
const varietyOf = (column: SampledColumn): number => (!hasEnough(column) ? 0 : -Math.round(distinctShare(column) * 4));

function candidateOf(column: ReadColumn): Candidate | undefined {
  const fit = parcelNumberFit(column);
  if (fit === 'impossible') return undefined;
  const candidate = (tier: number, kind: number, order: number[], why: string): Candidate => ({
    field: 'apn',
    columns: [column.name],
    tier: Math.min(possible, tier + (fit === 'unlikely' ? 1 : 0)) as Tier,
    rank: [Number(varietyOf(column) > -2 && hasEnough(column)), kind, varietyOf(column), ...order],
    why: `${why}${variety(column)}`,
  });
  const place = placeOf(column);
  if (place >= 0) return candidate(0, 0, [place], 'a common name for parcel numbers');
  const said = matchName('apn', column.readings);
  if (said && said.tier < possible) return candidate(said.tier, 1, said.rank, `the name says ${said.says}`);
  // An ambiguous name needs values that look like parcel numbers.
  if (!isDistinct(column) || shareLike(column, /\d/) < 0.8) return undefined;
  if (said || doubtfulParcelNumberNames.includes(column.plain)) return candidate(1, 3, [], 'a possible name for parcel numbers');
  const isCountOfRows = !rowNumberNames.includes(column.plain) || shareLike(column, /^(?=.*\d)(?=.*\D)|^\d{8}/s) < 0.8;
  if (!isCountOfRows) return candidate(1, 4, [], 'its values do not just count rows');
  const mayBeAsked = hasEnough(column) && fit === 'fits' && shareLike(column, /^-?\d*\.\d+$/) < 0.5;
  return mayBeAsked ? candidate(possible, 5, [], 'nearly every row has a different value') : undefined;
}

const hasEnough = ({ values }: SampledColumn): boolean => values.length >= enoughValues;

function placeOf({ name, plain }: SampledColumn): number {
  const place = parcelNumberNames.indexOf(plain);
  // dBASE cuts names at ten characters.
  if (place >= 0 || name.length !== 10 || plain.length < 8) return place;
  return parcelNumberNames.findIndex((known) => known.startsWith(plain));
}

function variety(column: SampledColumn): string {
  if (!hasEnough(column)) return '';
  return `, ${Math.floor(distinctShare(column) * 100)}% of its values are distinct`;
}

const isDistinct = (column: SampledColumn): boolean => !hasEnough(column) || distinctShare(column) >= 0.9;

function parcelNumberFit(column: SampledColumn): Fit {
  if (column.values.length === 0) return 'fits';
  if (shareLike(column, /^https?:|^www\.|^\{?[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}\}?$/i) > 0.1) return 'impossible';
  // The pattern is a street with its house number.
  if (shareLike(column, /^\d+\s+[a-z]{2,}\s/i) > 0.5 || areSlugs(column) || shareLike(column, /\d/) < 0.3) return 'impossible';
  if (!hasEnough(column)) return 'fits';
  if (distinctShare(column) < 0.02 || new Set(column.values).size === 1) return 'impossible';
  return isCount(column) || shareLike(column, shortNumber) > 0.9 ? 'unlikely' : 'fits';
}

/** The number of a parcel within a map. */
const shortNumber = /^\d{1,3}(\.\d+)?$/;
const notACount = /^0\d|^\d{8}/;

/** Whether the values count rows, in whatever order. Leading zeros or eight digits mark a parcel number. */
function isCount(column: SampledColumn): boolean {
  if (shareLike(column, notACount) > 0.5) return false;
  const numbers = column.values.map(Number).sort((a, b) => a - b);
  const steps = numbers.filter((number, i) => i > 0 && number === numbers[i - 1]! + 1).length;
  return steps >= numbers.length * 0.9;
}

/** Map, block and lot, or block and lot, make the number together where no column has it. */
function mapAndLot(columns: ReadColumn[]): Candidate[] {
  const named = (concept: string) =>
    columns.find(
      ({ readings, values }) =>
        values.length > 0 && readings.some((reading) => isOnly(reading.concepts, concept) && reading.unknown.length === 0),
    );
  const [borough, map, block, lot] = ['borough', 'map', 'block', 'lot'].map(named);
  if (!lot || !(map || block)) return [];
  const next = columns[columns.indexOf(lot) + 1];
  const parts = [borough, map, block, lot, next && isPartOfLot(next) ? next : undefined].filter((column) => column !== undefined);
  // Other subdivisions have a block of the same number.
  const keys = lot.values.map((_, i) => parts.map(({ values }) => values[i]).join(' '));
  const isNumber = map !== undefined || (parts.every(isFull) && new Set(keys).size >= keys.length * 0.9);
  const why = `${map ? 'map' : 'block'} and lot are parts of a number`;
  return [{ field: 'apn', columns: parts.map(({ name }) => name), tier: isNumber ? 1 : possible, rank: [0, 2], why }];
}

const isFull = ({ values, rowCount }: SampledColumn): boolean => values.length === rowCount;

/** The plat's number and the lot's within it, as King County, Washington, writes them. */
function majorAndMinor(columns: ReadColumn[]): Candidate[] {
  const parts = ['major', 'minor'].flatMap(
    (name) => columns.find((column) => column.plain === name && shareLike(column, /^\d+(\.0*)?$/) > 0.9) ?? [],
  );
  if (parts.length < 2) return [];
  const why = 'major and minor are parts of a number';
  return [{ field: 'apn', columns: parts.map(({ name }) => name), tier: 1, rank: [0, 2], why }];
}

/** A sublot or unit. Without it, the units of a house and the parts of a divided lot would share one number. */
const isPartOfLot = (column: SampledColumn): boolean =>
  ['sub', 'sublot', 'unit'].includes(column.plain) && shareLike(column, /^[\w.-]{1,8}$/) > 0.9;

function isOnly(concepts: string[], concept: string): boolean {
  return (
    concepts.includes(concept) &&
    concepts.every((other) => other === concept || other === 'parcel' || other === 'number' || other === 'tax')
  );
}
