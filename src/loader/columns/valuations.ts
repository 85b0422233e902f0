import type { ReadColumn } from './addresses/party.js';
import { type Candidate, minSureness, minSurenessToAsk } from './candidate.js';
import type { MappableField, Mapping } from './fields.js';
import { readName } from './names/read-name.js';
import { enoughValues, largestOf, sumOf } from './value-evidence.js';

const valueFields: MappableField[] = ['land_value', 'improvement_value', 'total_value'];
// `net` comes first: it is what is left of any value after exemptions.
const bases = ['net', 'appraised', 'market', 'just', 'assessed', 'actual', 'cash', 'taxable', 'fair', 'gross', 'exempt', 'tax'];
const basisBonus = 0.03;
/** Breaks ties between valuations: the assessed value may be only a share of the other. */
const assessedCost = 0.005;

/** The kind of valuation that a column's name states. */
export function basisOf({ readings }: ReadColumn): string {
  return bases.find((basis) => readings.some(({ concepts }) => concepts.includes(basis))) ?? 'plain';
}

/** Prefers a kind of valuation that has land, improvements and total. */
export function preferOneBasis(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const bases = new Map(columns.map((column) => [column.name, basisOf(column)]));
  const basisOfCandidate = ({ columns: [name] }: Candidate) => bases.get(name!)!;
  const fieldsOf = new Map<string, Set<MappableField>>();
  for (const candidate of candidates) {
    if (!valueFields.includes(candidate.field) || candidate.sureness < minSureness) continue;
    const fields = fieldsOf.get(basisOfCandidate(candidate)) ?? new Set();
    fieldsOf.set(basisOfCandidate(candidate), fields.add(candidate.field));
  }
  return candidates.map((candidate) => {
    if (!valueFields.includes(candidate.field)) return candidate;
    const basis = basisOfCandidate(candidate);
    const companions = (fieldsOf.get(basis)?.size ?? 1) - 1;
    return { ...candidate, sureness: candidate.sureness + companions * basisBonus - (basis === 'assessed' ? assessedCost : 0) };
  });
}

/** The candidate columns of a field, the surest first. */
export function columnsFor(field: MappableField, candidates: Candidate[], columns: ReadColumn[]): ReadColumn[] {
  return candidates
    .filter((candidate) => candidate.field === field && candidate.sureness >= minSurenessToAsk)
    .sort((a, b) => b.sureness - a.sureness)
    .map(({ columns: [name] }) => columns.find((column) => column.name === name)!);
}

/** At least one of twenty parcels is worth more, and no parcel has as many buildings. */
const maxCount = 500;

/** Drops columns that may count buildings or land, because their names mention no value. */
export function withoutCounts(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const counts = columns.filter((column) => !saysValue(column) && looksCounted(column)).map(({ name }) => name);
  return candidates.filter(({ field, columns: [name] }) => !valueFields.includes(field) || !counts.includes(name!));
}

const saysValue = (column: ReadColumn): boolean =>
  basisOf(column) !== 'plain' || column.readings.some(({ concepts }) => concepts.includes('value') || concepts.includes('amount'));

// Zeros alone may be the value of buildings on vacant land.
function looksCounted(column: ReadColumn): boolean {
  const largest = largestOf(column);
  return column.values.length >= enoughValues && largest > 0 && largest < maxCount;
}

/** A total below this share of its parts belongs to another valuation; rounding explains smaller gaps. */
const minTotalShare = 0.99;
/** For parts whose names state no valuation. Partial assessments are at 70 % or less. */
const minPlainTotalShare = 0.75;

/** Drops assessed, taxable or net values that are less than land and improvements together. */
export function withoutPartialTotals(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const lands = columnsFor('land_value', candidates, columns);
  const improvements = columnsFor('improvement_value', candidates, columns);
  const [land, improvement] = [lands[0], improvements[0]];
  if (!land || !improvement) return candidates;
  const parts = [basisOf(land), basisOf(improvement)];
  const sum = sumOf(land) + sumOf(improvement);
  const isOther = (column: ReadColumn) => {
    const basis = basisOf(column);
    const hasParts = [lands, improvements].every((own) => own.some((part) => basisOf(part) === basis));
    if (basis === 'plain' || parts.includes(basis) || hasParts) return false;
    const mayBeAll = parts.includes('plain') && basis !== 'taxable' && basis !== 'net';
    return sumOf(column) < sum * (mayBeAll ? minPlainTotalShare : minTotalShare);
  };
  const others = columns.filter(isOther).map(({ name }) => name);
  return candidates.filter(({ field, columns: [name] }) => field !== 'total_value' || !others.includes(name!));
}

/** As columns call the values of parcels. What is fair or true is the market's; what is net, of none of these. */
const kinds = ['market', 'appraised', 'just', 'assessed', 'actual', 'cash', 'taxable'] as const;

type ValueType = (typeof kinds)[number];

/** The kind of the values by the names of their columns: the total's, or its parts' if the total has none. Null: unknown. */
export function valueTypeOf({ total_value, improvement_value, land_value }: Mapping): ValueType | null {
  for (const source of [total_value, improvement_value, land_value]) {
    const concepts = new Set(source?.columns.flatMap((column) => readName(column)).flatMap((reading) => reading.concepts));
    const kind = kinds.find((each) => concepts.has(each));
    if (kind !== undefined) return kind;
  }
  return null;
}
