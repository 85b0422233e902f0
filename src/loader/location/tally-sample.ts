import { type LoadPlan, sampledRows } from '../plan/plan-load.js';
import { RecordBuilder } from '../records/record.js';
import type { PlaceTally } from './match-tally.js';

/** Judges a plan's sampled rows as the load will judge all. */
export function tallySample(plan: LoadPlan, tally: PlaceTally): PlaceTally {
  const facts = { releaseId: 0, county: { fips: '', name: '', state: '' }, part: null, source: '', sourceDate: null };
  for (const { crs, rows } of sampledRows(plan)) {
    const builder = new RecordBuilder(facts, plan.mapping, crs, undefined, tally.check);
    for (const row of rows) builder.build(row);
  }
  return tally;
}
