import type { ReadColumn } from './addresses/classify-address-columns.js';
import { type Candidate, sureEnough, worthAsking } from './candidate.js';
import type { MappableField } from './fields.js';
import { enoughValues, largestOf, sumOf } from './value-evidence.js';

const valueFields: MappableField[] = ['land_value', 'improvement_value', 'total_value'];
// What is left after exemptions is net, of whatever value.
const bases = ['net', 'appraised', 'market', 'just', 'assessed', 'actual', 'cash', 'taxable', 'fair', 'gross', 'exempt', 'tax'];
const basisBonus = 0.03;
/** So that of two valuations that are as sure not the one is taken that stands first: what is assessed may be a share of the other. */
const assessedCost = 0.005;

/** Which kind of valuation a column is of, as its name says. */
export function basisOf({ readings }: ReadColumn): string {
  return bases.find((basis) => readings.some(({ concepts }) => concepts.includes(basis))) ?? 'plain';
}

/** Land, improvements and total are taken from one kind of valuation, where one has all of them. */
export function preferOneBasis(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const bases = new Map(columns.map((column) => [column.name, basisOf(column)]));
  const basisOfCandidate = ({ columns: [name] }: Candidate) => bases.get(name!)!;
  const fieldsOf = new Map<string, Set<MappableField>>();
  for (const candidate of candidates) {
    if (!valueFields.includes(candidate.field) || candidate.sureness < sureEnough) continue;
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

/** The columns that may be a field, the surest first. */
export function columnsFor(field: MappableField, candidates: Candidate[], columns: ReadColumn[]): ReadColumn[] {
  return candidates
    .filter((candidate) => candidate.field === field && candidate.sureness >= worthAsking)
    .sort((a, b) => b.sureness - a.sureness)
    .map(({ columns: [name] }) => columns.find((column) => column.name === name)!);
}

/** Of any twenty parcels one is worth more, and none has as many buildings. */
const mostCounted = 500;

/** What is called buildings, land or total, and not their value, may be how many there are. */
export function withoutCounts(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const counts = columns.filter((column) => !saysValue(column) && looksCounted(column)).map(({ name }) => name);
  return candidates.filter(({ field, columns: [name] }) => !valueFields.includes(field) || !counts.includes(name!));
}

const saysValue = (column: ReadColumn): boolean =>
  basisOf(column) !== 'plain' || column.readings.some(({ concepts }) => concepts.includes('value') || concepts.includes('amount'));

// Zeros alone are what vacant land's buildings are worth, too.
function looksCounted(column: ReadColumn): boolean {
  const largest = largestOf(column);
  return column.values.length >= enoughValues && largest > 0 && largest < mostCounted;
}

/** A total that is lower than its parts by more than they are rounded is of another valuation. */
const noTotal = 0.99;
/** Who assesses at less than all assesses at 70 % or less. Where the parts do not say their valuation, that alone tells. */
const noTotalOfPlain = 0.75;

/** What is assessed, taxable or net of a parcel is no total of its full land and improvements where it is less. */
export function withoutParts(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
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
    return sumOf(column) < sum * (mayBeAll ? noTotalOfPlain : noTotal);
  };
  const others = columns.filter(isOther).map(({ name }) => name);
  return candidates.filter(({ field, columns: [name] }) => field !== 'total_value' || !others.includes(name!));
}
