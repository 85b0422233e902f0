import type { Database } from '../database/database.js';
import { readCurrent } from '../releases/catalogue/current-release.js';
import type { MappedField } from '../releases/catalogue/release-comparison.js';
import { mappableFields } from './columns/fields.js';
import type { Reading } from './join/join-rows.js';
import { readRows } from './join/read-rows.js';
import type { JoinMatch, JoinPair, LoadPreview } from './load-answers.js';
import type { LoadPlan } from './plan/plan-load.js';
import { type PreparedLoad, type PreviewRequest, withPlan } from './prepare-load.js';
import { describeOptions, seenOf } from './profile/profile.js';
import { partsFinding } from './quality/compare-loaded.js';
import { refusalOf, refusePlan } from './quality/refuse-plan.js';

/** @throws AppError when the files or options are at fault in a way that `force` does not override */
export function previewLoad(request: PreviewRequest): Promise<LoadPreview> {
  return withPlan(request, async (prepared) => {
    const { facts, options, plan } = prepared;
    const { warnings, ...description } = describePlan(prepared);
    const findings = [...plan.findings, ...partsFinding(facts.part, await readCurrent(request.db, facts.county.fips))];
    return {
      ...description,
      profile: options.known ? { version: options.known.version, options: describeOptions(options.known.body) } : null,
      warnings: [...warnings, ...findings.map(({ name, message }) => `It would be held (${name}): ${message}.`)],
      refusal: await refusalOf(() => refusePlan(prepared)),
    };
  });
}

/**
 * Reads all rows of the shapes and of the tax roll, and counts those that a load would join; null without a roll.
 * @param database its temporary tables hold the rows
 */
export const previewJoin = (request: PreviewRequest, database: Pick<Database, 'url'>): Promise<JoinMatch | null> =>
  withPlan(request, async ({ plan }) => {
    if (!plan.join) return null;
    const reading: Reading = { bytesRead: 0, warnings: [] };
    try {
      for await (const _ of readRows(plan, database, reading));
    } catch (error) {
      // The load refuses a join of nothing; the preview shows it.
      if (!reading.match) throw error;
    }
    return reading.match!;
  });

export function describePlan({ facts, plan, sampled }: PreparedLoad): Omit<LoadPreview, 'refusal' | 'profile'> {
  const { fips, name, state, status } = facts.county;
  const { join, recognition } = plan;
  const seen = seenOf(plan);
  return {
    county: { fips, name, state, status },
    format: seen.format,
    crs: seen.crs,
    rowEstimate: plan.rowEstimate,
    columns: plan.columns,
    unused: unusedColumns(plan),
    fields: [...mappableFields],
    columnSamples: Object.entries(seen.columns).map(([name, { filled, samples }]) => ({ name, filled, samples })),
    mapping: mappedFields(plan).map((mapped) => ({ ...mapped, samples: [...sampled.values.get(mapped.field)!] })),
    questions: recognition.questions,
    sampledRows: plan.sample.length + plan.rollSample.length,
    join: join && { ...shown(join), rollRows: join.comparedRows, pairs: join.pairs.map(shown) },
    // A join makes other rows of the sampled ones.
    faults: join ? [] : [...sampled.faults].map(([reason, rows]) => ({ reason, rows })),
    warnings: [...plan.warnings, ...(join ? [] : sampled.notes)],
  };
}

/** The mapping, and why each column was chosen. */
export const mappedFields = ({ mapping, recognition }: LoadPlan): MappedField[] =>
  mappableFields.flatMap((field) => {
    const source = mapping[field];
    if (!source || source.columns.length === 0) return [];
    return [{ field, ...source, ...(recognition.evidence[field] ?? { why: 'it is the join column', sureness: 'certain' }) }];
  });

export function unusedColumns({ columns, mapping }: LoadPlan): string[] {
  const used = new Set(Object.values(mapping).flatMap((source) => source.columns));
  return columns.filter((column) => !used.has(column));
}

const shown = ({ shapeColumn, rollColumn, matched }: Omit<JoinPair, 'on'>): JoinPair => ({
  on: shapeColumn === rollColumn ? shapeColumn : `${shapeColumn}=${rollColumn}`,
  shapeColumn,
  rollColumn,
  matched,
});
