import type { Pool } from 'pg';
import type { Segment } from './page.js';

/** Reads what counties published beyond the record's fields: one object per record, in order; empty if nothing was published or kept. */
export const readAttributes = async (pool: Pool, segments: Segment[]): Promise<object[]> =>
  (await Promise.all(segments.map((segment) => readSegment(pool, segment)))).flat();

async function readSegment(pool: Pool, { releaseId, first, count }: Segment): Promise<object[]> {
  const { rows } = await pool.query<{ first: number; attributes: string }>(
    `select first_ordinal as first, attributes from parcel_attributes
      where release_id = $1 and first_ordinal <= $3 and last_ordinal >= $2`,
    [releaseId, first, first + count - 1],
  );
  const byRecord = Array.from({ length: count }, (): object => ({}));
  for (const run of rows) {
    for (const [i, attributes] of (JSON.parse(run.attributes) as object[]).entries()) {
      const index = run.first + i - first;
      if (index >= 0 && index < count) byRecord[index] = attributes;
    }
  }
  return byRecord;
}
