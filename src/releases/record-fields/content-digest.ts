import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { trailingFields } from './record-fields.js';

/**
 * A release keeps half of each record's id, which is a hash, and the digest of its content: enough that two never share one by
 * accident.
 */
export const idBytes = 8;
export const contentBytes = 16;
export const digestBytes = idBytes + contentBytes;

// Source, date and release always differ from the release before. No value contains `,"`, because quotes within strings are escaped.
const commonPart = Buffer.from(',"source":');
const afterCommon = Buffer.from(`,"${trailingFields[0]!.name}":`);
// In reverse order.
const blanks = trailingFields.map(({ name }) => Buffer.from(`,"${name}":null`)).reverse();
const allBlank = Buffer.concat(blanks.toReversed());

/**
 * Says whether a record has changed: the first 16 bytes of the SHA-256 of its text without what all records of a load share (source, date,
 * release), without trailing nulls, and without the closing brace. So it does not depend on the load or on the version of the record.
 * @param text a record's JSON text
 */
export const contentDigest = (text: Buffer): Buffer => hash('sha256', contentOf(text), 'buffer').subarray(0, contentBytes);

function contentOf(text: Buffer): Buffer {
  const common = text.lastIndexOf(commonPart);
  const start = text.indexOf(afterCommon, common);
  const head = text.subarray(0, common);
  if (start < 0) return head;
  let end = text.length - '}'.length;
  if (end - start === allBlank.length && allBlank.compare(text, start, end) === 0) return head;
  for (const blank of blanks) {
    const before = end - blank.length;
    if (before < start || blank.compare(text, before, end) !== 0) break;
    end = before;
  }
  return Buffer.concat([head, text.subarray(start, end)]);
}

/** The digests of consecutive records, from an ordinal on. Null if no load wrote them, or if the release was pruned. */
export async function readDigests(db: Pick<Pool, 'query'>, releaseId: number, first: number, count: number): Promise<Buffer | null> {
  const { rows } = await db.query<{ digests: Buffer | null }>({
    name: 'read_digests',
    text: 'select substring(content_digests from $2 for $3) as digests from parcel_release where id = $1',
    values: [releaseId, (first - 1) * digestBytes + 1, count * digestBytes],
  });
  return rows[0]?.digests ?? null;
}
