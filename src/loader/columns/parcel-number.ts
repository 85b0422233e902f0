import type { ReadColumn } from './addresses/classify-address-columns.js';
import type { Candidate } from './candidate.js';
import { costOfBlanks } from './candidate.js';
import { nameEvidence } from './names/name-evidence.js';
import { doubtfulParcelNumberNames, parcelNumberNames, rowNumberNames } from './names/parcel-number-names.js';
import { distinctShare, type SampledColumn, shareLike } from './sampled-column.js';
import { enoughValues } from './value-evidence.js';

/** Which columns may be the parcel number, by their names and by whether their values may be one. */
export function parcelNumberCandidates(columns: ReadColumn[]): Candidate[] {
  const single = columns.flatMap((column) => candidateOf(column) ?? []);
  return [...single, ...mapAndLot(columns), ...majorAndMinor(columns)];
}

const certainty = 0.96;
const rankCost = 0.001;
const doubtfulSureness = 0.7;
const rowNumberSureness = 0.64;
const distinctBonus = 0.03;

function candidateOf(column: ReadColumn): Candidate | undefined {
  const fit = parcelNumberFit(column);
  if (fit === 0) return undefined;
  const blanks = costOfBlanks(column);
  const bonus = column.values.length >= enoughValues ? distinctBonus * distinctShare(column) : 0;
  const candidate = (sureness: number, why: string): Candidate => ({
    field: 'apn',
    columns: [column.name],
    sureness: Math.min(0.99, sureness * fit - blanks + bonus),
    why,
  });
  const rank = rankOf(column);
  if (rank >= 0) return candidate(certainty - rank * rankCost, `parcel numbers are often named so${variety(column)}`);
  const said = nameEvidence('apn', column.readings);
  if (said && said.sureness >= doubtfulSureness) return candidate(said.sureness, `the name says ${said.says}${variety(column)}`);
  // What may mean something else must show by its values that it does not.
  if (!isDistinct(column) || shareLike(column, /\d/) < 0.8) return undefined;
  if (said || doubtfulParcelNumberNames.includes(column.plain)) {
    return candidate(Math.max(doubtfulSureness, said?.sureness ?? 0), `it may be named so${variety(column)}`);
  }
  const isCountOfRows = !rowNumberNames.includes(column.plain) || shareLike(column, /^(?=.*\d)(?=.*\D)|^\d{8}/s) < 0.8;
  return isCountOfRows ? undefined : candidate(rowNumberSureness, 'its values are no count of rows');
}

function rankOf({ name, plain }: SampledColumn): number {
  const rank = parcelNumberNames.indexOf(plain);
  // dBASE cuts names at ten characters.
  if (rank >= 0 || name.length !== 10 || plain.length < 8) return rank;
  return parcelNumberNames.findIndex((known) => known.startsWith(plain));
}

function variety(column: SampledColumn): string {
  if (column.values.length < enoughValues) return '';
  return `, ${Math.floor(distinctShare(column) * 100)}% of its values are different`;
}

const isDistinct = (column: SampledColumn): boolean => column.values.length < enoughValues || distinctShare(column) >= 0.9;

function parcelNumberFit(column: SampledColumn): number {
  if (column.values.length === 0) return 1;
  if (shareLike(column, /^https?:|^www\.|^\{?[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}\}?$/i) > 0.1) return 0;
  // A street with its house number, and letters in words, as in the address of a page.
  if (shareLike(column, /^\d+\s+[a-z]{2,}\s/i) > 0.5) return 0;
  if (shareLike(column, /^[a-z]{3,}([-_/][a-z\d]+)+$/) > 0.5 || shareLike(column, /\d/) < 0.3) return 0;
  if (column.values.length < enoughValues) return 1;
  const distinct = distinctShare(column);
  if (distinct < 0.02) return 0;
  if (isCount(column)) return 0.8;
  return distinct < 0.5 ? 0.92 : 1;
}

const asNoCount = /^0\d|^\d{8}/;

/** Whether each value is the one before and 1, and written as a count is. */
function isCount(column: SampledColumn): boolean {
  if (shareLike(column, asNoCount) > 0.5) return false;
  const { values } = column;
  const numbers = values.map(Number);
  const steps = numbers.filter((number, i) => i > 0 && number === numbers[i - 1]! + 1).length;
  return steps >= values.length * 0.9;
}

const mapAndLotSureness = 0.8;

/** Where a county writes map, block and lot into columns of their own, together they are the number. */
function mapAndLot(columns: ReadColumn[]): Candidate[] {
  const named = (concept: string) =>
    columns.find(
      ({ readings, values }) =>
        values.length > 0 && readings.some((reading) => isOnly(reading.concepts, concept) && reading.unknown.length === 0),
    );
  const [map, block, lot] = ['map', 'block', 'lot'].map(named);
  if (!map || !lot) return [];
  const next = columns[columns.indexOf(lot) + 1];
  const parts = [map, block, lot, next && isPartOfLot(next) ? next : undefined].filter((column) => column !== undefined);
  return [{ field: 'apn', columns: parts.map(({ name }) => name), sureness: mapAndLotSureness, why: 'map and lot are parts of a number' }];
}

/** The plat's number and the lot's within it, as in King County, Washington. */
function majorAndMinor(columns: ReadColumn[]): Candidate[] {
  const parts = ['major', 'minor'].flatMap(
    (name) => columns.find((column) => column.plain === name && shareLike(column, /^\d+(\.0*)?$/) > 0.9) ?? [],
  );
  if (parts.length < 2) return [];
  return [
    { field: 'apn', columns: parts.map(({ name }) => name), sureness: mapAndLotSureness, why: 'major and minor are parts of a number' },
  ];
}

/** Without it, the flats of a house and the lots that one was cut into had one number. */
const isPartOfLot = (column: SampledColumn): boolean =>
  ['sub', 'sublot', 'unit'].includes(column.plain) && shareLike(column, /^[\w.-]{1,8}$/) > 0.9;

function isOnly(concepts: string[], concept: string): boolean {
  return (
    concepts.includes(concept) &&
    concepts.every((other) => other === concept || other === 'parcel' || other === 'number' || other === 'tax')
  );
}
