import { addressesInPieces, ownerInPieces } from './addresses/address-pieces.js';
import { type PartyEvidence, type ReadColumn, whoseAddresses, withPostalAddress } from './addresses/classify-address-columns.js';
import { lastLineCandidates, withLineParts } from './addresses/last-line-columns.js';
import { withNextLines } from './addresses/next-lines.js';
import { type Candidate, costOfBlanks, sureEnough, worthAsking } from './candidate.js';
import { dialects } from './dialects.js';
import { type FieldSource, isMappableField, type MappableField, type Mapping, mappableFields } from './fields.js';
import { fittingReadings } from './fitting-readings.js';
import { nameEvidence, secondOwnerEvidence } from './names/name-evidence.js';
import { readName, sharedParts } from './names/read-name.js';
import { parcelNumberCandidates } from './parcel-number.js';
import { type SampledColumn, shareLike } from './sampled-column.js';
import { wholeImprovements } from './sum-improvement-columns.js';
import { wholeTaxes } from './taxes.js';
import { preferOneBasis, withoutCounts, withoutParts } from './valuations.js';
import { areDayFirst, areExcelDays, enoughValues, haveDecimals, isZero, looksLikeSquareFeet, valueFit } from './value-evidence.js';

const maxAsked = 2;

/** Why a field comes from where it does, and how sure that is, from 0 to 1. */
export interface Evidence {
  why: string;
  sureness: number;
}

/** A field that stays empty, and the columns that it might come from. */
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
  /** What the operator has mapped: it stays as it is, and its columns are used for no other field. */
  given?: Mapping;
  /** The county's state, by its USPS code. */
  state?: string;
}

/**
 * Chooses the columns for each field: every field and every column that may be it are scored by the name's parts, the neighbours and
 * the values, and the surest pairs are taken first, each column once.
 */
export function recognise(sampled: SampledColumn[], { given = {}, state }: RecogniseOptions = {}): Recognition {
  const shared = sharedParts(sampled.map(({ name }) => name));
  const columns = withPostalAddress(
    sampled.map((column) => ({ ...column, readings: fittingReadings(readName(column.name, shared), column) })),
  );
  const candidates = candidatesOf(columns, state)
    .filter(({ field }) => given[field] === undefined)
    .sort((a, b) => b.sureness - a.sureness);
  const used = new Set(Object.values(given).flatMap((source) => source.columns));
  const found = new Map<MappableField, Candidate>();
  const isFree = ({ columns }: Candidate) => columns.every((name) => !used.has(name));
  for (const candidate of candidates) {
    if (candidate.sureness < sureEnough) break;
    if (found.has(candidate.field) || !isFree(candidate)) continue;
    found.set(candidate.field, candidate);
    for (const name of candidate.columns) used.add(name);
  }
  for (const [field, candidate] of found) {
    const whole = withNextLines(candidate, columns, used);
    found.set(field, whole);
    for (const name of whole.columns) used.add(name);
  }
  for (const candidate of lastLineCandidates(columns, found, given, used, state)) {
    found.set(candidate.field, candidate);
    for (const name of candidate.columns) used.add(name);
  }
  const asked = mappableFields.flatMap((field): AskedField[] => {
    if (given[field] || found.has(field)) return [];
    const choices = candidates.filter((candidate) => candidate.field === field && candidate.sureness >= worthAsking && isFree(candidate));
    return choices.length > 0
      ? [
          {
            field,
            choices: choices.slice(0, maxAsked).map(({ columns, sureness, why }) => ({ columns, sureness: rounded(sureness), why })),
          },
        ]
      : [];
  });
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

/** Of columns of the operator's choice, too: read in another way, such dates would be none or others, and such numbers others. */
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
  const whose = whoseAddresses(columns, state);
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
  const whole = wholeImprovements(wholeTaxes(withoutParts(all, columns), columns), columns);
  return preferFilled(preferNewest(preferOneBasis(whole, columns), columns), columns);
}

/** Columns that are named as the fields of our own records: somebody has prepared the file for us, however little its values vary. */
function ownNames(columns: ReadColumn[]): Candidate[] {
  return columns.flatMap((column): Candidate[] => {
    const field = column.name.toLowerCase();
    const fits = isMappableField(field) && valueFit(field, { ...column, values: column.values.slice(0, enoughValues - 1) }) > 0;
    return fits ? [{ field, columns: [column.name], sureness: 1, why: 'it has the name of the field' }] : [];
  });
}

const shapeSureness = 0.8;

/** Nothing else looks like the text of a shape, whatever its column is called. */
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

/** A size of which the name does not say the unit is in the one that its values speak for; without values it is unknown. */
function areaUnit(column: ReadColumn): FieldSource['unit'] | null {
  const concepts = new Set(column.readings.flatMap((reading) => reading.concepts));
  if (concepts.has('sqft')) return 'square feet';
  if (concepts.has('acres')) return undefined;
  if (column.values.length === 0) return null;
  return looksLikeSquareFeet(column) ? 'square feet' : undefined;
}

const isWhole = (column: SampledColumn): boolean => shareLike(column, /^\d+\s+\S/) >= 0.3;

/** Pieces of an address win over a column that is called the address, but has no house numbers, and over those that are so less surely. */
function wholeOrPieces(columns: ReadColumn[], candidates: Candidate[]): Candidate[] {
  return addressesInPieces(columns).map((pieces) => {
    const isPiece = ({ name }: ReadColumn) => pieces.columns.includes(name);
    const rival = candidates
      .filter(({ field, sureness }) => field === pieces.field && sureness >= sureEnough)
      .sort((a, b) => b.sureness - a.sureness)
      .map((candidate) => columns.find(({ name }) => name === candidate.columns[0])!)
      .find((column) => isWhole(column) || isPiece(column) || column.values.length === 0);
    const piecesWin = rival === undefined || (isPiece(rival) && !isWhole(rival));
    return { ...pieces, sureness: piecesWin ? 0.97 : 0.5 };
  });
}

const yearCost = 0.03;

/** Of columns that name years, the newest one is taken. */
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

/** A column of nothing but zeros, which is how a shapefile writes a column that nobody filled, gives way to one that says something. */
function preferFilled(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const empty = new Set(columns.filter(({ values }) => values.every(isZero)).map(({ name }) => name));
  const isEmpty = ({ columns: names }: Candidate) => names.every((name) => empty.has(name));
  const filled = new Set(candidates.filter((each) => each.sureness >= sureEnough && !isEmpty(each)).map(({ field }) => field));
  return candidates.map((candidate) =>
    filled.has(candidate.field) && isEmpty(candidate) ? { ...candidate, sureness: candidate.sureness - zerosCost } : candidate,
  );
}
