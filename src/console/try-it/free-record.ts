import { fetchCountyPage, getJson, NotFoundError } from '../public-api.js';

export interface LoadedCounty {
  fips: string;
  name: string;
  state: string;
}

/** A record that everybody may see. */
export interface FreeRecord {
  record: object;
  /** Fields that may name a person, which only the API returns. */
  heldBack: string[];
  county: string;
  isInvented: boolean;
}

/** The counties with records, at most 1,000, by FIPS code. */
export const fetchLoadedCounties = async (signal: AbortSignal): Promise<LoadedCounty[]> =>
  (await getJson<{ counties: LoadedCounty[] }>('/api/counties?status=loaded&limit=1000', signal)).counties;

/** The free record of a county. @throws Error in words if there is none */
export async function fetchFreeRecord(fips: string): Promise<FreeRecord> {
  const { county, sampleRecord } = await fetchCountyPage(fips, new AbortController().signal).catch((error: Error) => {
    if (error instanceof NotFoundError) throw new Error(`There is no county ${fips}. A FIPS code has five digits, such as 48301.`);
    throw new Error('No answer came. Check your connection, then send it again.', { cause: error });
  });
  const name = `${county.name}, ${county.state}`;
  if (!sampleRecord) throw new Error(`${name} has no records yet. Choose a county that has some.`);
  return { record: sampleRecord.record as object, heldBack: sampleRecord.heldBack, county: name, isInvented: county.isSample };
}
