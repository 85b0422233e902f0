import { type Cipher, createCipheriv, createHmac, hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { invalidRequest } from '../core/parameters.js';
import type { PublishedReleases, Release, ReleaseCatalogue } from '../releases/catalogue/release-catalogue.js';
import { contentBytes } from '../releases/record-fields/content-digest.js';
import { type Cursors, ownerOf } from './cursor.js';

/** A caller's request for a page; `cursor` continues an earlier one. */
export interface PageRequest {
  countyFips: string | null;
  limit: number;
  cursor: string | null;
}

/** Records of one release with neighboring ordinals. */
export interface Segment {
  releaseId: number;
  first: number;
  count: number;
}

/** Where a page starts. */
export interface PageStart {
  release: Release;
  ordinal: number;
}

/** The first record of the requested page; undefined if there is none. @param takesOver whether the balance may use the cursors of another */
export async function findStart(
  { countyFips, cursor }: PageRequest,
  published: PublishedReleases,
  catalogue: ReleaseCatalogue,
  cursors: Cursors,
  balanceId: string,
  takesOver: (owner: string) => Promise<boolean>,
): Promise<PageStart | undefined> {
  if (cursor === null) {
    const release = countyFips === null ? published.after('')[0] : published.ofCounty(countyFips);
    return release && { release, ordinal: 1 };
  }
  const position = cursors.read(cursor);
  if (!position) throw badCursor('is not one that a Link header gave');
  const { releaseId, ordinal, owner } = position;
  if (owner !== ownerOf(balanceId) && !(await takesOver(owner)))
    throw badCursor(
      'belongs to another balance: only tokens that share its credits, and paid ones of its account, can use it. Start again without it',
    );
  const release = published.withId(releaseId) ?? (await catalogue.findSuperseded(releaseId));
  if (!release) throw badCursor('has expired: the county has been loaded again or withdrawn since. Start again without it');
  if (countyFips !== null && release.countyFips !== countyFips) throw badCursor(`does not belong to county_fips ${countyFips}`);
  return { release, ordinal };
}

/** The records of the requested page, computed from the catalogue without a query. */
export function segmentsFrom(start: PageStart | undefined, { countyFips, limit }: PageRequest, published: PublishedReleases): Segment[] {
  if (!start) return [];
  const segments: Segment[] = [];
  let left = limit;
  let { ordinal } = start;
  for (const release of [start.release, ...(countyFips === null ? published.after(start.release.countyFips) : [])]) {
    const count = Math.min(left, release.records - ordinal + 1);
    segments.push({ releaseId: release.id, first: ordinal, count });
    left -= count;
    if (left === 0) break;
    ordinal = 1;
  }
  return segments;
}

/** Where the next page starts; null at the end. It names the release, so a reload in between changes nothing. */
export function startAfter(
  segments: Segment[],
  start: PageStart | undefined,
  countyFips: string | null,
  published: PublishedReleases,
): PageStart | null {
  const last = segments.at(-1);
  const release = last && (last.releaseId === start?.release.id ? start.release : published.withId(last.releaseId));
  if (!last || !release) return null;
  const next = last.first + last.count;
  if (next <= release.records) return { release, ordinal: next };
  const following = countyFips === null ? published.after(release.countyFips)[0] : undefined;
  return following ? { release: following, ordinal: 1 } : null;
}

/** A header of more would be too large for some proxies. */
const maxListed = 100;

/** The digests of the contents of a page's records, as the release keeps them. */
export class PageDigests {
  private tag: Buffer | null = null;

  /** @param bytes the digests one after the other */
  constructor(readonly bytes: Buffer) {}

  /**
   * The tag and digests that an account is shown: equal for equal records, on every server and in every release, but keyed, so that nobody
   * finds the content of a record that they did not buy by trying. The tag is weak, because the metering beside the records changes, and
   * what all records of a load share; the list has commas between the digests, and is null for many.
   */
  shownTo(accountId: string, keys: DigestKeys): { entityTag: string; list: string | null } {
    const { bytes } = this;
    if (bytes.length === 0) return { entityTag: 'W/"none"', list: null };
    this.tag ??= hash('sha256', bytes, 'buffer').subarray(0, contentBytes);
    const cipher = keys(accountId);
    return {
      entityTag: `W/"${cipher.update(this.tag).toString('base64url')}"`,
      list: bytes.length > maxListed * contentBytes ? null : listed(cipher.update(bytes)),
    };
  }
}

/**
 * Ciphers for digests, one per account. Each digest is a block of AES, so equal ones stay equal and it costs 15 µs for a hundred; an HMAC of
 * each took 300. The key is in the database and never changes: with another one every record would look changed.
 */
export type DigestKeys = (accountId: string) => Cipher;

export async function openDigestKeys(pool: Pool): Promise<DigestKeys> {
  const { rows } = await pool.query<{ key: Buffer }>('select key from digest_key');
  const keyOf = (accountId: string) => createHmac('sha256', rows[0]!.key).update(accountId).digest().subarray(0, contentBytes);
  const ciphers = new LRUCache<string, Cipher>({
    max: 10_000,
    memoMethod: (accountId) => createCipheriv('aes-128-ecb', keyOf(accountId), null).setAutoPadding(false),
  });
  return (accountId) => ciphers.memo(accountId);
}

function listed(digests: Buffer): string {
  const texts: string[] = [];
  for (let at = 0; at < digests.length; at += contentBytes) texts.push(digests.toString('base64url', at, at + contentBytes));
  return texts.join(',');
}

/** Whether an `If-None-Match` header names this tag. */
export const matchesTag = (ifNoneMatch: string, tag: string): boolean =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag.slice(2));

export const countOf = (segments: Segment[]): number => segments.reduce((sum, { count }) => sum + count, 0);

export const flatten = (segments: Segment[]): number[] => segments.flatMap(({ releaseId, first, count }) => [releaseId, first, count]);

export function unflatten(triples: number[]): Segment[] {
  const segments: Segment[] = [];
  for (let i = 0; i < triples.length; i += 3) segments.push({ releaseId: triples[i]!, first: triples[i + 1]!, count: triples[i + 2]! });
  return segments;
}

/** The segments of `limit` records after the first `offset`. */
export function sliceSegments(segments: Segment[], offset: number, limit: number): Segment[] {
  const kept: Segment[] = [];
  let [skip, left] = [offset, limit];
  for (const { releaseId, first, count } of segments) {
    const skipped = Math.min(skip, count);
    const taken = Math.min(left, count - skipped);
    if (taken > 0) kept.push({ releaseId, first: first + skipped, count: taken });
    skip -= skipped;
    left -= taken;
  }
  return kept;
}

const badCursor = (fault: string) => invalidRequest([{ parameter: 'cursor', message: fault }]);
