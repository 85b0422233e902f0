import type { Pool } from 'pg';
import { count } from '../../core/format-numbers.js';
import { checkSources } from './check-sources.js';
import { type CountyFilter, type SourceOfCounty, sourcesOfCounties } from './county-sources.js';
import type { FetchOptions, SourceState } from './fetching/county-source.js';

/** A county whose data has become old, and what a refresh does about it. */
export interface Refresh {
  county: SourceOfCounty;
  /** `load`: its source has changed, or does not say. */
  action: 'load' | 'skip' | 'fail';
  why: string;
}

/**
 * The counties whose data is older, and that were fetched from a source: which of them to load again. Asks each source.
 * @param onPlan called for each as its source answers
 */
export async function planRefresh(
  db: Pool,
  olderThanDays: number,
  filter: CountyFilter,
  options: FetchOptions,
  onPlan: (refresh: Refresh) => void = () => {},
): Promise<Refresh[]> {
  const all = await sourcesOfCounties(db, filter);
  const old = all.filter(({ isFetched, release }) => isFetched && release !== null && release.ageDays > olderThanDays);
  const plans: Refresh[] = [];
  const add = (refresh: Refresh) => {
    plans.push(refresh);
    onPlan(refresh);
  };
  const isHeld = ({ release }: SourceOfCounty) => release!.heldId !== null;
  for (const county of old.filter(isHeld)) {
    add({ county, action: 'skip', why: `release ${county.release!.heldId} waits for a decision` });
  }
  await checkSources(
    old.filter((county) => !isHeld(county)),
    options,
    (county, state) => add({ county, ...decide(county, state) }),
  );
  return plans;
}

function decide({ release }: SourceOfCounty, { answers, problem, changedAt, records }: SourceState): Omit<Refresh, 'county'> {
  if (!answers) return { action: 'fail', why: `the source does not answer: ${problem}` };
  const { fetchedAt, fetchedRecords, sourceDate, ageDays } = release!;
  if (records !== null && fetchedRecords !== null && records !== fetchedRecords)
    return { action: 'load', why: `the source has ${count(records)} records, not ${count(fetchedRecords)}` };
  if (changedAt === null) return { action: 'load', why: `${ageDays} days old, and the source does not say when it changed` };
  // A change on the day of the fetch may have come after it.
  const isAsLoaded = sourceDate !== null && changedAt <= sourceDate && (fetchedAt === null || changedAt < fetchedAt.slice(0, 10));
  return isAsLoaded
    ? { action: 'skip', why: `unchanged at the source since ${changedAt}` }
    : { action: 'load', why: `changed at the source on ${changedAt}` };
}
