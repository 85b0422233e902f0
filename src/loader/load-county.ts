import type { Client } from 'pg';
import { connectAlone } from '../database/service-client.js';
import { lockCurrent, readCurrent } from '../releases/catalogue/current-release.js';
import type { ReleaseReport } from '../releases/catalogue/release-report.js';
import { lockCounty, markLoading, restoreStatus } from '../releases/lifecycle/county-lock.js';
import { closeDeadLoads } from '../releases/lifecycle/dead-loads.js';
import { failRelease, insertRelease } from '../releases/lifecycle/release.store.js';
import { hashFiles } from './hash-files.js';
import type { LoadRequest, LoadSummary } from './load-request.js';
import { filesOf, type PreparedLoad, withPlan } from './prepare-load.js';
import { keepProfile, refuseChangedProfile } from './profile/profile.store.js';
import { beforeRecords, publishLoad } from './publish-load.js';
import { compareLoaded } from './quality/compare-loaded.js';
import { refusePlan } from './quality/refuse-plan.js';
import { RejectsFile } from './quality/rejects-file.js';
import { RowPass } from './row-pass.js';
import type { Placement } from './write/release-target.js';
import { placementOf, ReleaseWriter } from './write/release-writer.js';

export type * from './load-request.js';

/**
 * Loads a county from files and publishes it as a new release, or changes nothing: rows, counts and publication are one transaction. The
 * county's other parts stay as they are. A release that differs too much from the current one is held with its records until an operator
 * decides. A killed process leaves only a release in state `loading`, which the next load closes.
 * @throws AppError when the files, the options or the county are at fault
 */
export async function loadCounty(request: LoadRequest): Promise<LoadSummary> {
  await using db = await connectAlone(request.database.url, 'load');
  return await withPlan({ ...request, db }, async (prepared) => {
    const { facts, options } = prepared;
    const { fips } = facts.county;
    if (!options.force) refusePlan(prepared);
    await lockCounty(db, fips);
    await refuseChangedProfile(db, fips, facts.part, options);
    request.onStart?.({ prepared, deadLoads: await closeDeadLoads(db, fips) });
    return await new Load(db, request, prepared).run();
  });
}

class Load {
  private readonly startedAt = performance.now();
  private readonly pass: RowPass;

  constructor(
    private readonly db: Client,
    private readonly request: LoadRequest,
    private readonly prepared: PreparedLoad,
  ) {
    this.pass = new RowPass(prepared);
  }

  async run(): Promise<LoadSummary> {
    const { db, pass } = this;
    const { facts, plan, options } = this.prepared;
    const { county, part, source, sourceDate } = facts;
    const opened = filesOf(plan);
    const { format } = opened[0]!;
    const releaseId = await insertRelease(db, {
      countyFips: county.fips,
      part,
      source,
      sourceUrl: options.sourceUrl ?? null,
      sourceDate,
      format,
      mapping: plan.mapping,
      startedBy: options.startedBy ?? null,
      isSample: options.isSample ?? false,
    });
    await using rejects = new RejectsFile(releaseId, plan);
    const hashing = new AbortController();
    try {
      // Files are hashed beside the first batches.
      const files = opened.flatMap((source) => source.files);
      const sourceSha256 = hashFiles(files, hashing.signal);
      sourceSha256.catch(() => {}); // awaited after the rows are copied
      await markLoading(db, county.fips);
      await db.query('begin');
      const republish = options.republish ?? false;
      const placement = await placementOf(db, part, await readCurrent(db, county.fips), republish);
      await db.query(`savepoint ${beforeRecords}`);
      const digests = await this.copy(releaseId, placement, rejects);
      const sha256 = await sourceSha256;
      await plan.refuseChangedFiles();
      pass.judge(releaseId);
      const current = await lockCurrent(db, county.fips, releaseId);
      const loaded = { releaseId, first: placement.recordsBefore + 1, records: pass.counts.loaded, digests };
      const { comparison, findings } = await compareLoaded(db, part, loaded, current, placement.replaced);
      const report = pass.report(current, comparison, findings);
      const load = { releaseId, county, part, counts: pass.counts, placement, digests, sourceSha256: sha256, report };
      const published = await publishLoad(db, load, current, republish);
      await rejects.store(db);
      const found = pass.reading.match?.spelling;
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
    }
  }

  private summaryOf(releaseId: number, format: string, report: ReleaseReport): Omit<LoadSummary, 'parts' | 'state'> {
    const { pass } = this;
    const { fips, name, state } = this.prepared.facts.county;
    return {
      ...pass.counts,
      county: { fips, name, state },
      releaseId,
      report,
      format,
      withoutGeometry: pass.withoutGeometry,
      withoutApn: pass.withoutApn,
      warnings: pass.warnings(report),
      seconds: (performance.now() - this.startedAt) / 1000,
    };
  }

  private async copy(releaseId: number, placement: Placement, rejects: RejectsFile): Promise<Buffer> {
    const { pass, request } = this;
    const { facts, plan, options } = this.prepared;
    const scope = { countyFips: facts.county.fips, part: facts.part };
    await using writer = await ReleaseWriter.open({ db: this.db, releaseId, scope, placement }, options.attributes !== false);
    try {
      await pass.run(request.database, releaseId, async (batch) => {
        request.signal?.throwIfAborted();
        await writer.add(batch);
        for (const rejected of batch.rejected) await rejects.add(rejected);
        const bytesRead = Math.round(pass.reading.bytesRead);
        request.onProgress?.({ ...pass.counts, releaseId, bytesRead, byteLength: plan.byteLength });
      });
      return await writer.finish((repeated) => pass.tally.noteRepeated(repeated));
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  private async fail(rejects: RejectsFile, error: Error): Promise<void> {
    try {
      await this.db.query('rollback');
      await failRelease(this.db, rejects.releaseId, this.pass.counts, error.message);
      await restoreStatus(this.db, this.prepared.facts.county);
      await rejects.storeFirst(this.db);
    } catch {
      // The database is gone: the next load of this county closes the release.
    }
  }
}
