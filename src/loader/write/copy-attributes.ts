import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { ReleaseTarget } from './release-target.js';
import type { Spool } from './spool.js';

/** Postgres compresses a run as one text, in which the same keys and many values repeat. */
const recordsPerRun = 100;

/**
 * Copies the unmapped columns of a release into their table. Call once, after the records are copied.
 * @param spool a line of JSON for each record, in the order of the file
 * @param ordinals of the records in the order of the file; null if they are 1, 2, 3, …
 */
export async function copyAttributes(
  spool: Spool,
  { db, releaseId, placement }: ReleaseTarget,
  ordinals: Int32Array | null,
): Promise<void> {
  await spool.flush();
  await db.query('create temp table spooled (place integer generated always as identity, attributes text) on commit drop');
  // JSON has neither of these characters, so nothing in it is a quote or a delimiter.
  const copy = `copy spooled (attributes) from stdin (format csv, quote e'\\x01', delimiter e'\\x02')`;
  await pipeline(createReadStream(spool.path), db.query(copyFrom(copy)));
  await db.query(
    `insert into parcel_attributes (release_id, first_ordinal, last_ordinal, attributes)
     select $1, min(ordinal), max(ordinal), '[' || string_agg(attributes, ',' order by ordinal) || ']'
       from (select $2::integer + coalesce(($3::integer[])[place], place) as ordinal, attributes from spooled) placed
      group by (ordinal - $2::integer - 1) / ${recordsPerRun}`,
    [releaseId, placement.recordsBefore, ordinals && `{${ordinals.join()}}`],
  );
}
