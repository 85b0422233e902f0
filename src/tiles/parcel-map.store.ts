import pLimit from 'p-limit';
import type { Pool } from 'pg';
import { cutKey } from './cut-task.js';

/** The map of a county's current release. */
export interface ParcelMap {
  releaseId: number;
  /** How many of its records have a shape; null: the map is not cut yet. */
  shapes: number | null;
  records: number;
  /** Whether it could not be cut, so that there will be none. */
  isGivenUp: boolean;
  /** West, south, east, north, in degrees; null without shapes. */
  bounds: [number, number, number, number] | null;
}

// Of the pool that sign-in uses: a map asks for dozens of tiles at once.
const queriesAtOnce = 2;

/** Reads what a job has cut. */
export class ParcelMapStore {
  private readonly turn = pLimit(queriesAtOnce);

  constructor(private readonly pool: Pool) {}

  /** @returns null for a county without records */
  async ofCounty(fips: string): Promise<ParcelMap | null> {
    const [map] = await this.ask<ParcelMap>(
      `select c.current_release_id as "releaseId", m.shapes, c.parcel_count as records,
              exists (select from graphile_worker.jobs j
                       where j.key = ${cutKey('c.current_release_id')} and j.attempts >= j.max_attempts and j.locked_at is null) as "isGivenUp",
              case when m.shapes > 0 then array[m.west, m.south, m.east, m.north] end as bounds
         from county c left join parcel_map m on m.release_id = c.current_release_id
        where c.fips = $1 and c.current_release_id is not null`,
      [fips],
    );
    return map ?? null;
  }

  /** Buckets of the index that finds the parcels of a county's current release. @returns null until its map is cut */
  async searchBuckets(fips: string, buckets: number[]): Promise<{ releaseId: number; pairs: Buffer[] } | null> {
    const rows = await this.ask<{ releaseId: number; pairs: Buffer | null }>(
      `select m.release_id as "releaseId", s.pairs
         from county c join parcel_map m on m.release_id = c.current_release_id
         left join parcel_search s on s.release_id = m.release_id and s.bucket = any($2::smallint[])
        where c.fips = $1`,
      [fips, buckets],
    );
    return rows[0] ? { releaseId: rows[0].releaseId, pairs: rows.flatMap(({ pairs }) => pairs ?? []) } : null;
  }

  /** @returns a gzipped tile; empty where there is no parcel; null unless the release is its county's current one and its map is cut */
  async tile(fips: string, releaseId: number, z: number, x: number, y: number): Promise<Buffer | 'empty' | null> {
    const [tile] = await this.ask<{ gzipped: Buffer | null }>(
      `select t.gzipped
         from county c join parcel_map m on m.release_id = c.current_release_id
         left join parcel_tile t on t.release_id = m.release_id and t.z = $3 and t.x = $4 and t.y = $5
        where c.fips = $1 and c.current_release_id = $2`,
      [fips, releaseId, z, x, y],
    );
    return tile ? (tile.gzipped ?? 'empty') : null;
  }

  private async ask<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    return (await this.turn(() => this.pool.query<Row>(text, values))).rows;
  }
}
