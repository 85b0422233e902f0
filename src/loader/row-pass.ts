import type { Database } from '../database/database.js';
import type { CurrentRelease } from '../releases/catalogue/current-release.js';
import type { ReleaseComparison } from '../releases/catalogue/release-comparison.js';
import type { Finding, ReleaseReport } from '../releases/catalogue/release-report.js';
import { findRegressions, unaccepted } from '../releases/lifecycle/findings.js';
import type { ReleaseCounts } from '../releases/lifecycle/release.store.js';
import { buildBatches } from './build/build-batches.js';
import type { BuilderThread } from './build/builder-thread.js';
import type { BuiltBatch } from './build/built-batch.js';
import { describeQuestion } from './columns/questions.js';
import type { Reading } from './join/join-rows.js';
import { readRows } from './join/read-rows.js';
import { MatchTally, matchModeOf } from './location/match-tally.js';
import type { UnseenColumn } from './plan/column-names.js';
import type { PreparedLoad } from './prepare-load.js';
import { partsFinding } from './quality/compare-loaded.js';
import { loadWarnings } from './quality/load-warnings.js';
import { fittingSystemsOf } from './quality/refuse-plan.js';
import { refuseTooManyRejects } from './quality/refuse-rejects.js';
import { RejectTally } from './quality/reject-tally.js';
import { FieldTally } from './records/field-tally.js';

/** One pass over all rows of a load: reads and joins them, builds their records, counts them and judges the whole. A check writes none. */
export class RowPass {
  readonly reading: Reading = { bytesRead: 0, warnings: [] };
  readonly counts: ReleaseCounts = { read: 0, loaded: 0, rejected: 0 };
  readonly rejects = new RejectTally();
  readonly tally = new FieldTally();
  /** By the file's index in the plan, and the column. */
  private readonly unseen = new Map<string, UnseenColumn & { source: number }>();
  readonly matches: MatchTally;
  withoutGeometry = 0;
  withoutApn = 0;

  constructor(readonly prepared: PreparedLoad) {
    this.matches = new MatchTally(prepared.matcher, matchModeOf(prepared.options));
  }

  /**
   * @param database its temporary tables hold the rows of a join
   * @param write gets the records of each batch, before the next one is built
   */
  async run(
    database: Pick<Database, 'url'>,
    releaseId: number,
    write: (batch: BuiltBatch) => Promise<void>,
    thread: BuilderThread | null,
  ): Promise<void> {
    const { facts, plan, options, matcher } = this.prepared;
    const buildPlan = {
      facts: { ...facts, releaseId },
      mapping: plan.mapping,
      columns: plan.columns,
      systems: plan.sources.map(({ crs: { origin, srid } }) => ({ origin, srid })),
      where: options.where,
      matchMode: matchModeOf(options),
      keepsAttributes: options.attributes !== false,
    };
    for await (const batch of buildBatches(readRows(plan, database, this.reading), buildPlan, matcher, thread)) {
      this.count(batch);
      await write(batch);
    }
  }

  private count(batch: BuiltBatch): void {
    const { counts } = this;
    counts.read += batch.read;
    counts.loaded += batch.loaded;
    counts.rejected += batch.rejected.length;
    for (const { rejection } of batch.rejected) this.rejects.add(rejection.reason);
    // Each thread reports its own finds, so a column may come twice.
    for (const each of batch.unseen) {
      const key = `${each.source} ${each.column}`;
      if (!this.unseen.has(key)) this.unseen.set(key, each);
    }
    this.withoutApn += batch.withoutApn;
    this.withoutGeometry += batch.withoutGeometry;
    this.tally.add(batch.fields);
    this.matches.add(batch.matches);
  }

  /** The checks that need all rows. @param releaseId with which the rejected rows are kept, or null @throws AppError before anything is published */
  judge(releaseId: number | null): void {
    const { counts, matches, rejects } = this;
    const { plan, options } = this.prepared;
    const fitting = fittingSystemsOf(plan, matches.outline);
    if (!options.force) matches.refuseOtherCounty(options.maxRejectsPercent, fitting);
    refuseTooManyRejects(counts, options.maxRejectsPercent, rejects, releaseId, plan.mapping, fitting);
  }

  /**
   * @param comparison with the records that the load replaces
   * @param more findings that only written records show
   */
  report(current: CurrentRelease | undefined, comparison: ReleaseComparison | null, more: Finding[] = []): ReleaseReport {
    const { tally, counts, matches } = this;
    const { facts, plan, options } = this.prepared;
    const { notes = [], ...fetched } = options.fetched ?? {};
    const found = {
      filled: tally.fill.filled(counts.loaded, { source_date: facts.sourceDate }),
      beyondReason: tally.beyondReason.counts,
      ...(options.fetched && { fetched: fetched as ReleaseReport['fetched'] }),
      notes: [...notes, ...tally.notes.lines],
      spread: matches.report.spread,
      questions: plan.recognition.questions.map(describeQuestion),
      replaces: current?.id ?? null,
      comparison,
    };
    const findings = [...plan.changes.findings, ...partsFinding(facts.part, current), ...more, ...findRegressions(counts.loaded, found)];
    const open = unaccepted(findings, options.accept ?? []);
    return { ...found, findings, accepted: findings.filter((finding) => !open.includes(finding)).map(({ name }) => name) };
  }

  warnings(report: ReleaseReport): string[] {
    const { counts, matches, reading } = this;
    return loadWarnings({ plan: this.prepared.plan, unseen: [...this.unseen.values()], matches, counts, reading }, report);
  }
}
