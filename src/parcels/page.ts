import { AppError } from '../errors.js';
import type { Release, ReleaseCatalogue } from './release-catalogue.js';

/** What somebody asks for; `cursor` continues an earlier page. */
export interface PageRequest {
  countyFips: string | null;
  limit: number;
  cursor: string | null;
}

/** Records of one release with neighbouring ordinals. */
export interface Segment {
  releaseId: number;
  first: number;
  count: number;
}

/** Which records a request means, by arithmetic alone: nothing is read for it. */
export function resolvePage(catalogue: ReleaseCatalogue, { countyFips, limit, cursor }: PageRequest): Segment[] {
  const start = cursor === null ? firstOf(catalogue, countyFips) : parseCursor(catalogue, cursor, countyFips);
  const segments: Segment[] = [];
  let left = limit;
  let ordinal = start?.ordinal ?? 1;
  for (const release of releasesFrom(catalogue, start?.release, countyFips)) {
    const count = Math.min(left, release.records - ordinal + 1);
    if (count > 0) segments.push({ releaseId: release.id, first: ordinal, count });
    left -= Math.max(count, 0);
    if (left === 0) break;
    ordinal = 1;
  }
  return segments;
}

/** Where the page after these records starts; null if there is none. It names the release, so a reload in between changes nothing. */
export function nextCursor(catalogue: ReleaseCatalogue, segments: Segment[], countyFips: string | null): string | null {
  const last = segments.at(-1);
  const release = last && catalogue.readableRelease(last.releaseId);
  if (!last || !release) return null;
  const next = last.first + last.count;
  if (next <= release.records) return formatCursor(release.id, next);
  const following = countyFips === null ? catalogue.currentAfter(release.countyFips)[0] : undefined;
  return following ? formatCursor(following.id, 1) : null;
}

/** The same records have the same tag, on every server and after every restart. Weak: the metering beside them changes. */
export const entityTag = (segments: Segment[]): string =>
  `W/"${segments.map(({ releaseId, first, count }) => `${releaseId}.${first}-${first + count - 1}`).join('_') || 'none'}"`;

/** Whether an `If-None-Match` header names this tag. */
export const matchesTag = (ifNoneMatch: string, tag: string): boolean =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag.slice(2));

export const flatten = (segments: Segment[]): number[] => segments.flatMap(({ releaseId, first, count }) => [releaseId, first, count]);

export function unflatten(triples: number[]): Segment[] {
  const segments: Segment[] = [];
  for (let i = 0; i < triples.length; i += 3) segments.push({ releaseId: triples[i]!, first: triples[i + 1]!, count: triples[i + 2]! });
  return segments;
}

interface Start {
  release: Release;
  ordinal: number;
}

function firstOf(catalogue: ReleaseCatalogue, countyFips: string | null): Start | undefined {
  const release = countyFips === null ? catalogue.currentAfter('')[0] : catalogue.currentReleaseOf(countyFips);
  return release && { release, ordinal: 1 };
}

function* releasesFrom(catalogue: ReleaseCatalogue, start: Release | undefined, countyFips: string | null): Iterable<Release> {
  if (!start) return;
  yield start;
  if (countyFips === null) yield* catalogue.currentAfter(start.countyFips);
}

const formatCursor = (releaseId: number, ordinal: number): string => Buffer.from(`${releaseId}.${ordinal}`).toString('base64url');

function parseCursor(catalogue: ReleaseCatalogue, cursor: string, countyFips: string | null): Start {
  const match = /^(\d{1,9})\.(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match || formatCursor(Number(match[1]), Number(match[2])) !== cursor) refuseCursor('is not one that a Link header gave');
  const release = catalogue.readableRelease(Number(match[1]));
  const ordinal = Number(match[2]);
  if (!release) refuseCursor('has expired: the county was loaded anew since. Start again without it');
  if (ordinal < 1 || ordinal > release.records) refuseCursor('is not one that a Link header gave');
  if (countyFips !== null && release.countyFips !== countyFips) refuseCursor(`does not belong to county_fips ${countyFips}`);
  return { release, ordinal };
}

function refuseCursor(fault: string): never {
  throw new AppError('invalid_request', `cursor ${fault}.`, { details: [{ parameter: 'cursor', message: fault }] });
}
