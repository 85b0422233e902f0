import type { ClientBase } from 'pg';
import type { CurrentRelease } from '../../releases/catalogue/current-release.js';
import { replacedRecords } from '../../releases/catalogue/current-release.js';
import { recordsBefore } from '../../releases/catalogue/parts.js';
import { digestBytes } from '../../releases/record-fields/content-digest.js';
import { assignScatteredIds } from './assign-scattered-ids.js';
import type { BuiltBatch } from './batch-writer.js';
import { copyAttributes } from './copy-attributes.js';
import { type Moves, moveRecords } from './move-records.js';
import { ParcelCopy } from './parcel-copy.js';
import { readAllDigests, recomputeDigests } from './read-digests.js';
import type { Placement, ReleaseTarget } from './release-target.js';
import { Spool } from './spool.js';
import { misplaced } from './stable-ordinals.js';

/**
 * Where the records of a load come in its release. Needs a transaction.
 * @param republish whether they come in the order of the file
 */
export async function placementOf(
  db: ClientBase,
  part: string | null,
  current: CurrentRelease | undefined,
  republish: boolean,
): Promise<Placement> {
  const run = replacedRecords(part, current);
  const none = Buffer.alloc(0);
  const replaced = run === null ? none : await readAllDigests(db, run);
  return { recordsBefore: recordsBefore(part, current), replaced, ordered: republish ? none : replaced };
}

/** Writes the records of a load and their attributes, each at its ordinal. Must run in the transaction of the load. */
export class ReleaseWriter {
  private readonly copy: ParcelCopy;

  private constructor(
    private readonly target: ReleaseTarget,
    private readonly attributes: Spool | null,
  ) {
    this.copy = new ParcelCopy(target);
  }

  static async open(target: ReleaseTarget, keepsAttributes: boolean): Promise<ReleaseWriter> {
    return new ReleaseWriter(target, keepsAttributes ? await Spool.open() : null);
  }

  async add({ rows, attributes }: BuiltBatch): Promise<void> {
    await this.copy.add(rows);
    if (attributes) await this.attributes?.add(attributes);
  }

  /**
   * @param noteRepeated gets how many records repeat another in every field, by number
   * @returns the digests of the written records, in the order of their ordinals
   */
  async finish(noteRepeated: (repeated: ReadonlyMap<string, number>) => void): Promise<Buffer> {
    const { target, attributes } = this;
    const { db, releaseId, placement } = target;
    const { scattered, repeated, ...copied } = await this.copy.finish();
    let { digests, ordinals } = copied;
    noteRepeated(repeated);
    if (scattered.size > 0) noteRepeated(await assignScatteredIds(target, scattered));
    if (scattered.size > 0) digests = await recomputeDigests(db, releaseId);
    const moves = scattered.size > 0 ? misplaced(placement.ordered, digests) : { from: [], to: [] };
    if (moves.from.length > 0) {
      await moveRecords(target, moves);
      ordinals = moved(ordinals ?? Int32Array.from({ length: digests.length / digestBytes }, (_, index) => index + 1), moves);
      digests = await recomputeDigests(db, releaseId);
    }
    if (attributes) await copyAttributes(attributes, target, ordinals);
    return digests;
  }

  /** Aborts the COPY, without any rows. */
  abort(): Promise<void> {
    return this.copy.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.attributes?.[Symbol.asyncDispose]();
  }
}

function moved(ordinals: Int32Array, { from, to }: Moves): Int32Array {
  const after = new Map(from.map((ordinal, i) => [ordinal, to[i]!]));
  return ordinals.map((ordinal) => after.get(ordinal) ?? ordinal);
}

/**
 * Whether records that all stayed have the attributes that they had. Both releases keep them in runs that start at the first of the records,
 * which has one ordinal in both.
 */
export async function haveSameAttributes(
  db: ClientBase,
  { releaseId, first, records }: { releaseId: number; first: number; records: number },
  replacedId: number,
): Promise<boolean> {
  const { rows } = await db.query<{ isSame: boolean }>(
    `with loaded as (
       select first_ordinal, attributes from parcel_attributes where release_id = $1 and first_ordinal between $2 and $2 + $3 - 1
     ), replaced as (
       select first_ordinal, attributes from parcel_attributes where release_id = $4 and first_ordinal between $2 and $2 + $3 - 1
     )
     select not exists (
       select from loaded full join replaced using (first_ordinal) where loaded.attributes is distinct from replaced.attributes
     ) as "isSame"`,
    [releaseId, first, records, replacedId],
  );
  return rows[0]!.isSame;
}
