import type { ReleaseTarget } from './release-target.js';

/** Records that change their place, as parallel lists of ordinals. */
export interface Moves {
  from: number[];
  to: number[];
}

const recordsAtOnce = 1000;

/**
 * Gives records other ordinals. Postgres has no statistics for rows this new, so they are found by their key. They pass through negative
 * ordinals, since two may change places.
 */
export async function moveRecords({ db, releaseId, placement }: ReleaseTarget, { from, to }: Moves): Promise<void> {
  const [before, after] = [from, to].map((list) => list.map((ordinal) => placement.recordsBefore + ordinal)) as [number[], number[]];
  const passing = after.map((ordinal) => -ordinal);
  for (const [start, end] of [
    [before, passing],
    [passing, after],
  ] as const) {
    for (let i = 0; i < start.length; i += recordsAtOnce) {
      await db.query(
        `update parcel p set ordinal = m.after from unnest($2::integer[], $3::integer[]) m (before, after)
          where p.release_id = $1 and p.ordinal = any($2) and p.ordinal = m.before`,
        [releaseId, start.slice(i, i + recordsAtOnce), end.slice(i, i + recordsAtOnce)],
      );
    }
  }
}
