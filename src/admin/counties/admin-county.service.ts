import type { Pool } from 'pg';
import { type DataSource, type EntityManager, In } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { County } from '../../counties/county.js';
import { listReleases, ParcelReleaseEntity } from '../../releases/catalogue/parcel-release.entity.js';
import { coversLittle } from '../../releases/catalogue/release-report.js';
import { changeCounty, setCountyStatus } from '../../releases/lifecycle/change-county.js';
import { discardHeld, publishHeld, releaseToRollBackTo, republish, rollBack } from '../../releases/lifecycle/publish-release.js';
import { shownState } from '../../releases/lifecycle/release.store.js';
import { withFormLabels } from '../loads/load-input.js';
import type { CountyStatusArgs, Release, ReleaseList, ReleasesArgs } from './admin-county.js';
import { type RejectedRow, type RejectedRowsArgs, readRejects } from './rejected-row.js';
import { toReport } from './release-report.js';

/** Changes of a county's status and releases by operators. */
export class AdminCountyService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pool: Pool,
  ) {}

  /** A county's loads, newest first. */
  async releases(fips: string): Promise<Release[]> {
    const [county, releases] = await Promise.all([
      this.dataSource.getRepository(County).findOneBy({ fips }),
      listReleases(this.dataSource, fips),
    ]);
    return releases.map((release) => toRelease(release, county!, releases));
  }

  /** Releases of all counties, newest first. */
  async list({ search, state, limit, offset }: ReleasesArgs): Promise<ReleaseList> {
    const repository = this.dataSource.getRepository(ParcelReleaseEntity);
    const [found, total] = await repository
      .createQueryBuilder('r')
      .innerJoin(County, 'c', 'c.fips = r.countyFips')
      .where(search ? `(position(lower(:search) in lower(c.name)) > 0 or starts_with(c.fips::text, :search))` : 'true', { search })
      .andWhere(state ? `${stateSql} = :state` : 'true', { state })
      .orderBy('r.id', 'DESC')
      .take(limit)
      .skip(offset)
      .getManyAndCount();
    const counties = await this.dataSource.getRepository(County).findBy({ fips: In(found.map(({ countyFips }) => countyFips)) });
    const loads = await this.loadsOf(found);
    const releases = found.map((release) => toRelease(release, counties.find(({ fips }) => fips === release.countyFips)!, loads));
    return { releases, total };
  }

  /** The release that a rollback would make current, or null. */
  releaseToRollBackTo(fips: string): Promise<number | null> {
    return releaseToRollBackTo(this.dataSource.manager, fips);
  }

  /** @throws AppError not_found */
  async release(releaseId: number): Promise<Release> {
    const release = await this.dataSource.getRepository(ParcelReleaseEntity).findOneBy({ id: releaseId });
    if (!release) throw new AppError('not_found', 'There is no such release.');
    const county = await this.dataSource.getRepository(County).findOneByOrFail({ fips: release.countyFips });
    return toRelease(release, county, await this.loadsOf([release]));
  }

  /** @throws AppError not_found */
  async rejectedRows(args: RejectedRowsArgs): Promise<RejectedRow[]> {
    await this.release(args.releaseId);
    return readRejects(this.pool, args);
  }

  /**
   * Sets the status of a county, its note, or both. Setting the status of a loaded county withdraws it.
   * @throws AppError conflict if the county has changed since the operator saw it
   */
  setStatus(actor: string, { fips, seen, status, note }: CountyStatusArgs): Promise<County> {
    return this.change(actor, 'set county status', fips, async (manager, before) => {
      const isAsSeen =
        seen.status === before.status && (seen.note ?? null) === before.note && (seen.currentReleaseId ?? null) === before.currentReleaseId;
      if (!isAsSeen) throw countyChanged(before);
      if (status && status !== before.status) await setCountyStatus(manager, fips, status, null);
      if (note !== undefined) await manager.update(County, { fips }, { note });
    });
  }

  /**
   * @param from the release that the operator saw as current; null if none was
   * @throws AppError conflict if another release is current, or no earlier release still has its records
   */
  rollBack(actor: string, fips: string, from: number | null): Promise<County> {
    return this.change(actor, 'roll county back', fips, (manager, before) => {
      if (before.currentReleaseId !== from) throw countyChanged(before);
      return rollBack(manager, fips);
    });
  }

  /**
   * Publishes a release that is held for review, or one that was published before.
   * @param accept all findings that hold it
   * @throws AppError not_found; conflict if it has more findings or no records
   */
  async publish(actor: string, releaseId: number, accept: string[]): Promise<County> {
    const { countyFips, state } = await this.release(releaseId);
    if (state !== 'held') return this.change(actor, 'publish release', countyFips, (manager) => republish(manager, releaseId));
    return this.change(actor, 'publish release', countyFips, (manager) => publishHeld(manager, releaseId, accept), { accepted: accept });
  }

  /** @throws AppError not_found; conflict if it is not held */
  async discard(actor: string, releaseId: number): Promise<County> {
    const { countyFips } = await this.release(releaseId);
    return this.change(actor, 'discard release', countyFips, (manager) => discardHeld(manager, releaseId), { discarded: releaseId });
  }

  /** The releases that loaded the parts of these. */
  private loadsOf(releases: ParcelReleaseEntity[]): Promise<ParcelReleaseEntity[]> {
    const ids = releases.flatMap(({ parts }) => (parts ?? []).map(({ loadedBy }) => loadedBy));
    return this.dataSource.getRepository(ParcelReleaseEntity).findBy({ id: In(ids) });
  }

  private async change(
    actor: string,
    action: string,
    fips: string,
    work: (manager: EntityManager, before: County) => Promise<unknown>,
    facts: object = {},
  ): Promise<County> {
    return (await changeCounty(this.dataSource, { actor, action, fips, facts }, work)).after;
  }
}

function countyChanged({ status, currentReleaseId }: County): AppError {
  const now = currentReleaseId === null ? `it is ${status}` : `release ${currentReleaseId} is its current one`;
  return new AppError('conflict', `The county has changed since you saw it: ${now}. Nothing was changed. Reload the page.`);
}

// As `stateOf` says of a release.
const stateSql = `case
  when r.state = 'published' then case when r.id = c.current_release_id then 'current' else 'previous' end
  when r.state = 'pruned' and r.published_at is null then 'discarded'
  else r.state end`;

function stateOf(release: ParcelReleaseEntity, { currentReleaseId }: County): Release['state'] {
  const state = shownState(release);
  return state !== 'published' ? state : release.id === currentReleaseId ? 'current' : 'previous';
}

/** @param loads at least the releases that loaded the parts of this one */
const toRelease = (release: ParcelReleaseEntity, county: County, loads: ParcelReleaseEntity[]): Release => ({
  id: release.id,
  countyFips: county.fips,
  countyName: county.name,
  countyState: county.state,
  part: release.part,
  state: stateOf(release, county),
  sourceName: release.source,
  sourceUrl: release.sourceUrl,
  sourceDate: release.sourceDate,
  format: release.format,
  rowsRead: release.readCount,
  rowsLoaded: release.loadedCount - release.keptCount,
  rowsRejected: release.rejectedCount,
  recordsKept: release.keptCount,
  parts:
    release.parts?.map(({ name, loadedBy, records }) => {
      const { source, sourceDate } = loads.find(({ id }) => id === loadedBy)!;
      return { name, loadedBy, records, sourceName: source, sourceDate };
    }) ?? null,
  isPartial: release.parts === null && !release.isSample && release.report !== null && coversLittle(release.report),
  profileVersion: release.profileVersion,
  startedAt: release.startedAt,
  publishedAt: release.publishedAt,
  failedAt: release.state === 'failed' ? release.endedAt : null,
  failure: release.failure && withFormLabels(release.failure),
  report: release.report && toReport(release.loadedCount - release.keptCount, release.report),
});
