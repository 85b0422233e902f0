import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';

/** What people want to know of a release that they read from. */
export interface ReleaseDescription {
  id: number;
  countyFips: string;
  countyName: string;
  state: string;
  sourceName: string;
  sourceDate: string | null;
}

const maxKnown = 10_000;

/** Describes releases, those that are asked for together in one query. A release never changes, so each is looked up once. */
export class ReleaseDescriptions {
  private readonly loader: DataLoader<number, ReleaseDescription>;

  constructor(pool: Pool) {
    const cacheMap = new LRUCache<number, Promise<ReleaseDescription>>({ max: maxKnown });
    this.loader = new DataLoader((ids) => describe(pool, ids), { cacheMap });
  }

  of(id: number): Promise<ReleaseDescription> {
    return this.loader.load(id);
  }
}

async function describe(pool: Pool, ids: readonly number[]): Promise<(ReleaseDescription | Error)[]> {
  const { rows } = await pool.query<ReleaseDescription>(
    `select r.id, r.county_fips as "countyFips", c.name as "countyName", c.state, r.source as "sourceName", r.source_date as "sourceDate"
       from parcel_release r join county c on c.fips = r.county_fips where r.id = any($1)`,
    [ids],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? new Error(`there is no release ${id}`));
}
