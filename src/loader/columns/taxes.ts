import type { ReadColumn } from './addresses/party.js';
import type { Candidate } from './candidate.js';
import { basisOf, columnsFor } from './valuations.js';
import { someValues, sumOf, valueFit } from './value-evidence.js';

/** At this sureness the operator is asked. */
const doubtful = 0.5;

/** Asks the operator about a value that is named a tax, and about a part of a year's tax. */
export function demotePartialTaxes(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const values = valuesOf(candidates, columns);
  const levies = columns.filter((column) => names(column, leviers) && valueFit('tax_amount', column) > 0);
  return candidates.map((candidate) => {
    if (candidate.field !== 'tax_amount') return candidate;
    const tax = columns.find(({ name }) => name === candidate.columns[0])!;
    const isValue = tax.values.length >= someValues && values.some((value) => sumOf(tax) >= value * maxTaxShare);
    const isPart = names(tax, ['season']) || (names(tax, ['county']) && levies.length > 0);
    return isValue || isPart ? { ...candidate, sureness: Math.min(candidate.sureness, doubtful) } : candidate;
  });
}

/** All levies together are less than this share of land and improvements, unless a county assesses at a hundredth of the price. */
const maxTaxShare = 0.5;

/** The sums of land and improvements, for each kind of valuation. */
function valuesOf(candidates: Candidate[], columns: ReadColumn[]): number[] {
  const improvements = columnsFor('improvement_value', candidates, columns);
  return columnsFor('land_value', candidates, columns)
    .flatMap((land) => improvements.filter((column) => basisOf(column) === basisOf(land)).map((column) => sumOf(land) + sumOf(column)))
    .filter((value) => value > 0);
}

/** Bodies that levy taxes besides the county. */
const leviers = ['city', 'school', 'municipality', 'township', 'village'];

/** Whether every reading of a name says that it is the tax of one of these. */
function names({ readings }: ReadColumn, whose: string[]): boolean {
  return readings.every(({ concepts }) => concepts.includes('tax') && whose.some((concept) => concepts.includes(concept)));
}
