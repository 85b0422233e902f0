import type { OpenApi } from '../docs/openapi.js';
import { formatArea } from './format.js';
import type { CityPageQuery, CountyPageQuery, HomePageQuery, StatePageQuery, ZipPageQuery } from './graphql/operations.js';
import { type Answer, useRemote } from './hooks/use-remote.js';
import { tryAgainMessage } from './shell/connection.js';

/** The statuses of a county. */
export const countyStatuses = ['loaded', 'loading', 'planned', 'unavailable'] as const;

export type CountyStatus = (typeof countyStatuses)[number];

/** How the map and the lists show a county. Sample records do not count as coverage; of a partial county, most is missing. */
export type CoverageKind = CountyStatus | 'partial' | 'sample';

export const coverageKinds = ['loaded', 'partial', 'loading', 'planned', 'unavailable', 'sample'] as const;

export type StartedCounty = HomePageQuery['startedCounties'][number];

export type CountyPageData = CountyPageQuery;

export const kindOf = (county: { status: string; isSample: boolean; isPartial: boolean } | undefined): CoverageKind =>
  county?.isSample ? 'sample' : county?.isPartial ? 'partial' : ((county?.status ?? 'planned') as CountyStatus);

/** Which share of a partial county can be bought: `Cambridge, Somerville, 3% of its area`; undefined for any other county. */
export function extentOf({ isPartial, areaShare, partNames }: Partial<Extent>): string | undefined {
  if (!isPartial) return undefined;
  const area = areaShare == null ? 'part of the county' : `${formatArea(areaShare)}${areaShare === 0 ? '' : ' of its area'}`;
  return partNames ? `${formatParts(partNames)}, ${area}` : area;
}

type Extent = Pick<StartedCounty, 'isPartial' | 'areaShare' | 'partNames'>;

/** Names of parts are stored in lower case. */
export const formatParts = (names: string[]): string => names.map(inCapitals).join(', ');

/** Each word with a capital letter. */
export const inCapitals = (name: string): string => name.replace(/(^|[ -])\p{L}/gu, (letter) => letter.toUpperCase());

/** The server's answer at a path. The server renders a page from the same answers, so a rendered page needs no other. */
export const useJson = <T>(path: string): Answer<T> => useRemote(path, (signal) => getJson<T>(path, signal));

export const useHomePage = () => useJson<HomePageQuery>('/page-data/home');
export const useStatePage = (state: string) => useJson<StatePageQuery>(`/page-data/states/${encodeURIComponent(state)}`);
export const useCountyPage = (fips: string) => useJson<CountyPageQuery>(`/page-data/counties/${fips}`);
export const useContract = () => useJson<OpenApi>('/openapi.json');
export const useProofs = () => useJson<Proofs>('/page-data/proofs');

export const fetchCountyPage = (fips: string) => getJson<CountyPageQuery>(`/page-data/counties/${fips}`);

export const fetchCity = (name: string, signal: AbortSignal) =>
  getJson<CityPageQuery>(`/page-data/cities/${encodeURIComponent(name)}`, signal);

export const fetchZip = (zip: string, signal: AbortSignal) => getJson<ZipPageQuery>(`/page-data/zips/${zip}`, signal);

/** The newest checkpoint of the log, a signed note, and the key that signed it; null: none was signed yet. */
interface Proofs {
  checkpoint: string | null;
  key: string | null;
}

export const fetchProofs = () => getJson<Proofs>('/page-data/proofs');

/** The server answered 404. */
export class NotFoundError extends Error {}

/**
 * @param coverage the version of coverage that is wanted; default: the newest
 * @throws Error in words for users
 */
export async function getJson<T>(path: string, signal?: AbortSignal, coverage?: string): Promise<T> {
  const response = await fetch(path, { ...(signal && { signal }), headers: { accept: 'application/json' } }).catch(() => undefined);
  if (response?.status === 404) throw new NotFoundError('There is no such page.');
  const failure = new Error(tryAgainMessage);
  if (!response?.ok || (coverage && coverage !== (response.headers.get('Coverage-Version') ?? coverage))) throw failure;
  return response.json().catch(() => {
    throw failure;
  });
}

/** The parcel map of a county's current release, whose tiles `/page-data/parcel-tiles` has. */
export interface CountyMap {
  releaseId: number;
  /** How many of its records have a shape; null: the map is not drawn yet. */
  shapes: number | null;
  /** Whether it could not be cut, so that there will be none. */
  isGivenUp: boolean;
  records: number;
  /** West, south, east, north; null without shapes. */
  bounds: [number, number, number, number] | null;
  /** The deepest zoom whose tiles the reader may have. */
  maxZoom: number;
}

const countyMapPath = (fips: string) => `/page-data/parcel-tiles/${fips}`;

/** @throws NotFoundError for a county without records */
export const fetchCountyMap = (fips: string, signal: AbortSignal) => getJson<CountyMap>(countyMapPath(fips), signal);

export const useCountyMap = (fips: string) => useJson<CountyMap>(countyMapPath(fips));
