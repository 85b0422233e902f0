import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { recordVersion } from '../releases/record-fields/record-fields.js';
import type { Segment } from './page.js';

const maxKnown = 10_000;

/** Knows which releases were written in an earlier version of the record than is served. That never changes, so each is looked up once. */
export class RecordVersions {
  private readonly known: LRUCache<number, number>;

  constructor(pool: Pool) {
    this.known = new LRUCache({
      max: maxKnown,
      fetchMethod: async (releaseId) => {
        const query = 'select record_version as version from parcel_release where id = $1';
        const { rows } = await pool.query<{ version: number }>(query, [releaseId]);
        return rows[0]?.version;
      },
    });
  }

  async isEarlier(releaseId: number): Promise<boolean> {
    const version = this.known.get(releaseId) ?? (await this.known.fetch(releaseId));
    return version !== undefined && version < recordVersion;
  }

  async hasEarlier(segments: Segment[]): Promise<boolean> {
    for (const { releaseId } of segments) if (await this.isEarlier(releaseId)) return true;
    return false;
  }
}
