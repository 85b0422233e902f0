import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { refusal } from '../../core/errors.js';
import { projectFile } from '../../core/project-files.js';
import type { CountySource, SourceProtocol } from './fetching/county-source.js';

/** An operator's statement of a county's source. */
export interface StatedSource {
  sourceUrl?: string;
  protocol?: SourceProtocol;
}

export interface KnownSource extends CountySource {
  /** Who says so. */
  from: 'operator' | 'profile' | 'catalogue';
  /** Terms and name of the publisher, as far as the catalogue has them. */
  license?: string;
  source?: string;
}

/**
 * Where a county's data is fetched from: as the operator says, else as its profile does, else as the catalogue does.
 * @throws AppError if nothing is known, or only an address that cannot be fetched from
 */
export async function requireSource(
  fips: string,
  part: string | null,
  stated: StatedSource,
  profile: StatedSource | null,
): Promise<KnownSource> {
  const known = await findSource(fips, part, profile);
  const url = stated.sourceUrl ?? known?.url;
  if (url === undefined) throw refusal(`No source is known for ${fips}. Name a file, or an address with --source-url.`);
  if (!/^https?:/.test(url))
    throw refusal(`${url} cannot be fetched: only http and https are supported. Fetch it yourself and name the file.`);
  if (url === known?.url) return { ...known, ...(stated.protocol && { protocol: stated.protocol }) };
  return { url, protocol: stated.protocol ?? protocolOf(url), from: 'operator' };
}

/** As the profile or the catalogue has it. Its address may be one that cannot be fetched from. */
export async function findSource(fips: string, part: string | null, profile: StatedSource | null): Promise<KnownSource | null> {
  if (profile?.sourceUrl) return { url: profile.sourceUrl, protocol: profile.protocol ?? protocolOf(profile.sourceUrl), from: 'profile' };
  const listed = part === null ? (await sourceCatalogue()).get(fips) : undefined;
  if (!listed) return null;
  const { url, protocol, license, attribution } = listed;
  return {
    url,
    protocol: protocol === 'arcgis' ? protocol : 'http',
    from: 'catalogue',
    ...(license && { license }),
    ...(attribution && { source: attribution }),
  };
}

/** A layer of an ArcGIS server is known by its address. */
const protocolOf = (url: string): SourceProtocol => (/\/(?:map|feature)server(?:\/|$)/i.test(new URL(url).pathname) ? 'arcgis' : 'http');

/** A parcel layer of a whole county that OpenAddresses lists. Nobody has checked that it still answers. */
interface CatalogueSource {
  fips: string;
  protocol: 'arcgis' | 'http' | 'ftp';
  url: string;
  /** Empty: unknown. */
  license: string;
  attribution: string;
}

export const catalogueFile = projectFile('src/loader/sources/county-sources.csv');

let read: Promise<Map<string, CatalogueSource>> | undefined;

/** The sources that OpenAddresses lists, by county. */
const sourceCatalogue = (): Promise<Map<string, CatalogueSource>> =>
  (read ??= readFile(catalogueFile).then((file) => {
    const rows: CatalogueSource[] = parse(file, { columns: true });
    return new Map(rows.map((row) => [row.fips, row]));
  }));
