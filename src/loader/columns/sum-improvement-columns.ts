import type { ReadColumn } from './addresses/classify-address-columns.js';
import type { Candidate } from './candidate.js';
import { basisOf, columnsFor } from './valuations.js';
import { sumOf } from './value-evidence.js';

/** By how much of a total it may differ from its parts, which are rounded. */
const rounding = 0.001;
/** More than either of the parts. */
const bonus = 0.02;

/**
 * Two columns of one valuation together, as of dwellings and of other buildings, where only with both of them the land makes up the
 * total: of one alone, shops would have improvements worth nothing.
 */
export function wholeImprovements(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
  const [first, ...others] = columnsFor('improvement_value', candidates, columns);
  const [land] = columnsFor('land_value', candidates, columns);
  if (!first || !land) return candidates;
  const totals = columnsFor('total_value', candidates, columns).map(sumOf);
  const makeUpTotal = (...parts: ReadColumn[]) => {
    const sum = [land, ...parts].reduce((all, part) => all + sumOf(part), 0);
    return totals.some((total) => total > 0 && Math.abs(total - sum) <= total * rounding);
  };
  if (makeUpTotal(first)) return candidates;
  const second = others.find((column) => basisOf(column) === basisOf(first) && sumOf(column) > 0 && makeUpTotal(first, column));
  if (!second) return candidates;
  const surest = candidates.find(({ field, columns: [name] }) => field === 'improvement_value' && name === first.name)!;
  const both = { ...surest, columns: [first.name, second.name], sureness: surest.sureness + bonus };
  return [...candidates, { ...both, why: 'only both of them and the land make up the total' }];
}
