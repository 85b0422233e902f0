import { count } from '../core/format-numbers.js';
import type { Database } from '../database/database.js';
import type { CurrentRelease } from '../releases/catalogue/current-release.js';
import type { ReleaseComparison } from '../releases/catalogue/release-comparison.js';
import type { Finding, ReleaseReport } from '../releases/catalogue/release-report.js';
import { findRegressions, unaccepted } from '../releases/lifecycle/findings.js';
import type { ReleaseCounts } from '../releases/lifecycle/release.store.js';
import { describeQuestion } from './columns/questions.js';
import type { SourceRow } from './formats/source-row.js';
import type { Reading } from './join/join-rows.js';
import { readRows } from './join/read-rows.js';
import { MatchTally, matchModeOf } from './location/match-tally.js';
import { ColumnNames, type UnseenColumn } from './plan/column-names.js';
import type { LoadOptions } from './plan/load-options.js';
import type { LoadPlan } from './plan/plan-load.js';
import type { PreparedLoad } from './prepare-load.js';
import { mappedFields, unusedColumns } from './preview-load.js';
import { partsFinding } from './quality/compare-loaded.js';
import { loadWarnings } from './quality/load-warnings.js';
import { fittingSystemsOf } from './quality/refuse-plan.js';
import { RejectTally, refuseTooManyRejects } from './quality/refuse-rejects.js';
import { AttributesWriter } from './records/attributes.js';
import { FieldTally } from './records/field-tally.js';
import { type ParcelRecord, RecordBuilder } from './records/record.js';
import { BatchWriter, type BuiltBatch, type RejectedRow } from './write/batch-writer.js';

/** One pass over all rows of a load: reads and joins them, builds their records, counts them and judges the whole. A check writes none. */
export class RowPass {
  readonly reading: Reading = { bytesRead: 0, warnings: [] };
  readonly counts: ReleaseCounts = { read: 0, loaded: 0, rejected: 0 };
  readonly rejects = new RejectTally();
  readonly tally = new FieldTally();
  /** With the file's index in the plan. */
  private readonly unseen: (UnseenColumn & { source: number })[] = [];
  readonly matches: MatchTally;
  withoutGeometry = 0;
  withoutApn = 0;

  constructor(readonly prepared: PreparedLoad) {
    this.matches = new MatchTally(prepared.matcher, matchModeOf(prepared.options), prepared.stated);
  }

  /**
   * @param database its temporary tables hold the rows of a join
   * @param write gets the records of each batch, before the next one is built over it
   */
  async run(database: Pick<Database, 'url'>, releaseId: number, write: (batch: BuiltBatch) => Promise<void>): Promise<void> {
    const { facts, plan, options } = this.prepared;
    const builders = plan.sources.map(
      ({ crs }) => new RecordBuilder({ ...facts, releaseId }, plan.mapping, crs, this.tally, this.matches.check),
    );
    const names = plan.sources.map(() => new ColumnNames(plan.columns));
    const batch = new BatchWriter(releaseId, options.attributes === false ? null : new AttributesWriter(plan.mapping));
    for await (const { rows, source } of readRows(plan, database, this.reading)) {
      for (const given of rows) {
        const row = names[source]!.of(given);
        const record = builders[source]!.build(row);
        this.counts.read++;
        if ('reason' in record) this.reject({ row: given, rejection: record, source }, batch);
        else this.accept(record, row, builders[source]!, batch);
        if (batch.isFull) await write(batch.take());
      }
      this.unseen.push(...names[source]!.takeUnseen().map((unseen) => ({ ...unseen, source })));
      await write(batch.take());
    }
  }

  private accept(record: ParcelRecord, row: SourceRow, builder: RecordBuilder, batch: BatchWriter): void {
    this.counts.loaded++;
    if (record.apn === null) this.withoutApn++;
    if (record.location === null || record.location.polygons.length === 0) this.withoutGeometry++;
    batch.add(record, row, builder);
  }

  private reject(rejected: RejectedRow, batch: BatchWriter): void {
    this.counts.rejected++;
    this.rejects.add(rejected.rejection.reason);
    batch.rejected.push(rejected);
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
      ...(options.license && { license: options.license }),
      ...(options.fetched && { fetched: fetched as ReleaseReport['fetched'] }),
      notes: [...notes, ...tally.notes.lines],
      spread: matches.report.spread,
      mapping: mappedFields(plan),
      unused: unusedColumns(plan),
      questions: plan.recognition.questions.map(describeQuestion),
      replaces: current?.id ?? null,
      comparison,
    };
    const findings = [
      ...plan.findings,
      ...partsFinding(facts.part, current),
      ...cutFinding(plan, options, counts.read),
      ...more,
      ...findRegressions(counts.loaded, found),
    ];
    const open = unaccepted(findings, options.accept ?? []);
    return { ...found, findings, accepted: findings.filter((finding) => !open.includes(finding)).map(({ name }) => name) };
  }

  warnings(report: ReleaseReport): string[] {
    const { counts, matches, reading, unseen } = this;
    return loadWarnings({ plan: this.prepared.plan, unseen, matches, counts, reading }, report);
  }
}

/** The finding of files that say themselves that they are a part of something: a page of a service, or a cut answer. */
function cutFinding({ sources }: LoadPlan, { where = [] }: LoadOptions, rowsRead: number): Finding[] {
  const whole = Math.max(...sources.map(({ source }) => source.wholeRows ?? 0));
  if (rowsRead >= whole || where.length > 0) return [];
  const rows =
    whole === Number.POSITIVE_INFINITY ? 'that its server left out rows (exceededTransferLimit)' : `that there are ${count(whole)} rows`;
  return [{ name: 'cut', message: `the file says ${rows}, and has ${count(rowsRead)}: fetch all of them` }];
}
