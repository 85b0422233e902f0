import type { Pool } from 'pg';
import { count } from '../../core/format-numbers.js';
import type { FetchedData } from '../../releases/catalogue/release-comparison.js';
import { checkSources } from './check-sources.js';
import { type CountyFilter, type LoadedRelease, type SourceOfCounty, sourcesOfCounties } from './county-sources.js';
import type { FetchOptions, SourceState } from './fetching/county-source.js';

/** A county whose data was fetched long ago, and what a refresh does about it. */
export interface Refresh {
  county: AgedCounty;
  /** `load`: its source has changed, or does not say. */
  action: 'load' | 'skip' | 'fail';
  why: string;
}

type AgedCounty = SourceOfCounty & { release: LoadedRelease & { fetched: FetchedData; ageDays: number } };

/**
 * The counties whose data was fetched from their source, longer ago: which of them to load again. Asks each source.
 * @param onPlan called for each as its source answers
 */
export async function planRefresh(
  db: Pool,
  olderThanDays: number,
  filter: CountyFilter,
  options: FetchOptions,
  onPlan: (refresh: Refresh) => void = () => {},
): Promise<Refresh[]> {
  const isOld = (county: SourceOfCounty): county is AgedCounty => (county.release?.ageDays ?? 0) > olderThanDays;
  const plans: Refresh[] = [];
  const add = (refresh: Refresh) => {
    plans.push(refresh);
    onPlan(refresh);
  };
  const asked: AgedCounty[] = [];
  for (const county of (await sourcesOfCounties(db, filter)).filter(isOld)) {
    const { heldId } = county.release;
    if (heldId === null) asked.push(county);
    else add({ county, action: 'skip', why: `release ${heldId} is held for a decision` });
  }
  await checkSources(asked, options, (county, state) => add({ county, ...decide(county, state) }));
  return plans;
}

function decide({ release }: AgedCounty, { answers, problem, changedAt, records }: SourceState): Omit<Refresh, 'county'> {
  if (!answers) return { action: 'fail', why: `the source does not answer: ${problem}` };
  const { fetched, ageDays } = release;
  if (records !== null && fetched.records !== null && records !== fetched.records)
    return { action: 'load', why: `the source has ${count(records)} records, not ${count(fetched.records)}` };
  if (changedAt === null) return { action: 'load', why: `fetched ${ageDays} days ago, and the source does not say when it changed` };
  // A change on the day of the fetch may have come after it.
  const isAsFetched = fetched.sourceDate !== null && changedAt <= fetched.sourceDate && changedAt < fetched.at.slice(0, 10);
  return isAsFetched
    ? { action: 'skip', why: `unchanged at the source since ${changedAt}` }
    : { action: 'load', why: `changed at the source on ${changedAt}` };
}
