/** The public REST paths that the public pages use, with the fields they need. */
export const countyStatuses = ['loaded', 'loading', 'planned', 'unavailable'] as const;

export type CountyStatus = (typeof countyStatuses)[number];

type StatusCounts = Record<CountyStatus, number>;

export interface Coverage {
  totals: { counties: number; parcels: number; by_status: StatusCounts };
  states: { state: string; counties: number; parcels: number; by_status: StatusCounts }[];
}

export interface County {
  fips: string;
  name: string;
  state: string;
  status: CountyStatus;
  parcel_count: number;
  source_date: string | null;
  loaded_at: string | null;
}

export async function fetchCoverage(signal: AbortSignal): Promise<Coverage> {
  return getJson<Coverage>('/api/coverage', signal);
}

export async function fetchStateCounties(state: string, signal: AbortSignal): Promise<County[]> {
  return fetchCounties({ state }, signal);
}

/** All counties that are not `planned`. The map shows those that are missing here as planned. */
export async function fetchStartedCounties(signal: AbortSignal): Promise<County[]> {
  const started = countyStatuses.filter((status) => status !== 'planned');
  return (await Promise.all(started.map((status) => fetchCounties({ status }, signal)))).flat();
}

const maxPageSize = 1000;

async function fetchCounties(filter: Record<string, string>, signal: AbortSignal): Promise<County[]> {
  const found: County[] = [];
  for (let total = 1; found.length < total; ) {
    const query = new URLSearchParams({ ...filter, limit: String(maxPageSize), offset: String(found.length) });
    const page = await getJson<{ counties: County[]; total: number }>(`/api/counties?${query}`, signal);
    if (page.counties.length === 0) break;
    found.push(...page.counties);
    total = page.total;
  }
  return found;
}

export async function getJson<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, { signal, headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return (await response.json()) as T;
}
