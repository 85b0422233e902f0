import { type LoadPlan, sampledRows } from '../plan/plan-load.js';
import { RecordBuilder } from '../records/record.js';
import type { MatchTally } from './match-tally.js';

/** Tallies a plan's sampled rows in the same way as the load tallies all rows. */
export function tallySample(plan: LoadPlan, tally: MatchTally): MatchTally {
  const facts = { releaseId: 0, county: { fips: '', name: '', state: '' }, part: null, source: '', sourceDate: null };
  for (const { crs, rows } of sampledRows(plan)) {
    const builder = new RecordBuilder(facts, plan.mapping, crs, undefined, tally.check);
    for (const row of rows) builder.build(row);
  }
  return tally;
}
