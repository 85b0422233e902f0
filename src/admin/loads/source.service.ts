import type { Pool } from 'pg';
import { findProfile } from '../../loader/profile/profile.store.js';
import { checkSource, type FetchOptions } from '../../loader/sources/fetching/county-source.js';
import { findSource, type KnownSource, requireSource } from '../../loader/sources/known-source.js';
import { partName } from '../../releases/catalogue/parts.js';
import { findCounty } from '../../releases/lifecycle/county-lock.js';
import type { CheckSourceArgs, CountySource, SourceState } from './county-source.js';
import type { LoadOptionsInput } from './load-job.js';

/** The services that counties' data is fetched from. */
export class SourceService {
  constructor(
    private readonly pool: Pool,
    private readonly fetchOptions: FetchOptions,
  ) {}

  /** Of a county as a whole; null if none is known. */
  async find(fips: string): Promise<CountySource | null> {
    return findSource(fips, null, (await findProfile(this.pool, fips, null))?.body ?? null);
  }

  /** @throws AppError if no source is known that can be fetched from */
  async require({ countyFips, part, sourceUrl, profile }: LoadOptionsInput): Promise<KnownSource> {
    const name = part ? partName(part) : null;
    const known = profile === false ? null : await findProfile(this.pool, countyFips, name);
    return requireSource(countyFips, name, { ...(sourceUrl && { sourceUrl }) }, known?.body ?? null);
  }

  /** Asks the source. @throws AppError not_found for an unknown county */
  async check({ fips, url }: CheckSourceArgs): Promise<SourceState> {
    await findCounty(this.pool, fips);
    return checkSource(await this.require({ countyFips: fips, sourceUrl: url }), this.fetchOptions);
  }
}
