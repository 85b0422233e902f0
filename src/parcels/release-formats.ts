import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { recordVersion } from '../releases/record-fields/record-fields.js';

interface ReleaseFormat {
  /** Whether its records were written in an earlier version than is served. */
  isEarlier: boolean;
  /** Whether it has the digests of its records. Servers of an earlier version wrote none. */
  hasDigests: boolean;
}

const maxKnown = 10_000;

/** How releases were written. That never changes, so each is looked up once. */
export class ReleaseFormats {
  private readonly known: LRUCache<number, ReleaseFormat>;

  constructor(pool: Pool) {
    this.known = new LRUCache({
      max: maxKnown,
      fetchMethod: async (releaseId) => {
        const { rows } = await pool.query<ReleaseFormat>(
          `select record_version < $2 as "isEarlier", content_digests is not null as "hasDigests" from parcel_release where id = $1`,
          [releaseId, recordVersion],
        );
        return rows[0];
      },
    });
  }

  async of(releaseId: number): Promise<ReleaseFormat> {
    return this.known.get(releaseId) ?? (await this.known.fetch(releaseId)) ?? { isEarlier: false, hasDigests: false };
  }
}
