import { currentCode } from '../counties/county-codes.js';
import type { Database } from '../database/database.js';
import { connectAlone } from '../database/service-client.js';
import { partName } from '../releases/catalogue/parts.js';
import { findCounty } from '../releases/lifecycle/county-lock.js';
import type { LoadOptions } from './plan/load-options.js';
import { findProfile } from './profile/profile.store.js';
import { type FetchRequest, withFetched } from './sources/fetch-county.js';
import { type KnownSource, requireSource } from './sources/known-source.js';

export interface SourceRequest extends Omit<FetchRequest, 'now'> {
  database: Pick<Database, 'url'>;
  county: string;
  options: LoadOptions;
  /** Called before the first request to the source. */
  onSource?(source: KnownSource): void;
}

/**
 * Fetches a county's data from its own service, and does the work with the file and the options of a load from it.
 * @throws AppError if no source is known, if it cannot be fetched, or if another process is fetching it
 */
export async function withSource<Result>(
  { database, county, options: stated, onSource, ...request }: SourceRequest,
  work: (files: string[], options: LoadOptions) => Promise<Result>,
): Promise<Result> {
  const fips = currentCode(county, stated.force ?? false);
  const part = stated.part === undefined ? null : partName(stated.part);
  const { source, now } = await lookUp(database, fips, part, stated);
  onSource?.(source);
  const { url, protocol, license, source: publisher } = source;
  return withFetched(part === null ? fips : `${fips}-${part}`, source, { ...request, now }, ({ path, at, ...fetched }) => {
    const { notes, records, bytes, sha256, sourceDate, etag } = fetched;
    return work([path], {
      ...(sourceDate && { sourceDate }),
      ...(license && { license }),
      ...(publisher && { source: publisher }),
      ...stated,
      sourceUrl: url,
      protocol,
      fetched: { url, at, records, bytes, sha256, sourceDate, etag, notes },
    });
  });
}

async function lookUp(database: Pick<Database, 'url'>, fips: string, part: string | null, stated: LoadOptions) {
  await using db = await connectAlone(database.url, 'load');
  await findCounty(db, fips);
  const profile = await findProfile(db, fips, part, stated);
  const known = await requireSource(fips, part, stated, profile?.body ?? null);
  const { license = known.license, source = known.source } = profile?.body ?? {};
  const { rows } = await db.query<{ now: Date }>('select service_now() as now');
  return { source: { ...known, license, source }, now: rows[0]!.now.toISOString() };
}
