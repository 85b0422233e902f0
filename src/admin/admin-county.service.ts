import type { Pool, PoolClient } from 'pg';
import type { AuditLog } from '../audit-log/audit-log.js';
import type { County } from '../counties/county.js';
import { inTransaction } from '../database/transaction.js';
import { AppError } from '../errors.js';
import { rejectsPath } from '../loader/rejects-file.js';
import { setCountyStatus } from '../loader/release/county.store.js';
import { republish, rollBack } from '../loader/release/release.store.js';
import { invalidRequest } from '../parameters.js';
import type { CountyStatusArgs, Release } from './admin-county.js';
import { type RejectedRow, type RejectedRowsArgs, readRejects } from './rejected-row.js';

export type AdminCounty = County & { note: string | null; currentReleaseId: number | null };

/** A county's status and releases, as operators set them. */
export class AdminCountyService {
  constructor(
    private readonly pool: Pool,
    private readonly audit: AuditLog,
    private readonly dataDir: string,
  ) {}

  /** A county's loads, newest first. */
  async releases(fips: string): Promise<Release[]> {
    const { rows } = await this.pool.query<Release>(
      `select r.id, r.county_fips as "countyFips",
              case when r.state <> 'published' then r.state when r.id = c.current_release_id then 'current' else 'previous' end as state,
              r.source as "sourceName", r.source_url as "sourceUrl", r.source_date as "sourceDate", r.format, r.read_count as "rowsRead",
              r.loaded_count as "rowsLoaded", r.rejected_count as "rowsRejected", r.started_at as "startedAt",
              r.published_at as "publishedAt", case r.state when 'failed' then r.ended_at end as "failedAt", r.failure
         from parcel_release r join county c on c.fips = r.county_fips
        where r.county_fips = $1
        order by r.id desc`,
      [fips],
    );
    return rows;
  }

  /**
   * The first rows of a load's file that became no record, as far as this server has them.
   * @throws AppError not_found
   */
  async rejectedRows({ releaseId, limit }: RejectedRowsArgs): Promise<RejectedRow[]> {
    return readRejects(rejectsPath(this.dataDir, await this.countyOf(releaseId), releaseId), limit);
  }

  /** @throws AppError not_found */
  async county(fips: string, db: Pool | PoolClient = this.pool): Promise<AdminCounty> {
    const { rows } = await db.query<AdminCounty>(
      `select fips, name, state, status, note, parcel_count as "parcelCount", source_date as "sourceDate", loaded_at as "loadedAt",
              current_release_id as "currentReleaseId"
         from county where fips = $1`,
      [fips],
    );
    if (!rows[0]) throw new AppError('not_found', 'There is no such county.');
    return rows[0];
  }

  /**
   * Says what is known of a county; one that is loaded is withdrawn by it.
   * @throws AppError invalid_request for a status that only a load brings about
   */
  setStatus(actor: string, { fips, status, note = null }: CountyStatusArgs): Promise<AdminCounty> {
    return this.change(actor, 'set county status', fips, async (tx, before) => {
      if (status !== before.status) {
        if (status === 'loaded' || status === 'loading') {
          throw invalidRequest([{ parameter: 'status', message: 'loaded and loading come about by a load' }]);
        }
        await setCountyStatus(tx, fips, status, note);
      }
      await tx.query('update county set note = $2 where fips = $1', [fips, note]);
    });
  }

  /** @throws AppError conflict where no earlier release has its records any more */
  rollBack(actor: string, fips: string): Promise<AdminCounty> {
    return this.change(actor, 'roll county back', fips, (tx) => rollBack(tx, fips));
  }

  /** @throws AppError not_found, or conflict where the release has no records */
  async publish(actor: string, releaseId: number): Promise<AdminCounty> {
    return this.change(actor, 'publish release', await this.countyOf(releaseId), (tx) => republish(tx, releaseId));
  }

  private async countyOf(releaseId: number): Promise<string> {
    const { rows } = await this.pool.query<{ fips: string }>('select county_fips as fips from parcel_release where id = $1', [releaseId]);
    if (!rows[0]) throw new AppError('not_found', 'There is no such release.');
    return rows[0].fips;
  }

  private change(
    actor: string,
    action: string,
    fips: string,
    work: (tx: PoolClient, before: AdminCounty) => Promise<unknown>,
  ): Promise<AdminCounty> {
    return inTransaction(this.pool, async (tx) => {
      await tx.query('select from county where fips = $1 for update', [fips]);
      const before = await this.county(fips, tx);
      await work(tx, before);
      const after = await this.county(fips, tx);
      const facts = ({ status, note, currentReleaseId }: AdminCounty) => ({ status, note, currentReleaseId });
      await this.audit.write({ actor, action, target: fips, reason: null, before: facts(before), after: facts(after) }, tx);
      return after;
    });
  }
}
