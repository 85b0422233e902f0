import type { ReadColumn } from './addresses/classify-address-columns.js';
import type { Candidate } from './candidate.js';
import { basisOf, columnsFor } from './valuations.js';
import { someValues, sumOf, valueFit } from './value-evidence.js';

/** The operator is asked. */
const doubtful = 0.5;

/** Neither a value that is called a tax nor a part of a year's tax is taken for it without asking. */
export function wholeTaxes(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const values = valuesOf(candidates, columns);
  const levies = columns.filter((column) => names(column, leviers) && valueFit('tax_amount', column) > 0);
  return candidates.map((candidate) => {
    if (candidate.field !== 'tax_amount') return candidate;
    const tax = columns.find(({ name }) => name === candidate.columns[0])!;
    const isValue = tax.values.length >= someValues && values.some((value) => sumOf(tax) >= value * mostTax);
    const isPart = names(tax, ['season']) || (names(tax, ['county']) && levies.length > 0);
    return isValue || isPart ? { ...candidate, sureness: Math.min(candidate.sureness, doubtful) } : candidate;
  });
}

/** All levies together take less of land and improvements, but where a county still assesses at a hundredth of what is paid. */
const mostTax = 0.5;

/** The sums of land and improvements, for each kind of valuation. */
function valuesOf(candidates: Candidate[], columns: ReadColumn[]): number[] {
  const improvements = columnsFor('improvement_value', candidates, columns);
  return columnsFor('land_value', candidates, columns)
    .flatMap((land) => improvements.filter((column) => basisOf(column) === basisOf(land)).map((column) => sumOf(land) + sumOf(column)))
    .filter((value) => value > 0);
}

/** Who levies a tax beside the county. */
const leviers = ['city', 'school', 'municipality', 'township', 'village'];

/** Whether a name says that it is the tax of one of these, however it is read. */
function names({ readings }: ReadColumn, whose: string[]): boolean {
  return readings.every(({ concepts }) => concepts.includes('tax') && whose.some((concept) => concepts.includes(concept)));
}
