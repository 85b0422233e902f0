import { AppError } from '../core/errors.js';
import type { Database } from '../database/database.js';
import { type CurrentRelease, readCurrent, replacedRecords } from '../releases/catalogue/current-release.js';
import type { Finding, ReleaseReport } from '../releases/catalogue/release-report.js';
import { findRegressions } from '../releases/lifecycle/findings.js';
import type { ReleaseCounts } from '../releases/lifecycle/release.store.js';
import { buildBatches } from './build/build-batches.js';
import { buildPlanOf } from './build/build-plan.js';
import type { Reading } from './join/join-columns.js';
import { readRows } from './join/read-rows.js';
import { MatchTally, matchModeOf, tallySample } from './location/match-tally.js';
import { UnseenColumns } from './plan/unseen-columns.js';
import { type PreparedLoad, type PreviewRequest, refusalOf, withPlan } from './preview-load.js';
import { loadWarnings } from './quality/load-warnings.js';
import { fittingSystemsOf, refusePlan } from './quality/refuse-plan.js';
import { refuseTooManyRejects } from './quality/refuse-rejects.js';
import { RejectTally } from './quality/reject-tally.js';
import { partsFinding } from './quality/report-release.js';
import { FieldTally } from './records/field-tally.js';

/** What a load would do, from all rows of its files. */
export interface LoadCheck extends ReleaseCounts {
  /** The most frequent reasons for which rows would be rejected. */
  reasons: { reason: string; rows: number }[];
  /** How many records it would replace; null if there are none. */
  replaces: number | null;
  /** Why its release would be held. A load finds more: it also compares each record with the current one. */
  findings: Finding[];
  warnings: string[];
  /** Why it would be refused; null if it would not. */
  refusal: string | null;
}

const shownReasons = 20;

/**
 * Reads all rows as a load does, joins them and builds their records, but writes none.
 * @param database its temporary tables hold the rows of a join
 * @throws AppError as `previewLoad`
 */
export function checkLoad(request: PreviewRequest, database: Pick<Database, 'url'>): Promise<LoadCheck> {
  return withPlan(request, async (prepared) => {
    const current = await readCurrent(request.db, prepared.county.fips);
    const check = new Check(prepared, current);
    const refusal = check.refusalOfPlan() ?? (await check.readAll(database).catch(messageOfRefusal)) ?? check.refusalOfRows();
    return check.result(refusal);
  });
}

class Check {
  private readonly reading: Reading = { bytesRead: 0, warnings: [] };
  private readonly counts: ReleaseCounts = { read: 0, loaded: 0, rejected: 0 };
  private readonly rejects = new RejectTally();
  private readonly tally = new FieldTally();
  private readonly unseen = new UnseenColumns();
  private readonly matches: MatchTally;

  constructor(
    private readonly prepared: PreparedLoad,
    private readonly current: CurrentRelease | undefined,
  ) {
    this.matches = new MatchTally(prepared.matcher, matchModeOf(prepared.options));
  }

  refusalOfPlan(): string | null {
    const { county, plan, matcher, options } = this.prepared;
    const matches = tallySample(plan, new MatchTally(matcher, matchModeOf(options)));
    return options.force ? null : refusalOf(() => refusePlan(county.fips, plan, matches, options.maxRejectsPercent));
  }

  async readAll(database: Pick<Database, 'url'>): Promise<null> {
    const { county, part, plan, options, matcher } = this.prepared;
    const facts = { releaseId: 0, county, part, source: options.source ?? '', sourceDate: options.sourceDate ?? null };
    const rows = readRows(plan, database, this.reading);
    for await (const batch of buildBatches(rows, buildPlanOf(facts, plan, options), matcher, null)) {
      this.counts.read += batch.read;
      this.counts.loaded += batch.loaded;
      this.counts.rejected += batch.rejected.length;
      for (const { rejection } of batch.rejected) this.rejects.add(rejection.reason);
      this.unseen.add(batch.unseen);
      this.tally.add(batch.fields);
      this.matches.add(batch.matches);
    }
    return null;
  }

  refusalOfRows(): string | null {
    const { plan, options } = this.prepared;
    const fitting = fittingSystemsOf(plan, this.matches.outline);
    return refusalOf(() => {
      if (!options.force) this.matches.refuseOtherCounty(options.maxRejectsPercent, fitting);
      refuseTooManyRejects(this.counts, options.maxRejectsPercent, this.rejects, null, plan.mapping, fitting);
    });
  }

  result(refusal: string | null): LoadCheck {
    const { plan } = this.prepared;
    const report = this.report();
    return {
      ...this.counts,
      reasons: this.rejects.reasons.slice(0, shownReasons),
      replaces: report.comparison?.records ?? null,
      findings: refusal === null ? report.findings : [],
      warnings:
        refusal === null
          ? [...loadWarnings(plan, this.unseen, this.matches, report, this.counts), ...this.reading.warnings]
          : plan.warnings,
      refusal,
    };
  }

  /** The report of the release, with what is known before its records have ids: which are there is not compared. */
  private report(): ReleaseReport {
    const { part, plan, options } = this.prepared;
    const replaced = replacedRecords(part, this.current);
    const facts = {
      filled: this.tally.fill.filled(this.counts.loaded, { source_date: options.sourceDate ?? null }),
      beyondReason: this.tally.beyondReason.counts,
      notes: this.tally.notes.lines,
      questions: [],
      spread: this.matches.report.spread,
      replaces: this.current?.id ?? null,
      comparison: replaced && { ...replaced, ...notCompared },
    };
    const findings = [...plan.changes.findings, ...partsFinding(part, this.current), ...findRegressions(this.counts.loaded, facts)];
    return { ...facts, findings, accepted: [] };
  }
}

const notCompared = {
  added: 0,
  gone: 0,
  unchanged: 0,
  changed: 0,
  examined: 0,
  changedFields: {},
  moved: 0,
  jumped: 0,
  changedRecords: [],
  goneNumbers: [],
  addedNumbers: [],
};

function messageOfRefusal(error: unknown): string {
  if (error instanceof AppError) return error.message;
  throw error;
}
