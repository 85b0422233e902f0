import { addressesInPieces, ownerInPieces } from './addresses/address-pieces.js';
import { classifyAddressColumns, type PartyEvidence, readPostalAsMail } from './addresses/classify-address-columns.js';
import { lastLineCandidates, withLineParts } from './addresses/last-line-columns.js';
import { withNextLines } from './addresses/next-lines.js';
import type { ReadColumn } from './addresses/party.js';
import { type Candidate, costOfBlanks, minSureness, minSurenessToAsk } from './candidate.js';
import { dialects } from './dialects.js';
import { type FieldSource, factsOf, isMappableField, type MappableField, type Mapping, mappableFields } from './fields.js';
import { nameEvidence, secondOwnerEvidence } from './names/name-evidence.js';
import { commonPrefixes, readName } from './names/read-name.js';
import { parcelNumberCandidates } from './parcel-number.js';
import { fittingReadings, type SampledColumn, shareLike } from './sampled-column.js';
import { sumImprovementColumns } from './sum-improvement-columns.js';
import { demotePartialTaxes } from './taxes.js';
import { preferOneBasis, withoutCounts, withoutPartialTotals } from './valuations.js';
import { areDayFirst, areExcelDays, enoughValues, haveDecimals, isZero, looksLikeSquareFeet, valueFit } from './value-evidence.js';

const maxAsked = 2;

// Fields of a later version of the record take no column from the earlier fields: a county that is loaded again keeps its records.
const addedFields = mappableFields.filter((field) => factsOf[field].since !== undefined);
const firstFields = mappableFields.filter((field) => !addedFields.includes(field));

/** Why a source was chosen for a field, and how sure that is, from 0 to 1. */
export interface Evidence {
  why: string;
  sureness: number;
}

/** A field that stays empty, with the columns that it might come from. */
export interface AskedField {
  field: MappableField;
  choices: ({ columns: string[] } & Evidence)[];
}

export interface Recognition {
  mapping: Mapping;
  evidence: Partial<Record<MappableField, Evidence>>;
  asked: AskedField[];
}

interface RecogniseOptions {
  /** The operator's mapping. It stays as it is, and its columns serve no other field. */
  given?: Mapping;
  /** The county's USPS state code. */
  state?: string;
}

/**
 * Chooses the columns of each field. Every pair of field and column is scored by the parts of the name, the neighboring columns and the
 * values. The surest pairs are taken first, and each column once.
 */
export function recognise(sampled: SampledColumn[], { given = {}, state }: RecogniseOptions = {}): Recognition {
  const shared = commonPrefixes(sampled.map(({ name }) => name));
  const columns = readPostalAsMail(
    sampled.map((column) => ({ ...column, readings: fittingReadings(readName(column.name, shared), column) })),
  );
  const candidates = candidatesOf(columns, state)
    .filter(({ field }) => given[field] === undefined)
    .sort((a, b) => b.sureness - a.sureness);
  const used = new Set(Object.values(given).flatMap((source) => source.columns));
  const found = new Map<MappableField, Candidate>();
  const isFree = ({ columns }: Candidate) => columns.every((name) => !used.has(name));
  const take = (fields: readonly MappableField[]) => {
    for (const candidate of candidates) {
      if (candidate.sureness < minSureness) break;
      if (!fields.includes(candidate.field) || found.has(candidate.field) || !isFree(candidate)) continue;
      found.set(candidate.field, candidate);
      for (const name of candidate.columns) used.add(name);
    }
  };
  take(firstFields);
  for (const [field, candidate] of found) {
    const whole = withNextLines(candidate, columns, used);
    found.set(field, whole);
    for (const name of whole.columns) used.add(name);
  }
  for (const candidate of lastLineCandidates(columns, found, given, used, state)) {
    found.set(candidate.field, candidate);
    for (const name of candidate.columns) used.add(name);
  }
  const ask = (fields: readonly MappableField[]) =>
    fields.flatMap((field): AskedField[] => {
      if (given[field] || found.has(field)) return [];
      const choices = candidates.filter(
        (candidate) => candidate.field === field && candidate.sureness >= minSurenessToAsk && isFree(candidate),
      );
      return choices.length > 0
        ? [
            {
              field,
              choices: choices.slice(0, maxAsked).map(({ columns, sureness, why }) => ({ columns, sureness: rounded(sureness), why })),
            },
          ]
        : [];
    });
  const asked = ask(firstFields);
  take(addedFields);
  asked.push(...ask(addedFields));
  const { mapping, evidence } = resultOf(found, given);
  return { mapping: withForms(mapping, columns), evidence, asked };
}

function resultOf(found: Map<MappableField, Candidate>, given: Mapping): Omit<Recognition, 'asked'> {
  const mapping: Mapping = {};
  const evidence: Recognition['evidence'] = {};
  for (const field of mappableFields) {
    const candidate = found.get(field);
    if (given[field]) {
      mapping[field] = given[field];
      evidence[field] = { why: 'as you said', sureness: 1 };
    } else if (candidate) {
      mapping[field] = { columns: candidate.columns, ...(candidate.unit && { unit: candidate.unit }) };
      evidence[field] = { why: candidate.why, sureness: rounded(candidate.sureness) };
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

const rounded = (sureness: number): number => Math.round(Math.min(1, sureness) * 100) / 100;

function candidatesOf(columns: ReadColumn[], state: string | undefined): Candidate[] {
  const dialect = dialects.find(({ mark }) => columns.some(({ plain }) => plain === mark));
  const whose = classifyAddressColumns(columns, state);
  const byName = columns.flatMap((column) =>
    mappableFields.flatMap((field) => candidateOf(field, column, whose.get(column.name) ?? []) ?? []),
  );
  const ofDialect = columns.flatMap((column) =>
    Object.entries(dialect?.names ?? {}).flatMap(([name, called]): Candidate[] => {
      if (!called.split(' ').includes(column.plain)) return [];
      const field = name as MappableField;
      const sureness = 0.98 * valueFit(field, column) - costOfBlanks(column);
      return [{ field, columns: [column.name], sureness, why: `so it is in ${dialect!.of}` }];
    }),
  );
  const all = [
    ...withoutCounts(byName, columns),
    ...ownNames(columns),
    ...shapes(columns),
    ...ofDialect,
    ...parcelNumberCandidates(columns),
    ...ownerInPieces(columns),
    ...wholeOrPieces(columns, byName),
  ];
  const whole = sumImprovementColumns(demotePartialTaxes(withoutPartialTotals(all, columns), columns), columns);
  return preferFilled(preferNewest(preferOneBasis(whole, columns), columns), columns);
}

/** Columns with the names of our own fields: the file was prepared for us, so values may vary little. */
function ownNames(columns: ReadColumn[]): Candidate[] {
  return columns.flatMap((column): Candidate[] => {
    const field = column.name.toLowerCase();
    const fits = isMappableField(field) && valueFit(field, { ...column, values: column.values.slice(0, enoughValues - 1) }) > 0;
    return fits ? [{ field, columns: [column.name], sureness: 1, why: 'it has the name of the field' }] : [];
  });
}

const shapeSureness = 0.8;

/** Geometry is recognized by its values alone: nothing else looks like it. */
function shapes(columns: ReadColumn[]): Candidate[] {
  return columns
    .filter((column) => column.values.length > 0 && valueFit('geometry', column) > 0)
    .map(({ name }) => ({ field: 'geometry', columns: [name], sureness: shapeSureness, why: 'its values are shapes' }));
}

function candidateOf(field: MappableField, column: ReadColumn, whose: PartyEvidence[]): Candidate | undefined {
  if (field === 'apn') return undefined;
  const named = namedEvidence(field, column, whose);
  if (!named) return undefined;
  const fit = valueFit(field, column);
  if (fit === 0) return undefined;
  const source: FieldSource = { columns: [column.name] };
  if (field === 'acres') {
    const unit = areaUnit(column);
    if (unit === null) return undefined;
    if (unit) source.unit = unit;
  }
  return { ...source, field, sureness: named.sureness * fit - costOfBlanks(column), why: named.why };
}

function namedEvidence(field: MappableField, column: ReadColumn, whose: PartyEvidence[]): Evidence | undefined {
  const said =
    field === 'owner_name_2'
      ? (secondOwnerEvidence(column.readings) ?? nameEvidence(field, column.readings))
      : nameEvidence(field, column.readings);
  const party = whose.find((evidence) => evidence.field === field);
  if (party && party.sureness > (said?.sureness ?? 0)) return party;
  return said ? { sureness: said.sureness, why: `the name says ${said.says}` } : undefined;
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

/** Pieces of an address win over a column that is named the address but lacks house numbers, and over less sure columns. */
function wholeOrPieces(columns: ReadColumn[], candidates: Candidate[]): Candidate[] {
  return addressesInPieces(columns).map((pieces) => {
    const isPiece = ({ name }: ReadColumn) => pieces.columns.includes(name);
    const best = candidates
      .filter(({ field, sureness }) => field === pieces.field && sureness >= minSureness)
      .sort((a, b) => b.sureness - a.sureness)
      .map((candidate) => columns.find(({ name }) => name === candidate.columns[0])!)
      .find((column) => isWhole(column) || isPiece(column) || column.values.length === 0);
    const piecesWin = best === undefined || (isPiece(best) && !isWhole(best));
    return { ...pieces, sureness: piecesWin ? 0.97 : 0.5 };
  });
}

const yearCost = 0.03;

/** Prefers the newest of columns whose names contain years. */
function preferNewest(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const readings = new Map(columns.map((column) => [column.name, column.readings]));
  const yearOf = ({ columns: [name] }: Candidate) => readings.get(name!)![0]?.year ?? null;
  const yearsOf = new Map<MappableField, { oldest: number; newest: number }>();
  for (const candidate of candidates) {
    const year = yearOf(candidate);
    if (year === null) continue;
    const { oldest, newest } = yearsOf.get(candidate.field) ?? { oldest: year, newest: year };
    yearsOf.set(candidate.field, { oldest: Math.min(oldest, year), newest: Math.max(newest, year) });
  }
  return candidates.map((candidate) => {
    const year = yearOf(candidate);
    if (year === null) return candidate;
    const { oldest, newest } = yearsOf.get(candidate.field)!;
    if (newest > year) return { ...candidate, sureness: candidate.sureness - Math.min(0.3, (newest - year) * yearCost) };
    return oldest < year ? { ...candidate, why: `${candidate.why}, of ${year}, the newest` } : candidate;
  });
}

const zerosCost = 0.25;

/** Prefers columns with values to columns of zeros: shapefiles write an unused column as zeros. */
function preferFilled(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const empty = new Set(columns.filter(({ values }) => values.every(isZero)).map(({ name }) => name));
  const isEmpty = ({ columns: names }: Candidate) => names.every((name) => empty.has(name));
  const filled = new Set(candidates.filter((each) => each.sureness >= minSureness && !isEmpty(each)).map(({ field }) => field));
  return candidates.map((candidate) =>
    filled.has(candidate.field) && isEmpty(candidate) ? { ...candidate, sureness: candidate.sureness - zerosCost } : candidate,
  );
}
