import type { ReadColumn } from './addresses/party.js';
import type { Candidate } from './candidate.js';
import { basisOf, columnsFor } from './valuations.js';
import { sumOf } from './value-evidence.js';

/** How far a total may differ from the sum of its rounded parts, as a share. */
const rounding = 0.001;
/** Ranks the sum above either part. */
const bonus = 0.02;

/**
 * Adds two improvement columns of one valuation, such as dwellings and other buildings, when only their sum and the land make up the total.
 * With one of them alone, shops would have no improvements.
 */
export function sumImprovementColumns(candidates: Candidate[], columns: ReadColumn[]): Candidate[] {
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
