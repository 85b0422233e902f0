import type { Pool } from 'pg';
import { AppError } from '../core/errors.js';
import { currentCode } from '../counties/county-codes.js';
import type { Database } from '../database/database.js';
import { readCurrent } from '../releases/catalogue/current-release.js';
import { partName } from '../releases/catalogue/parts.js';
import { type CountyToLoad, findCounty } from '../releases/lifecycle/county-lock.js';
import { type FieldSource, type MappableField, mappableFields } from './columns/fields.js';
import type { Question } from './columns/questions.js';
import type { Evidence } from './columns/recognise.js';
import { type JoinMatch, matchRows } from './join/read-rows.js';
import { CountyMatcher } from './location/county-matcher.js';
import { MatchTally, matchModeOf, tallySample } from './location/match-tally.js';
import type { JoinPair } from './plan/join-pairs.js';
import type { LoadOptions } from './plan/load-options.js';
import type { JoinPlan } from './plan/plan-join.js';
import { type LoadPlan, planLoad, sampledRows } from './plan/plan-load.js';
import { describeOptions, withProfile } from './profile/profile.js';
import { profileFor } from './profile/profile.store.js';
import { type SeenColumn, seenColumns } from './profile/seen-columns.js';
import { refusePlan } from './quality/refuse-plan.js';
import { partsFinding } from './quality/report-release.js';
import { ByteWriter } from './records/byte-writer.js';
import { FieldTally } from './records/field-tally.js';
import { RecordBuilder } from './records/record.js';

export interface PreviewRequest {
  /** Used for reading only. */
  db: Pool;
  county: string;
  files: string[];
  options?: LoadOptions;
}

export interface MappedField extends Evidence {
  field: MappableField;
  columns: string[];
  unit?: FieldSource['unit'];
  /** Up to three distinct values, as records would have them. */
  samples: string[];
}

/** What a load would do, from the first thousand rows. */
export interface LoadPreview {
  county: Pick<CountyToLoad, 'fips' | 'name' | 'state' | 'status'>;
  format: string;
  crs: string;
  rowEstimate: number;
  columns: string[];
  /** What each column is like in the sampled rows. */
  columnSamples: ({ name: string } & Pick<SeenColumn, 'filled' | 'samples'>)[];
  mapping: MappedField[];
  /** Fields that stay empty unless the operator says where they come from. */
  questions: Question[];
  sampledRows: number;
  /** How a tax roll would be joined to the shapes; null without a roll. */
  join: JoinPreview | null;
  /** Sampled rows that would be rejected, by reason. */
  faults: { reason: string; rows: number }[];
  warnings: string[];
  /** Why the load would be refused without `force`; null if it would not. */
  refusal: string | null;
  /** The county's profile, if the load uses it, and the options that it brings besides the mapping. */
  profile: { version: number; options: string[] } | null;
}

export interface JoinPreview extends JoinPair {
  /** How many rows of the roll were compared. */
  rollRows: number;
  pairs: JoinPair[];
}

/** @throws AppError when the files or options are at fault in a way that `force` does not override */
export function previewLoad(request: PreviewRequest): Promise<LoadPreview> {
  return withPlan(request, async ({ county, part, options, plan, matcher }) => {
    const matches = tallySample(plan, new MatchTally(matcher, matchModeOf(options)));
    const { warnings, ...description } = describePlan(county, plan, matches);
    const findings = [...plan.changes.findings, ...partsFinding(part, await readCurrent(request.db, county.fips))];
    return {
      ...description,
      profile: options.known ? { version: options.known.version, options: describeOptions(options.known.body) } : null,
      warnings: [...warnings, ...findings.map(({ name, message }) => `It would be held (${name}): ${message}.`)],
      refusal: refusalOf(() => refusePlan(county.fips, plan, matches, options.maxRejectsPercent)),
    };
  });
}

/**
 * Reads all rows of the shapes and of the tax roll, and counts those that a load would join; null without a roll.
 * @param database its temporary tables hold the keys
 */
export const previewJoin = (request: PreviewRequest, database: Pick<Database, 'url'>): Promise<JoinMatch | null> =>
  withPlan(request, async ({ plan }) => plan.join && matchRows(plan, plan.join, database));

/** What is decided of a load before its first row is read. */
export interface PreparedLoad {
  county: CountyToLoad;
  part: string | null;
  options: LoadOptions;
  plan: LoadPlan;
  matcher: CountyMatcher;
}

/** Plans a load without beginning it. The files are closed afterwards. @throws AppError as `previewLoad` */
export async function withPlan<T>(
  { db, county: given, files, options: stated = {} }: PreviewRequest,
  use: (prepared: PreparedLoad) => Promise<T>,
): Promise<T> {
  const county = await findCounty(db, currentCode(given, stated.force ?? false));
  const part = stated.part === undefined ? null : partName(stated.part);
  const options = withProfile(stated, await profileFor(db, county.fips, part, stated));
  const matcher = await CountyMatcher.open(county.fips);
  const plan = await planLoad(files, options, county.state, undefined, matcher.county.outline);
  try {
    return await use({ county, part, options, plan, matcher });
  } finally {
    await plan.close();
  }
}

export function describePlan(county: CountyToLoad, plan: LoadPlan, matches: MatchTally): Omit<LoadPreview, 'refusal' | 'profile'> {
  const { fips, name, state, status } = county;
  const facts = { releaseId: 0, county, part: null, source: '', sourceDate: null };
  const samples = new Map<MappableField, Set<string>>();
  const faults = new Map<string, number>();
  const out = new ByteWriter();
  const tally = new FieldTally();
  for (const { crs, mapping, rows } of sampledRows(plan)) {
    const builder = new RecordBuilder(facts, mapping, crs, tally);
    for (const row of rows) {
      const record = builder.build(row);
      if ('reason' in record) {
        faults.set(record.reason, (faults.get(record.reason) ?? 0) + 1);
        continue;
      }
      out.length = 0;
      builder.write(record, out);
      collectSamples(JSON.parse(out.written().toString()), samples);
    }
  }
  for (const { reason, rows } of matches.faults) faults.set(reason, rows);
  return {
    county: { fips, name, state, status },
    format: [...new Set(plan.sources.map(({ source }) => source.format))].join(', '),
    crs: [...new Set(plan.sources.map(({ crs }) => crs.name))].join(', '),
    rowEstimate: plan.rowEstimate,
    columns: plan.columns,
    columnSamples: Object.entries(seenColumns(plan)).map(([name, { filled, samples }]) => ({ name, filled, samples })),
    mapping: mappableFields.flatMap((field): MappedField[] => {
      const source = plan.mapping[field];
      if (!source || source.columns.length === 0) return [];
      const { why, sureness } = plan.recognition.evidence[field] ?? { why: 'it is the join column', sureness: 'certain' };
      return [{ field, ...source, samples: [...(samples.get(field) ?? [])], why, sureness }];
    }),
    questions: plan.recognition.questions,
    sampledRows: plan.sample.length + plan.rollSample.length,
    join: plan.join && joinPreview(plan.join),
    faults: plan.join ? [] : [...faults].map(([reason, count]) => ({ reason, rows: count })),
    // A join makes other rows of the sampled ones.
    warnings: [...plan.warnings, ...(plan.join ? [] : tally.notes.lines)],
  };
}

const joinPreview = ({ shapeColumn, rollColumn, matched, comparedRows, pairs }: JoinPlan): JoinPreview => ({
  shapeColumn,
  rollColumn,
  matched,
  rollRows: comparedRows,
  pairs,
});

const samplesPerField = 3;

function collectSamples(record: Record<string, unknown>, samples: Map<MappableField, Set<string>>): void {
  for (const field of mappableFields) {
    const value = record[field];
    if (value === null || value === undefined) continue;
    const seen = samples.get(field) ?? new Set();
    samples.set(field, seen);
    if (seen.size < samplesPerField) seen.add(field === 'geometry' ? (value as { type: string }).type : String(value));
  }
}

/** Why a check refuses a load; null if it does not. */
export function refusalOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
