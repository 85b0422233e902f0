import type { ClientBase, Pool } from 'pg';
import { countyLock } from './county-lock.js';

export interface DeadLoad {
  id: number;
  countyFips: string;
  startedAt: Date;
}

/**
 * Closes loads whose process has died, of all counties or of one: their releases become `failed`, and counties without data `planned`.
 * A running load has its county's lock, so it is skipped. The caller may have that lock itself.
 */
export async function closeDeadLoads(db: ClientBase | Pool, fips?: string): Promise<DeadLoad[]> {
  const { rows } = await db.query<DeadLoad>(
    `with loading as materialized (
       select fips from county where status = 'loading' union select county_fips from parcel_release where state = 'loading'
     ), dead as materialized (
       select fips from loading where ($2::text is null or fips = $2) and pg_try_advisory_xact_lock($1, fips::integer)
     ), restored as (
       update county c set status = 'planned' from dead where c.fips = dead.fips and c.status = 'loading' and c.current_release_id is null
     ), closed as (
       update parcel_release r
          set state = 'failed', failure = 'The load died before it finished.', ended_at = service_now()
         from dead
        where r.county_fips = dead.fips and r.state = 'loading'
       returning r.id, r.county_fips, r.started_at
     )
     select id, county_fips as "countyFips", started_at as "startedAt" from closed order by id`,
    [countyLock, fips ?? null],
  );
  return rows;
}
