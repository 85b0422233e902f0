import type { Candidate } from './candidate.js';
import { basisOf, columnsFor } from './valuations.js';
import { sumOf } from './value-evidence.js';
import type { ReadColumn } from './whose-address.js';

/** Of the taxes, values that are called so are left out. */
export function wholeTaxes(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const values = valuesOf(candidates, columns);
  return candidates.filter((candidate) => {
    const tax = columns.find(({ name }) => name === candidate.columns[0])!;
    return candidate.field !== 'tax_amount' || !values.some((value) => sumOf(tax) >= value * noTax);
  });
}

/** From this share of land and improvements on it is no tax: all levies together nowhere take half of what is assessed. */
const noTax = 0.5;

/** The sums of land and improvements, for each kind of valuation. */
function valuesOf(candidates: Candidate[], columns: ReadColumn[]): number[] {
  const improvements = columnsFor('improvement_value', candidates, columns);
  return columnsFor('land_value', candidates, columns)
    .flatMap((land) => improvements.filter((column) => basisOf(column) === basisOf(land)).map((column) => sumOf(land) + sumOf(column)))
    .filter((value) => value > 0);
}
