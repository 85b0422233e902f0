import type { Client } from 'pg';
import { currentCode } from '../counties/county-codes.js';
import { type CurrentRelease, lockCurrent, readCurrent } from '../releases/catalogue/current-release.js';
import { partName } from '../releases/catalogue/parts.js';
import type { FetchedData } from '../releases/catalogue/release-comparison.js';
import type { ReleaseReport } from '../releases/catalogue/release-report.js';
import { type CountyToLoad, findCounty, lockCounty, markLoading, restoreStatus } from '../releases/lifecycle/county-lock.js';
import { closeDeadLoads } from '../releases/lifecycle/dead-loads.js';
import { failRelease, insertRelease, type RecordSums, type ReleaseCounts } from '../releases/lifecycle/release.store.js';
import { buildBatches } from './build/build-batches.js';
import { buildPlanOf } from './build/build-plan.js';
import { BuilderThread } from './build/builder-thread.js';
import type { BuiltBatch } from './build/built-batch.js';
import { describeQuestion } from './columns/questions.js';
import { hashFiles } from './hash-files.js';
import type { Reading } from './join/join-columns.js';
import { readRows } from './join/read-rows.js';
import type { LoadRequest, LoadSummary } from './load-request.js';
import { CountyMatcher } from './location/county-matcher.js';
import { MatchTally, matchModeOf, tallySample } from './location/match-tally.js';
import type { LoadOptions } from './plan/load-options.js';
import { type LoadPlan, type OpenedFiles, planLoad } from './plan/plan-load.js';
import { UnseenColumns } from './plan/unseen-columns.js';
import { withProfile } from './profile/profile.js';
import { keepProfile, profileFor, refuseChangedProfile } from './profile/profile.store.js';
import { beforeRecords, publishLoad } from './publish-load.js';
import { loadWarnings } from './quality/load-warnings.js';
import { fittingSystemsOf, refusePlan } from './quality/refuse-plan.js';
import { refuseTooManyRejects } from './quality/refuse-rejects.js';
import { RejectsFile } from './quality/rejects-file.js';
import { reportRelease } from './quality/report-release.js';
import { FieldTally } from './records/field-tally.js';
import type { ReleaseFacts } from './records/record.js';
import { connectForLoad } from './staging/load-connection.js';
import type { Placement } from './write/parcel-copy.js';
import { placementOf, ReleaseWriter } from './write/release-writer.js';

export type * from './load-request.js';

/**
 * Loads a county from files and publishes it as a new release, or changes nothing: rows, counts and publication are one transaction. The
 * county's other parts stay as they are. A release that differs too much from the current one is held with its records until an operator
 * decides. A killed process leaves only a release in state `loading`, which the next load closes.
 * @throws AppError when the files, the options or the county are at fault
 */
export async function loadCounty(request: LoadRequest): Promise<LoadSummary> {
  const stated = request.options ?? {};
  const fips = currentCode(request.county, stated.force ?? false);
  const part = stated.part === undefined ? null : partName(stated.part);
  const db = await connectForLoad(request.database);
  let thread = null as BuilderThread | null;
  try {
    const county = await findCounty(db, fips);
    const options = withProfile(stated, await profileFor(db, fips, part, stated));
    const matcher = await CountyMatcher.open(fips);
    const onOpen = (opened: OpenedFiles) => {
      if (BuilderThread.isWorthIt(opened)) thread = new BuilderThread();
    };
    const plan = await planLoad(request.files, options, county.state, onOpen, matcher.county.outline);
    try {
      const matches = tallySample(plan, new MatchTally(matcher, matchModeOf(options)));
      if (!options.force) refusePlan(fips, plan, matches, options.maxRejectsPercent);
      await lockCounty(db, fips);
      await refuseChangedProfile(db, fips, part, options);
      request.onStart?.({ county, plan, matches, deadLoads: await closeDeadLoads(db, fips) });
      return await new Load(db, { ...request, options }, county, part, plan, matcher, thread).run();
    } finally {
      await plan.close();
    }
  } finally {
    await thread?.close();
    await db.end();
  }
}

class Load {
  private readonly startedAt = performance.now();
  private readonly options: LoadOptions;
  private readonly reading: Reading = { bytesRead: 0, warnings: [] };
  private readonly counts: ReleaseCounts = { read: 0, loaded: 0, rejected: 0 };
  private readonly tally = new FieldTally();
  private withoutGeometry = 0;
  private withoutApn = 0;
  private readonly matches: MatchTally;
  private readonly unseen = new UnseenColumns();

  constructor(
    private readonly db: Client,
    private readonly request: LoadRequest,
    private readonly county: CountyToLoad,
    private readonly part: string | null,
    private readonly plan: LoadPlan,
    private readonly matcher: CountyMatcher,
    private readonly thread: BuilderThread | null,
  ) {
    this.options = request.options ?? {};
    this.matches = new MatchTally(matcher, matchModeOf(this.options));
  }

  async run(): Promise<LoadSummary> {
    const { db, county, part, plan, options } = this;
    const opened = [...plan.sources.map(({ source }) => source), ...(plan.join ? [plan.join.roll] : [])];
    const source = options.source ?? (options.fetched ? withoutQuery(options.fetched.url) : opened.map(({ name }) => name).join(', '));
    const { format } = opened[0]!;
    const releaseId = await insertRelease(db, {
      countyFips: county.fips,
      part,
      source,
      sourceUrl: options.sourceUrl ?? null,
      sourceDate: options.sourceDate ?? null,
      format,
      mapping: plan.mapping,
      startedBy: options.startedBy ?? null,
      isSample: options.isSample ?? false,
    });
    const rejects = new RejectsFile(releaseId, plan);
    const hashing = new AbortController();
    try {
      // Files are hashed during the first batches, while this thread still waits for the builder thread.
      const files = opened.flatMap((source) => source.files);
      const sourceSha256 = hashFiles(files, hashing.signal);
      sourceSha256.catch(() => {}); // awaited after the rows are copied
      await markLoading(db, county.fips);
      await db.query('begin');
      const placement = await placementOf(db, part, await readCurrent(db, county.fips), options.republish ?? false);
      await db.query(`savepoint ${beforeRecords}`);
      const sums = await this.copy({ releaseId, county, part, source, sourceDate: options.sourceDate ?? null }, placement, rejects);
      const sha256 = await sourceSha256;
      await plan.refuseChangedFiles();
      this.check(rejects);
      const current = await lockCurrent(db, county.fips, releaseId);
      const report = await this.report(releaseId, placement, sums.digests, current);
      const load = { releaseId, county, part, counts: this.counts, placement, sums, sourceSha256: sha256, report };
      const published = await publishLoad(db, load, current, options.republish ?? false);
      await rejects.store(db);
      const found = this.reading.foundSpelling;
      await keepProfile(db, { fips: county.fips, part, releaseId }, plan, { ...options, ...(found && { joinKey: found }) });
      const summary = { ...this.summaryOf(releaseId, format, report), ...published } satisfies LoadSummary;
      await this.request.onDone?.(db, summary);
      await db.query('commit');
      return summary;
    } catch (error) {
      await this.fail(rejects, error as Error);
      throw error;
    } finally {
      hashing.abort();
      await rejects.close();
    }
  }

  private report(releaseId: number, placement: Placement, digests: Buffer, current: CurrentRelease | undefined): Promise<ReleaseReport> {
    const { part, counts, tally, matches, options } = this;
    const { notes = [], ...fetched } = options.fetched ?? {};
    const release = {
      id: releaseId,
      part,
      lost: this.plan.changes.findings,
      records: counts.loaded,
      first: placement.recordsBefore + 1,
      digests,
      filled: tally.fill.filled(counts.loaded, { source_date: options.sourceDate ?? null }),
      beyondReason: tally.beyondReason.counts,
      ...(options.fetched && { fetched: fetched as FetchedData }),
      notes: [...notes, ...tally.notes.lines],
      spread: matches.report.spread,
      questions: this.plan.recognition.questions.map(describeQuestion),
    };
    return reportRelease(this.db, release, current, placement.replaced, options.accept ?? []);
  }

  private summaryOf(releaseId: number, format: string, report: ReleaseReport): Omit<LoadSummary, 'parts' | 'state'> {
    const { county, plan } = this;
    return {
      ...this.counts,
      county: { fips: county.fips, name: county.name, state: county.state },
      releaseId,
      report,
      format,
      withoutGeometry: this.withoutGeometry,
      withoutApn: this.withoutApn,
      warnings: [...loadWarnings(plan, this.unseen, this.matches, report, this.counts), ...this.reading.warnings],
      seconds: (performance.now() - this.startedAt) / 1000,
    };
  }

  private async copy(facts: ReleaseFacts, placement: Placement, rejects: RejectsFile): Promise<RecordSums> {
    const { plan, options, counts, request } = this;
    const scope = { countyFips: facts.county.fips, part: facts.part };
    const writer = await ReleaseWriter.open(this.db, facts.releaseId, scope, placement, options.attributes !== false);
    const buildPlan = buildPlanOf(facts, plan, options);
    try {
      const rows = readRows(plan, request.database, this.reading);
      for await (const batch of buildBatches(rows, buildPlan, this.matcher, this.thread)) {
        request.signal?.throwIfAborted();
        await writer.add(batch);
        await this.count(batch, rejects);
        request.onProgress?.({
          ...counts,
          releaseId: facts.releaseId,
          bytesRead: Math.round(this.reading.bytesRead),
          byteLength: plan.byteLength,
        });
      }
      await this.thread?.close(); // frees its memory for the next steps
      return await writer.finish((repeated) => this.tally.noteRepeated(repeated));
    } catch (error) {
      await writer.abort();
      throw error;
    } finally {
      await writer.close();
    }
  }

  private async count(batch: BuiltBatch, rejects: RejectsFile): Promise<void> {
    const { counts } = this;
    for (const rejected of batch.rejected) await rejects.add(rejected);
    counts.read += batch.read;
    counts.loaded += batch.loaded;
    counts.rejected += batch.rejected.length;
    this.unseen.add(batch.unseen);
    this.withoutApn += batch.withoutApn;
    this.withoutGeometry += batch.withoutGeometry;
    this.tally.add(batch.fields);
    this.matches.add(batch.matches);
  }

  /** The checks that need the whole file. Throws before anything is published. */
  private check(rejects: RejectsFile): void {
    const { counts, options, matches, plan } = this;
    const fitting = fittingSystemsOf(plan, matches.outline);
    if (!options.force) matches.refuseOtherCounty(options.maxRejectsPercent, fitting);
    refuseTooManyRejects(counts, options.maxRejectsPercent, rejects.tally, rejects.releaseId, plan.mapping, fitting);
  }

  private async fail(rejects: RejectsFile, error: Error): Promise<void> {
    try {
      await this.db.query('rollback');
      await failRelease(this.db, rejects.releaseId, this.counts, error.message);
      await restoreStatus(this.db, this.county);
      await rejects.storeFirst(this.db);
    } catch {
      // The database is gone: the next load of this county closes the release.
    }
  }
}

/** An address as the name of a source: a query may have a key. */
const withoutQuery = (url: string): string => url.replace(/^https?:\/\/|[?#].*$/g, '').slice(0, 200);
