import type { Segment } from '../page.js';

/** Neighbouring records of a release that an account read. */
export interface BoughtRun extends Segment {
  countyFips: string;
}

export const countOf = (runs: Segment[]): number => runs.reduce((sum, { count }) => sum + count, 0);

/** One run per county, with the number of its records. */
export function sumByCounty(runs: BoughtRun[]): BoughtRun[] {
  const sums = new Map<string, BoughtRun>();
  for (const run of runs) {
    const sum = sums.get(run.countyFips);
    if (sum) sum.count += run.count;
    else sums.set(run.countyFips, { ...run });
  }
  return [...sums.values()];
}
