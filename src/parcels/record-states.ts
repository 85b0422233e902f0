import type { Pool } from 'pg';
import { registerEnumType } from 'type-graphql';
import { contentBytes, digestBytes, idBytes } from '../releases/record-fields/content-digest.js';
import type { Segment } from './page.js';

/** What the current release of its county has of a record. */
export enum RecordState {
  /** The same record. */
  unchanged = 'unchanged',
  /** The parcel, with other content. */
  changed = 'changed',
  /** Nothing: the parcel is not in it, or the county was withdrawn. */
  gone = 'gone',
  /** One of the releases was written before digests were kept. */
  unknown = 'unknown',
}

registerEnumType(RecordState, {
  name: 'RecordState',
  description: 'Whether the current release of its county still has a record as it was read.',
  valuesConfig: {
    unchanged: { description: 'It has the same record.' },
    changed: { description: 'It has the parcel with other content.' },
    gone: { description: 'It does not have the parcel, or the county was withdrawn.' },
    unknown: { description: 'Not known for records that were loaded before 2026-11-25.' },
  },
});

const digestsAtOnce = 40_000;

/** Compares records that were read with the current releases of their counties. */
export class RecordStates {
  constructor(private readonly pool: Pool) {}

  /** One state per record, in order. */
  async of(segments: Segment[]): Promise<RecordState[]> {
    const states: RecordState[] = [];
    for (const segment of segments) states.push(...(await this.ofSegment(segment)));
    return states;
  }

  private async ofSegment({ releaseId, first, count }: Segment): Promise<RecordState[]> {
    const all = (state: RecordState) => Array.from({ length: count }, () => state);
    const { rows } = await this.pool.query<{ current: number | null; read: Buffer | null }>(
      `select c.current_release_id as current, substring(r.content_digests from $2 for $3) as read
         from parcel_release r join county c on c.fips = r.county_fips where r.id = $1`,
      [releaseId, (first - 1) * digestBytes + 1, count * digestBytes],
    );
    const [row] = rows;
    if (!row || row.current === null) return all(RecordState.gone);
    if (row.current === releaseId) return all(RecordState.unchanged);
    if (row.read === null) return all(RecordState.unknown);
    const states = all(RecordState.gone);
    const wanted = new Map(states.map((_, index) => [idAt(row.read!, index), index]));
    // Most records still stand where they stood, so their neighbourhood comes first.
    for (const start of [first, ...(await this.startsOf(row.current))]) {
      if (wanted.size === 0) break;
      const now = await this.piece(row.current, start, start === first ? count : digestsAtOnce);
      if (now === null) return all(RecordState.unknown);
      for (let other = 0; other * digestBytes < now.length; other++) {
        const index = wanted.get(idAt(now, other));
        if (index === undefined) continue;
        states[index] = contentAt(now, other) === contentAt(row.read, index) ? RecordState.unchanged : RecordState.changed;
        wanted.delete(idAt(now, other));
      }
    }
    return states;
  }

  private async startsOf(releaseId: number): Promise<number[]> {
    const { rows } = await this.pool.query<{ records: number }>('select loaded_count as records from parcel_release where id = $1', [
      releaseId,
    ]);
    return Array.from({ length: Math.ceil((rows[0]?.records ?? 0) / digestsAtOnce) }, (_, i) => i * digestsAtOnce + 1);
  }

  private async piece(releaseId: number, first: number, count: number): Promise<Buffer | null> {
    const { rows } = await this.pool.query<{ piece: Buffer | null }>(
      'select substring(content_digests from $2 for $3) as piece from parcel_release where id = $1',
      [releaseId, (first - 1) * digestBytes + 1, count * digestBytes],
    );
    return rows[0]?.piece ?? null;
  }
}

const idAt = (digests: Buffer, index: number): string => digests.toString('latin1', index * digestBytes, index * digestBytes + idBytes);

const contentAt = (digests: Buffer, index: number): string =>
  digests.toString('latin1', index * digestBytes + idBytes, index * digestBytes + idBytes + contentBytes);
