import type { ClientBase, Pool } from 'pg';
import { currentCode } from '../counties/county-codes.js';
import { partName } from '../releases/catalogue/parts.js';
import { type CountyToLoad, findCounty } from '../releases/lifecycle/county-lock.js';
import { type MappableField, mappableFields } from './columns/fields.js';
import { CountyMatcher } from './location/county-matcher.js';
import { MatchTally, matchModeOf } from './location/match-tally.js';
import { type StatedCounty, statedCounty } from './location/stated-county.js';
import type { LoadOptions } from './plan/load-options.js';
import { type LoadPlan, planLoad, sampledRows } from './plan/plan-load.js';
import { withProfile } from './profile/profile.js';
import { findProfile } from './profile/profile.store.js';
import { ByteWriter } from './records/byte-writer.js';
import { FieldTally } from './records/field-tally.js';
import { RecordBuilder, type ReleaseFacts } from './records/record.js';

/** A load's decisions before its first row is read. */
export interface PreparedLoad {
  facts: Omit<ReleaseFacts, 'releaseId'> & { county: CountyToLoad };
  options: LoadOptions;
  plan: LoadPlan;
  matcher: CountyMatcher;
  stated: StatedCounty | null;
  sampled: SampledRecords;
}

export interface PreviewRequest {
  /** Used for reading only. */
  db: ClientBase | Pool;
  county: string;
  files: string[];
  options?: LoadOptions;
}

/**
 * Plans a load, and tries it on the sampled rows. The files are closed afterwards.
 * @throws AppError when the files, the options or the county are at fault in a way that `force` does not override
 */
export async function withPlan<T>(
  { db, county: given, files, options: stated = {} }: PreviewRequest,
  use: (prepared: PreparedLoad) => Promise<T>,
): Promise<T> {
  const county = await findCounty(db, currentCode(given, stated.force ?? false));
  const part = stated.part === undefined ? null : partName(stated.part);
  const options = withProfile(stated, await findProfile(db, county.fips, part, stated));
  const matcher = await CountyMatcher.open(county.fips);
  const plan = await planLoad(files, options, county.state, matcher.county.outline);
  try {
    const facts = { county, part, source: sourceOf(plan, options), sourceDate: options.sourceDate ?? null };
    const stated = statedCounty(plan.sample, matcher);
    const sampled = trySample(facts, plan, new MatchTally(matcher, matchModeOf(options), stated));
    return await use({ facts, options, plan, matcher, stated, sampled });
  } finally {
    await plan.close();
  }
}

/** All files of a plan, those of the shapes first. */
export const filesOf = ({ sources, join }: LoadPlan) => [...sources.map(({ source }) => source), ...(join ? [join.roll] : [])];

const sourceOf = (plan: LoadPlan, { source, fetched }: LoadOptions): string =>
  source ??
  (fetched
    ? withoutQuery(fetched.url)
    : filesOf(plan)
        .map(({ name }) => name)
        .join(', '));

/** An address as the name of a source: a query may have a key. */
const withoutQuery = (url: string): string => url.replace(/^https?:\/\/|[?#].*$/g, '').slice(0, 200);

export interface SampledRecords {
  matches: MatchTally;
  /** Rows that would be rejected, by reason. */
  faults: Map<string, number>;
  /** Up to three different values of each field, as records would have them. */
  values: Map<MappableField, Set<string>>;
  notes: string[];
}

function trySample(facts: PreparedLoad['facts'], plan: LoadPlan, matches: MatchTally): SampledRecords {
  const values: SampledRecords['values'] = new Map(mappableFields.map((field) => [field, new Set()]));
  const faults: SampledRecords['faults'] = new Map();
  const tally = new FieldTally();
  const out = new ByteWriter();
  for (const { crs, mapping, rows } of sampledRows(plan)) {
    // A row of another county is counted, but shows its values all the same.
    const builder = new RecordBuilder({ ...facts, releaseId: 0 }, mapping, crs, tally, (...row) => matches.check(...row) && null);
    for (const row of rows) {
      const record = builder.build(row);
      if ('reason' in record) {
        faults.set(record.reason, (faults.get(record.reason) ?? 0) + 1);
        continue;
      }
      out.length = 0;
      builder.write(record, out);
      collectValues(JSON.parse(out.written().toString()), values);
    }
  }
  for (const { reason, rows } of matches.faults) faults.set(reason, rows);
  return { matches, faults, values, notes: tally.notes.lines };
}

const valuesPerField = 3;

function collectValues(record: Record<string, unknown>, values: SampledRecords['values']): void {
  for (const [field, seen] of values) {
    const value = record[field] ?? null;
    if (value !== null && seen.size < valuesPerField) seen.add(field === 'geometry' ? (value as { type: string }).type : String(value));
  }
}
