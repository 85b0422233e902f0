import type { Database } from '../database/database.js';
import { readCurrent } from '../releases/catalogue/current-release.js';
import type { CountyToLoad } from '../releases/lifecycle/county-lock.js';
import { refusalOf } from './check-load.js';
import { type FieldSource, type MappableField, mappableFields } from './columns/fields.js';
import type { Question } from './columns/questions.js';
import type { Evidence } from './columns/recognise.js';
import type { JoinMatch, Reading } from './join/join-rows.js';
import { readRows } from './join/read-rows.js';
import type { JoinPair } from './plan/join-pairs.js';
import { type PreparedLoad, type PreviewRequest, withPlan } from './prepare-load.js';
import { describeOptions } from './profile/profile.js';
import { type SeenColumn, seenColumns } from './profile/seen-columns.js';
import { partsFinding } from './quality/compare-loaded.js';
import { refusePlan } from './quality/refuse-plan.js';

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
  /** Columns that no field is read from. */
  unused: string[];
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
  const { sources, join, recognition } = plan;
  const used = new Set(Object.values(plan.mapping).flatMap((source) => source.columns));
  return {
    county: { fips, name, state, status },
    format: [...new Set(sources.map(({ source }) => source.format))].join(', '),
    crs: [...new Set(sources.map(({ crs }) => crs.name))].join(', '),
    rowEstimate: plan.rowEstimate,
    columns: plan.columns,
    unused: plan.columns.filter((column) => !used.has(column)),
    columnSamples: Object.entries(seenColumns(plan)).map(([name, { filled, samples }]) => ({ name, filled, samples })),
    mapping: mappableFields.flatMap((field): MappedField[] => {
      const source = plan.mapping[field];
      if (!source || source.columns.length === 0) return [];
      const evidence = recognition.evidence[field] ?? { why: 'it is the join column', sureness: 'certain' };
      return [{ field, ...source, samples: [...sampled.values.get(field)!], ...evidence }];
    }),
    questions: recognition.questions,
    sampledRows: plan.sample.length + plan.rollSample.length,
    join: join && {
      shapeColumn: join.shapeColumn,
      rollColumn: join.rollColumn,
      matched: join.matched,
      rollRows: join.comparedRows,
      pairs: join.pairs,
    },
    // A join makes other rows of the sampled ones.
    faults: join ? [] : [...sampled.faults].map(([reason, rows]) => ({ reason, rows })),
    warnings: [...plan.warnings, ...(join ? [] : sampled.notes)],
  };
}
