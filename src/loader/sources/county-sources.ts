import type { Pool } from 'pg';
import type { FetchedData } from '../../releases/catalogue/release-comparison.js';
import { usableProfile } from '../profile/profile.store.js';
import { findSource, type KnownSource, type StatedSource } from './known-source.js';

/** A county, or a part of one, with its source and the release that is being read. */
export interface SourceOfCounty extends KnownSource {
  fips: string;
  name: string;
  state: string;
  /** Null: the county as a whole. */
  part: string | null;
  /** Null: not loaded, or with invented records. */
  release: LoadedRelease | null;
}

export interface LoadedRelease {
  id: number;
  records: number;
  /** YYYY-MM-DD, or null. */
  sourceDate: string | null;
  /** Null: an operator brought the files. */
  fetched: FetchedData | null;
  /** Since its data was fetched. */
  ageDays: number | null;
  /** The release that waits for an operator's decision, or null. */
  heldId: number | null;
}

export interface CountyFilter {
  county?: string;
  state?: string;
}

interface Row extends Omit<SourceOfCounty, keyof KnownSource> {
  source: StatedSource | null;
}

/** All counties with a known source, in the order of their codes. */
export async function sourcesOfCounties(db: Pool, { county, state }: CountyFilter): Promise<SourceOfCounty[]> {
  const { rows } = await db.query<Row>(
    `select c.fips, c.name, c.state, nullif(p.part, '') as part, p.source, r.release
       from county c
       left join lateral (
         select distinct on (part) part, jsonb_build_object('sourceUrl', body -> 'sourceUrl', 'protocol', body -> 'protocol') as source
           from county_profile p where county_fips = c.fips and ${usableProfile} order by part, version desc
       ) p on true
       left join lateral (
         select json_build_object(
                  'id', l.id, 'records', coalesce((e.part ->> 'records')::integer, l.loaded_count), 'sourceDate', last.source_date,
                  'fetched', last.report -> 'fetched',
                  'ageDays', (service_now() at time zone 'UTC')::date - ((last.report -> 'fetched' ->> 'at')::timestamptz at time zone 'UTC')::date,
                  'heldId', (select h.id from parcel_release h where h.county_fips = c.fips and h.state = 'held')
                ) as release
           from parcel_release current
           left join lateral jsonb_array_elements(current.parts) e (part) on true
           join parcel_release l on l.id = coalesce((e.part ->> 'loadedBy')::integer, current.id)
           -- The load that brought the records, or a later one that found them unchanged.
           join lateral (
             select source_date, report from parcel_release x
              where x.id = l.id or x.county_fips = c.fips and x.state = 'unchanged' and x.id > l.id and x.part is not distinct from l.part
              order by x.id desc limit 1
           ) last on true
          where current.id = c.current_release_id and not current.is_sample and coalesce(e.part ->> 'name', '') = coalesce(p.part, '')
       ) r on true
      where ($1::text is null or c.fips = $1) and ($2::text is null or c.state = $2)
      order by c.fips, p.part`,
    [county ?? null, state ?? null],
  );
  const found = rows.map(async ({ source: profile, ...row }) => {
    const source = await findSource(row.fips, row.part, profile);
    return source && { ...row, ...source };
  });
  return (await Promise.all(found)).filter((source) => source !== null);
}
