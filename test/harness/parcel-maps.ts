import type { Polygon } from 'geojson';
import { loadCounty } from '../../src/loader/load-county.js';
import { collection, feature, scratch, square } from '../loader/files.js';
import type { TestApp } from './app.js';
import { eventually } from './eventually.js';

/** The answer of `/page-data/parcel-tiles/:fips`. */
export interface MapOfCounty {
  releaseId: number;
  shapes: number | null;
  isGivenUp: boolean;
  records: number;
  bounds: [number, number, number, number] | null;
}

/** Publishes parcels of these numbers, with an owner each, in rows of fifty that begin at a place. */
export async function loadSquares(
  app: TestApp,
  county: string,
  apns: (string | null)[],
  from = 0,
  shape: (at: number) => Polygon = square,
): Promise<void> {
  const features = apns.map((APN, i) => feature({ APN, OWNER: `OWNER ${i}` }, shape(from + i)));
  const files = await scratch();
  await loadCounty({
    database: app.database,
    county,
    files: [await files.write('parcels.geojson', collection(features))],
    options: { force: true, profile: false, republish: true, accept: ['loss', 'ids', 'places', 'spread', 'values', 'empty'] },
  });
}

export const describeMap = async (app: TestApp, county: string): Promise<MapOfCounty> =>
  (await app.get(`/page-data/parcel-tiles/${county}`)).json;

/** Runs the job, which is scheduled every minute, that finds releases without a map. */
export const findMaps = (app: TestApp): Promise<unknown> =>
  app.db.query(`select from graphile_worker.add_job('cut-parcel-tiles', '{}', queue_name => 'cut-parcel-tiles')`);

/** Has maps cut until the map of the county's current release is there. */
export async function cutMap(app: TestApp, county: string): Promise<MapOfCounty> {
  await findMaps(app);
  await eventually('the map is cut', async () => (await describeMap(app, county)).shapes !== null);
  return describeMap(app, county);
}
