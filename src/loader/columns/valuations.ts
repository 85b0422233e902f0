import { asked, type Candidate, compareRanks } from './candidate.js';
import type { MappableField, Mapping } from './fields.js';
import { type ReadColumn, readName } from './names/read-name.js';
import { medianOf, someValues, sumOf } from './value-fit.js';

const valueFields: MappableField[] = ['land_value', 'improvement_value', 'total_value'];
// `net` comes first: it is what is left of any value after exemptions.
const bases = ['net', 'appraised', 'market', 'just', 'assessed', 'actual', 'cash', 'taxable', 'fair', 'gross', 'exempt', 'tax'];

/** The kind of valuation that a column's name states. */
function basisOf({ readings }: ReadColumn): string {
  return bases.find((basis) => readings.some(({ concepts }) => concepts.includes(basis))) ?? 'plain';
}

/** Checks the amounts of a file against each other: values of one kind that add up, and a tax that fits them. */
export function checkAmounts(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  return [sumImprovements, preferOneBasis, askDoubtful].reduce((left, check) => check(left, columns), candidates);
}

/** The columns of a field, the best first. */
function columnsFor(field: MappableField, candidates: Candidate[], columns: ReadColumn[]): ReadColumn[] {
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

/** A total below this share of its parts belongs to another valuation; rounding explains smaller gaps. */
const minTotalShare = 0.99;
/** All levies together are less than this share of land and improvements, unless a county assesses at a hundredth of the price. */
const maxTaxShare = 0.5;
/** How far a total may differ from the sum of its rounded parts, as a share. */
const rounding = 0.001;

/** Land is hardly ever sold at less than this share of its value; liens and tax sales are. */
const minPriceShare = 0.05;

/** Asks about a total of another valuation that is less than land and improvements, a value that is named a tax, and the price of a lien. */
function askDoubtful(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const [lands, improvements] = (['land_value', 'improvement_value'] as const).map((field) =>
    columnsFor(field, candidates, columns).filter((column) => sumOf(column) > 0),
  ) as [ReadColumn[], ReadColumn[]];
  const [[land], [improvement]] = [lands, improvements];
  const values = valueFields.flatMap((field) => columnsFor(field, candidates, columns).slice(0, 1)).map(medianOf);
  const doubts: Partial<Record<MappableField, (column: ReadColumn) => boolean>> = {
    sale_price: (price) => medianOf(price) > 0 && medianOf(price) < Math.max(0, ...values) * minPriceShare,
    total_value: (total) =>
      land !== undefined &&
      improvement !== undefined &&
      ![basisOf(land), basisOf(improvement), 'plain'].includes(basisOf(total)) &&
      sumOf(total) < (sumOf(land) + sumOf(improvement)) * minTotalShare,
    tax_amount: (tax) =>
      tax.values.length >= someValues &&
      lands.some((one) =>
        improvements.some((other) => basisOf(one) === basisOf(other) && sumOf(tax) >= (sumOf(one) + sumOf(other)) * maxTaxShare),
      ),
  };
  return candidates.map((candidate) => {
    const column = columns.find(({ name }) => name === candidate.columns[0])!;
    return doubts[candidate.field]?.(column) ? asked(candidate) : candidate;
  });
}

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
