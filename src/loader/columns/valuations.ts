import { asked, type Candidate, compareRanks } from './candidate.js';
import type { MappableField, Mapping } from './fields.js';
import { type ReadColumn, readName } from './names/read-name.js';
import { enoughValues, largestOf, medianOf, someValues, sumOf } from './value-fit.js';

const valueFields: MappableField[] = ['land_value', 'improvement_value', 'total_value'];
// `net` comes first: it is what is left of any value after exemptions.
const bases = ['net', 'appraised', 'market', 'just', 'assessed', 'actual', 'cash', 'taxable', 'fair', 'gross', 'exempt', 'tax'];

/** The kind of valuation that a column's name states. */
function basisOf({ readings }: ReadColumn): string {
  return bases.find((basis) => readings.some(({ concepts }) => concepts.includes(basis))) ?? 'plain';
}

/** Checks the amounts of a file against each other: values of one kind that add up, and a tax and a price that fit them. */
export function checkAmounts(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  return [withoutCounts, withoutPartialTotals, askDoubtfulTaxes, askDoubtfulSales, sumImprovements, preferOneBasis].reduce(
    (left, check) => check(left, columns),
    candidates,
  );
}

/** The columns of a field, the best first. */
export function columnsFor(field: MappableField, candidates: Candidate[], columns: ReadColumn[]): ReadColumn[] {
  return candidates
    .filter((candidate) => candidate.field === field)
    .sort((a, b) => a.tier - b.tier || compareRanks(a.rank, b.rank))
    .map(({ columns: [name] }) => columns.find((column) => column.name === name)!);
}

/** Ranks a kind of valuation first that has land, improvements and total. An assessed value may be only a share of another. */
function preferOneBasis(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const basisOfCandidate = ({ columns: [name] }: Candidate) => basisOf(columns.find((column) => column.name === name)!);
  const ofValues = candidates.filter(({ field, tier }) => valueFields.includes(field) && tier < 2);
  const sizeOf = (basis: string) => new Set(ofValues.filter((each) => basisOfCandidate(each) === basis).map(({ field }) => field)).size;
  const sizes = new Map(['plain', ...bases].map((basis) => [basis, sizeOf(basis)]));
  return candidates.map((candidate) => {
    if (!valueFields.includes(candidate.field)) return candidate;
    const basis = basisOfCandidate(candidate);
    return { ...candidate, rank: [-sizes.get(basis)!, Number(basis === 'assessed'), ...candidate.rank] };
  });
}

/** At least one of twenty parcels is worth more, and no parcel has as many buildings. */
const maxCount = 500;

/** Drops columns that may count buildings or land, because their names mention no value. */
function withoutCounts(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
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
function withoutPartialTotals(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
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

/** How far a total may differ from the sum of its rounded parts, as a share. */
const rounding = 0.001;

/**
 * Adds two improvement columns of one valuation, such as dwellings and other buildings: if only their sum and the land make up the total,
 * or, without a total, if dwellings are worth more than buildings somewhere. With one of them alone, shops would have no improvements.
 */
function sumImprovements(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const [first, ...others] = columnsFor('improvement_value', candidates, columns);
  const [land] = columnsFor('land_value', candidates, columns);
  if (!first || !land) return candidates;
  const totals = columnsFor('total_value', candidates, columns)
    .map(sumOf)
    .filter((total) => total > 0);
  const makeUpTotal = (...parts: ReadColumn[]) => {
    const sum = [land, ...parts].reduce((all, part) => all + sumOf(part), 0);
    return totals.some((total) => Math.abs(total - sum) <= total * rounding);
  };
  if (makeUpTotal(first)) return candidates;
  const isApart = (other: ReadColumn) => (isDwelling(first) ? !mayInclude(other, first) : isDwelling(other) && !mayInclude(first, other));
  const second = others.find(
    (column) =>
      basisOf(column) === basisOf(first) && sumOf(column) > 0 && (totals.length > 0 ? makeUpTotal(first, column) : isApart(column)),
  );
  if (!second) return candidates;
  const best = candidates.find(({ field, columns: [name] }) => field === 'improvement_value' && name === first.name)!;
  const why = totals.length > 0 ? 'only both of them and the land make up the total' : 'neither of them includes the other';
  return [{ ...best, columns: [first.name, second.name], rank: [-1], why }, ...candidates];
}

const isDwelling = ({ readings }: ReadColumn): boolean => readings.some(({ concepts }) => concepts.includes('dwelling'));

/** Whether the value of buildings may include that of dwellings: it is never less. */
function mayInclude({ values }: ReadColumn, dwellings: ReadColumn): boolean {
  if (values.length !== dwellings.values.length) return values.length > dwellings.values.length;
  return values.every((value, i) => Number(value) >= Number(dwellings.values[i]));
}

/** All levies together are less than this share of land and improvements, unless a county assesses at a hundredth of the price. */
const maxTaxShare = 0.5;
/** Bodies that levy taxes besides the county. */
const leviers = ['city', 'school', 'municipality', 'township', 'village'];

/** Asks about a value that is named a tax, and about a part of the year's tax. */
function askDoubtfulTaxes(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const improvements = columnsFor('improvement_value', candidates, columns);
  const values = columnsFor('land_value', candidates, columns)
    .flatMap((land) => improvements.filter((column) => basisOf(column) === basisOf(land)).map((column) => sumOf(land) + sumOf(column)))
    .filter((value) => value > 0);
  const isTaxOf = ({ readings }: ReadColumn, whose: string[]) =>
    readings.every(({ concepts }) => concepts.includes('tax') && whose.some((concept) => concepts.includes(concept)));
  const hasLevies = columns.some((column) => isTaxOf(column, leviers) && sumOf(column) > 0);
  return candidates.map((candidate) => {
    if (candidate.field !== 'tax_amount') return candidate;
    const tax = columns.find(({ name }) => name === candidate.columns[0])!;
    const isValue = tax.values.length >= someValues && values.some((value) => sumOf(tax) >= value * maxTaxShare);
    return isValue || isTaxOf(tax, ['season']) || (isTaxOf(tax, ['county']) && hasLevies) ? asked(candidate) : candidate;
  });
}

/** Land is hardly ever sold at less than this share of its value; liens and tax sales are. */
const minPriceShare = 0.05;

/** Asks about prices far below the values, and about the date of a deed beside the price of a sale, or of a sale for debts. */
function askDoubtfulSales(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const [price] = columnsFor('sale_price', candidates, columns);
  const values = valueFields.flatMap((field) => columnsFor(field, candidates, columns).slice(0, 1)).map(medianOf);
  const says = (column: ReadColumn, concept: string) => column.readings.some(({ concepts }) => concepts.includes(concept));
  // A list of tax sales has what is owed, and neither prices nor values.
  const isOfDebts = values.length === 0 && columns.some((column) => says(column, 'due') || says(column, 'delinquent'));
  return candidates.map((candidate) => {
    const column = columns.find(({ name }) => name === candidate.columns[0])!;
    if (candidate.field === 'sale_price') {
      const isLow = medianOf(column) > 0 && medianOf(column) < Math.max(0, ...values) * minPriceShare;
      return isLow ? asked(candidate) : candidate;
    }
    const isOther = candidate.field === 'sale_date' && (price ? says(price, 'sale') && !says(column, 'sale') : isOfDebts);
    return isOther ? asked(candidate) : candidate;
  });
}

/** As columns call the values of parcels. What is fair or true is the market's; what is net, of none of these. */
const kinds = ['market', 'appraised', 'just', 'assessed', 'actual', 'cash', 'taxable'] as const;

export type ValueType = (typeof kinds)[number];

/** The kind of the values by the names of their columns: the total's, or its parts' if the total has none. Null: unknown. */
export function valueTypeOf({ total_value, improvement_value, land_value }: Mapping): ValueType | null {
  for (const source of [total_value, improvement_value, land_value]) {
    const concepts = new Set(source?.columns.flatMap((column) => readName(column)).flatMap((reading) => reading.concepts));
    const kind = kinds.find((each) => concepts.has(each));
    if (kind !== undefined) return kind;
  }
  return null;
}
