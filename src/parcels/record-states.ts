import type { Pool } from 'pg';
import { registerEnumType } from 'type-graphql';
import { contentBytes, digestBytes, idBytes, readDigests } from '../releases/record-fields/content-digest.js';
import type { Segment } from './page.js';

/** A record's state in the current release of its county. */
export enum RecordState {
  unchanged = 'unchanged',
  changed = 'changed',
  gone = 'gone',
  unknown = 'unknown',
}

registerEnumType(RecordState, {
  name: 'RecordState',
  description: 'Whether the current release of its county still has a record as it was read.',
  valuesConfig: {
    unchanged: { description: 'It has the same record.' },
    changed: { description: 'It has the parcel with other content.' },
    gone: { description: 'It does not have the parcel, or the county was withdrawn.' },
    unknown: { description: 'Not known, because one of the releases has no digests.' },
  },
});

const digestsAtOnce = 40_000;

/** Compares records that were read with the current releases of their counties. One state per record, in order. */
export async function recordStates(pool: Pool, segments: Segment[]): Promise<RecordState[]> {
  const states: RecordState[] = [];
  for (const segment of segments) states.push(...(await statesOf(pool, segment)));
  return states;
}

async function statesOf(pool: Pool, { releaseId, first, count }: Segment): Promise<RecordState[]> {
  const all = (state: RecordState) => Array.from({ length: count }, () => state);
  const { rows } = await pool.query<{ id: number; records: number }>(
    `select current.id, current.loaded_count as records
       from parcel_release r join county c on c.fips = r.county_fips join parcel_release current on current.id = c.current_release_id
      where r.id = $1`,
    [releaseId],
  );
  const [current] = rows;
  if (!current) return all(RecordState.gone);
  if (current.id === releaseId) return all(RecordState.unchanged);
  const read = await readDigests(pool, releaseId, first, count);
  if (read === null) return all(RecordState.unknown);
  const states = all(RecordState.gone);
  const wanted = new Map(states.map((_, index) => [idAt(read, index), index]));
  // Most records still stand where they stood, so these come first, and then the whole release.
  const pieces = [{ start: first, length: count }];
  for (let start = 1; start <= current.records; start += digestsAtOnce) pieces.push({ start, length: digestsAtOnce });
  for (const { start, length } of pieces) {
    if (wanted.size === 0) break;
    const now = await readDigests(pool, current.id, start, length);
    if (now === null) return all(RecordState.unknown);
    for (let other = 0; other * digestBytes < now.length; other++) {
      const index = wanted.get(idAt(now, other));
      if (index === undefined) continue;
      states[index] = contentAt(now, other) === contentAt(read, index) ? RecordState.unchanged : RecordState.changed;
      wanted.delete(idAt(now, other));
    }
  }
  return states;
}

const idAt = (digests: Buffer, index: number): string => digests.toString('latin1', index * digestBytes, index * digestBytes + idBytes);

const contentAt = (digests: Buffer, index: number): string =>
  digests.toString('latin1', index * digestBytes + idBytes, index * digestBytes + idBytes + contentBytes);
