import type { Pool } from 'pg';
import { AppError } from '../core/errors.js';
import { currentCode } from '../counties/retired-counties.js';
import { type County, findCounty } from '../releases/catalogue/county.store.js';
import { readCurrent } from '../releases/catalogue/current-release.js';
import { partName } from '../releases/catalogue/parts.js';
import { type FieldSource, type MappableField, mappableFields } from './columns/fields.js';
import type { AskedField } from './columns/recognise.js';
import { PlaceJudge } from './location/county-matcher.js';
import { PlaceTally } from './location/match-tally.js';
import { tallySample } from './location/tally-sample.js';
import { refuseForeignCode } from './plan/county-code-check.js';
import type { JoinPlan } from './plan/join-columns.js';
import type { JoinPair } from './plan/join-pairs.js';
import { defaultMaxRejectsPercent, type LoadOptions } from './plan/load-options.js';
import { type LoadPlan, planLoad, sampledRows } from './plan/plan-load.js';
import { partsFinding } from './quality/parts-finding.js';
import { ByteWriter } from './records/byte-writer.js';
import { RecordBuilder } from './records/record.js';

export interface PreviewRequest {
  /** Used for reading only. */
  db: Pool;
  county: string;
  files: string[];
  options?: LoadOptions;
}

export interface MappedField {
  field: MappableField;
  columns: string[];
  unit?: FieldSource['unit'];
  /** Up to three different values as they would stand in records. */
  samples: string[];
  /** Why it comes from there, and how sure that is, from 0 to 1. */
  why: string;
  sureness: number;
}

/** What a load would do, judged by the first thousand rows. */
export interface LoadPreview {
  county: Pick<County, 'fips' | 'name' | 'state' | 'status'>;
  format: string;
  crs: string;
  rowEstimate: number;
  columns: string[];
  mapping: MappedField[];
  /** Fields that stay empty unless the operator says which of these columns is theirs. */
  asked: AskedField[];
  sampledRows: number;
  /** How a tax roll would be tied to the shapes; null: there is none. */
  join: JoinPreview | null;
  /** Sampled rows that would be rejected, by reason. */
  faults: { reason: string; rows: number }[];
  warnings: string[];
  /** Why the load would be refused without `force`, or null. */
  refusal: string | null;
}

export interface JoinPreview extends JoinPair {
  /** Rows of the roll that were sampled. */
  rollRows: number;
  pairs: JoinPair[];
}

/** @throws AppError where the files or the options are at fault beyond what `force` could help */
export async function previewLoad({ db, county: given, files, options = {} }: PreviewRequest): Promise<LoadPreview> {
  const county = await findCounty(db, currentCode(given, options.force ?? false));
  const part = options.part === undefined ? null : partName(options.part);
  const plan = await planLoad(files, options, county.state);
  try {
    const judge = await PlaceJudge.open(county.fips);
    const places = tallySample(plan, new PlaceTally(judge, options.force));
    const { warnings, ...description } = describePlan(county, plan, places);
    const findings = partsFinding(part, await readCurrent(db, county.fips));
    return {
      ...description,
      warnings: [...warnings, ...findings.map(({ name, message }) => `It would be held (${name}): ${message}.`)],
      refusal: refusalOf(county, plan, places, options.maxRejectsPercent),
    };
  } finally {
    await plan.close();
  }
}

export function describePlan(county: County, plan: LoadPlan, places: PlaceTally): Omit<LoadPreview, 'refusal'> {
  const { fips, name, state, status } = county;
  const facts = { releaseId: 0, county, part: null, source: '', sourceDate: null };
  const samples = new Map<MappableField, Set<string>>();
  const faults = new Map<string, number>();
  const out = new ByteWriter();
  for (const { crs, mapping, rows } of sampledRows(plan)) {
    const builder = new RecordBuilder(facts, mapping, crs);
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
  for (const { reason, rows } of places.faults) faults.set(reason, rows);
  return {
    county: { fips, name, state, status },
    format: [...new Set(plan.sources.map(({ source }) => source.format))].join(', '),
    crs: [...new Set(plan.sources.map(({ crs }) => crs.name))].join(', '),
    rowEstimate: plan.rowEstimate,
    columns: plan.columns,
    mapping: mappableFields.flatMap((field) => {
      const source = plan.mapping[field];
      if (!source || source.columns.length === 0) return [];
      const { why, sureness } = plan.recognition.evidence[field] ?? { why: 'the join is by it', sureness: 1 };
      return [{ field, ...source, samples: [...(samples.get(field) ?? [])], why, sureness }];
    }),
    asked: plan.recognition.asked,
    sampledRows: plan.sample.length + plan.rollSample.length,
    join: plan.join && joinPreview(plan.join, plan.rollSample.length),
    faults: plan.join ? [] : [...faults].map(([reason, count]) => ({ reason, rows: count })),
    warnings: plan.warnings,
  };
}

const joinPreview = ({ shapeColumn, rollColumn, matched, pairs }: JoinPlan, rollRows: number): JoinPreview => ({
  shapeColumn,
  rollColumn,
  matched,
  rollRows,
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

function refusalOf(county: County, plan: LoadPlan, places: PlaceTally, maxRejectsPercent = defaultMaxRejectsPercent): string | null {
  try {
    refuseForeignCode(county.fips, plan.sample);
    places.refuseElsewhere(maxRejectsPercent);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
