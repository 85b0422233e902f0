import { trailingFields } from '../../releases/record-fields/record-fields.js';
import type { Question } from '../load-answers.js';
import { addressesInPieces, ownerInPieces } from './addresses/address-pieces.js';
import { lastLineCandidates, wholeAddressCandidates, withLineParts } from './addresses/last-line-columns.js';
import { withNextLines } from './addresses/next-lines.js';
import { unnamedAddresses } from './addresses/unnamed-addresses.js';
import { withFittingStates } from './addresses/zip-states.js';
import { asked, type Candidate, type Certainty, certaintyOf, compareRanks, possible } from './candidate.js';
import { type FieldSource, isMappableField, type MappableField, type Mapping, mappableFields } from './fields.js';
import { matchName, matchSecondOwner } from './names/match-name.js';
import type { ReadColumn } from './names/read-name.js';
import { readName, sharedPrefixes } from './names/read-name.js';
import { parcelNumberCandidates } from './parcel-number.js';
import { neverSilent, questionsOf } from './questions.js';
import { filledShare, type SampledColumn, shareLike, sparseShare } from './sampled-column.js';
import { checkAmounts } from './valuations.js';
import { areDayFirst, areExcelDays, enoughValues, fitOf, haveDecimals, looksLikeSquareFeet } from './value-fit.js';

// New fields trail, and these take no column from the others: a county that is loaded again keeps its records.
const trailing = mappableFields.filter((field) => trailingFields.some(({ name }) => name === field));
const leading = mappableFields.filter((field) => !trailing.includes(field));

// A likely column of these is asked about if another one is likely, too: a buyer would pay for the wrong one.
const paidFor: MappableField[] = [
  ...(['owner_name', 'owner_name_2', 'situs_address', 'situs_city', 'situs_zip', 'mail_address', 'mail_city', 'mail_state'] as const),
  ...(['mail_zip', 'land_value', 'improvement_value', 'total_value', 'tax_amount'] as const),
];

/** Why a source was chosen for a field, and how certain that is. */
export interface Evidence {
  why: string;
  sureness: Certainty;
}

export interface Recognition {
  mapping: Mapping;
  evidence: Partial<Record<MappableField, Evidence>>;
  questions: Question[];
}

interface RecogniseOptions {
  /** The operator's mapping. It stays as it is, and its columns serve no other field. */
  given?: Mapping;
  /** The county's USPS state code. */
  state?: string;
}

/**
 * Chooses the columns of each field. The names decide first, then how full the columns are; values only veto. The best pairs of field and
 * column are taken first, and each column once.
 */
export function recognise(sampled: SampledColumn[], { given = {}, state }: RecogniseOptions = {}): Recognition {
  const prefixes = sharedPrefixes(sampled.map(({ name }) => name));
  const all = sampled.map((column) => ({ ...column, readings: withFittingStates(readName(column.name, prefixes), column) }));
  const [columns, blank] = [all.filter(isFilled), all.filter((column) => !isFilled(column))];
  const candidates = ranked(candidatesOf(columns, all, state), all).filter(({ field }) => given[field] === undefined);
  const used = new Set(Object.values(given).flatMap((source) => source.columns));
  const found = new Map<MappableField, Candidate>();
  const isFree = ({ columns }: Candidate) => columns.every((name) => !used.has(name));
  const use = (candidate: Candidate) => {
    found.set(candidate.field, candidate);
    for (const name of candidate.columns) used.add(name);
  };
  // A second line, party or value is no rival of the first.
  const isFirst = (name: string) =>
    all.some((column) => column.name === name && column.readings.some(({ ordinal }) => (ordinal ?? 1) === 1));
  const isRivalled = ({ field, tier, columns: own }: Candidate) =>
    tier > 0 &&
    paidFor.includes(field) &&
    candidates.some(
      (other) => other.field === field && other.tier < possible && other.columns.every((name) => !own.includes(name) && isFirst(name)),
    );
  const take = (fields: readonly MappableField[]) => {
    for (const candidate of candidates) {
      const { field, tier } = candidate;
      if (tier < possible && !isRivalled(candidate) && fields.includes(field) && !found.has(field) && isFree(candidate)) use(candidate);
    }
  };
  take(leading);
  for (const candidate of [...found.values()]) use(withNextLines(candidate, columns, used));
  for (const candidate of lastLineCandidates(columns, found, given, used, state)) use(candidate);
  for (const candidate of wholeAddressCandidates(columns, found, given)) found.set(candidate.field, candidate);
  take(trailing);
  const isOpen = (field: MappableField) => !given[field] && !found.has(field);
  const asking = candidates.filter(isFree);
  // Rows below the sampled ones may have what no sampled row has, if nothing else can be the field. Zeros alone may be values of vacant land.
  const mayComeLater = ({ tier, columns: [name] }: Candidate) =>
    tier === 0 || (tier < possible && blank.some((column) => column.name === name && column.values.length > 0));
  for (const candidate of named(blank))
    if (
      mayComeLater(candidate) &&
      !neverSilent.includes(candidate.field) &&
      isOpen(candidate.field) &&
      isFree(candidate) &&
      !asking.some(({ field }) => field === candidate.field)
    )
      use({ ...candidate, tier: 1, why: `${candidate.why}, but no sampled row has a value` });
  const questions = questionsOf(mappableFields.filter(isOpen), asking, all);
  const { mapping, evidence } = resultOf(found, given);
  return { mapping: withForms(mapping, columns), evidence, questions };
}

const isFilled = (column: SampledColumn): boolean => filledShare(column) > 0;

function resultOf(found: Map<MappableField, Candidate>, given: Mapping): Omit<Recognition, 'questions'> {
  const mapping: Mapping = {};
  const evidence: Recognition['evidence'] = {};
  for (const field of mappableFields) {
    const candidate = found.get(field);
    if (given[field]) {
      mapping[field] = given[field];
      evidence[field] = { why: 'you mapped it', sureness: 'certain' };
    } else if (candidate) {
      mapping[field] = { columns: candidate.columns, ...(candidate.unit && { unit: candidate.unit }) };
      evidence[field] = { why: candidate.why, sureness: certaintyOf[candidate.tier] };
    }
  }
  return { mapping, evidence };
}

/** Sets how values are read, also for columns that the operator chose: with another unit, dates and numbers would come out wrong. */
function withForms(mapping: Mapping, columns: ReadColumn[]): Mapping {
  const columnsOf = (field: MappableField) => columns.filter(({ name }) => mapping[field]?.columns.includes(name));
  const withUnit = (field: MappableField, unit: FieldSource['unit']): Mapping => ({ [field]: { ...mapping[field]!, unit } });
  const [sold] = mapping.sale_date?.columns.length === 1 ? columnsOf('sale_date') : [];
  return {
    ...withLineParts(mapping, columns),
    ...(sold && areDayFirst(sold) && withUnit('sale_date', 'day first')),
    ...(sold && areExcelDays(sold) && withUnit('sale_date', "Excel's days")),
    ...(columnsOf('apn').some(haveDecimals) && withUnit('apn', 'with decimals')),
  };
}

/** @param all with the blank ones: a piece of an address may be filled further down */
function candidatesOf(columns: ReadColumn[], all: ReadColumn[], state: string | undefined): Candidate[] {
  const byName = named(columns);
  const pieces = addressesInPieces(all);
  const hasOwner = byName.some(({ field, tier }) => field === 'owner_name' && tier < possible);
  const unnamed = unnamedAddresses(columns, pieces, state, hasOwner).flatMap((candidate) => withFit(candidate, columns) ?? []);
  // Beside the pieces of an address, a column with few house numbers is only its street.
  const isHalf = ({ field, columns: [name] }: Candidate) =>
    pieces.some((candidate) => candidate.field === field) && !isWhole(columns.find((column) => column.name === name)!);
  const candidates = [
    ...[...byName, ...unnamed].map((candidate) => (isHalf(candidate) ? asked(candidate) : candidate)),
    ...ownNames(columns),
    ...shapes(columns),
    ...parcelNumberCandidates(columns),
    ...ownerInPieces(columns),
    ...pieces,
  ];
  return checkAmounts(candidates, columns);
}

const named = (columns: ReadColumn[]): Candidate[] =>
  columns.flatMap((column) => mappableFields.flatMap((field) => candidateOf(field, column) ?? []));

function candidateOf(field: MappableField, column: ReadColumn): Candidate | undefined {
  const match = field === 'apn' ? null : field === 'owner_name_2' ? matchSecondOwner(column.readings) : matchName(field, column.readings);
  if (!match) return undefined;
  const source: FieldSource = { columns: [column.name] };
  if (field === 'acres') {
    const unit = areaUnit(column);
    if (unit === null) return undefined;
    if (unit) source.unit = unit;
  }
  return withFit({ ...source, field, tier: match.tier, rank: match.rank, why: `the name says ${match.says}` }, [column]);
}

/** Drops a candidate whose values are impossible, and asks about a likely one whose values are unlikely or missing. */
function withFit(candidate: Candidate, columns: ReadColumn[]): Candidate | undefined {
  const column = columns.find(({ name }) => name === candidate.columns[0])!;
  const fit = fitOf(candidate.field, column);
  if (fit === 'impossible') return undefined;
  return fit === 'unlikely' && candidate.tier > 0 ? asked(candidate) : candidate;
}

/** Columns with the names of our own fields: the file was prepared for us, so values may vary little. */
function ownNames(columns: ReadColumn[]): Candidate[] {
  return columns.flatMap((column): Candidate[] => {
    const field = column.name.toLowerCase();
    const fits = isMappableField(field) && fitOf(field, { ...column, values: column.values.slice(0, enoughValues - 1) }) !== 'impossible';
    return fits ? [{ field, columns: [column.name], tier: 0, rank: [-9], why: 'it has the name of the field' }] : [];
  });
}

/** Geometry is recognized by its values alone: nothing else looks like it. */
function shapes(columns: ReadColumn[]): Candidate[] {
  return columns
    .filter((column) => column.values.length > 0 && fitOf('geometry', column) === 'fits')
    .map(({ name }) => ({ field: 'geometry', columns: [name], tier: 1, rank: [], why: 'its values are shapes' }));
}

/** The unit of an area. If the name does not say it, the values decide; without values it is unknown (null). */
function areaUnit(column: ReadColumn): FieldSource['unit'] | null {
  const concepts = new Set(column.readings.flatMap((reading) => reading.concepts));
  if (concepts.has('sqft')) return 'square feet';
  if (concepts.has('acres')) return undefined;
  if (column.values.length === 0) return null;
  return looksLikeSquareFeet(column) ? 'square feet' : undefined;
}

const isWhole = (column: SampledColumn): boolean => shareLike(column, /^\d+\s+\S/) >= 0.3;

/** Sorts candidates by certainty, and within a tier full columns before sparse ones of the field, the newest year, by name, and by how full they are. */
function ranked(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const columnOf = new Map(columns.map((column) => [column.name, column]));
  const filled = ({ columns: names }: Candidate) => Math.max(...names.map((name) => filledShare(columnOf.get(name)!)));
  const yearOf = ({ columns: [name] }: Candidate) => columnOf.get(name!)!.readings[0]?.year ?? null;
  const [fullest, newest] = [new Map<MappableField, number>(), new Map<MappableField, number>()];
  for (const candidate of candidates) {
    const { field, tier } = candidate;
    if (tier < possible) fullest.set(field, Math.max(fullest.get(field) ?? 0, filled(candidate)));
    newest.set(field, Math.max(newest.get(field) ?? 0, yearOf(candidate) ?? 0));
  }
  const order = candidates.map((candidate, i) => {
    const { field, tier, rank, why } = candidate;
    const isSparse = filled(candidate) < (fullest.get(field) ?? 0) * sparseShare;
    const year = yearOf(candidate);
    const age = year === null ? 0 : newest.get(field)! - year;
    const whyNewest = year !== null && age === 0 && candidates.some((other) => other.field === field && (yearOf(other) ?? year) < year);
    return {
      candidate: whyNewest ? { ...candidate, why: `${why}, of ${year}, the newest` } : candidate,
      keys: [tier, Number(isSparse), age, ...rank, -Math.round(filled(candidate) * 10), i],
    };
  });
  return order.sort((a, b) => compareRanks(a.keys, b.keys)).map(({ candidate }) => candidate);
}
