import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile';
import type { Polygon } from 'geojson';
import { PbfReader } from 'pbf';
import { startApp, type TestApp } from '../harness/app.js';
import { runCommand } from '../harness/command.js';
import { eventually } from '../harness/eventually.js';
import { cutMap, describeMap, findMaps, loadSquares, type MapOfCounty } from '../harness/parcel-maps.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';
import { collection, feature, scratch, square } from '../loader/files.js';

const middlesex = '25017';
const suffolk = '25025';
const shapes = 120;
const deepest = 15;

let app: TestApp;
let reader: Person;
beforeAll(async () => {
  app = await startApp();
  reader = await app.signUp();
});

const numbers = (count: number) => Array.from({ length: count }, (_, i) => `${i}-${i % 7}`);

const load = (county: string, apns: (string | null)[], from?: number) => loadSquares(app, county, apns, from);
const describeCounty = (county: string) => describeMap(app, county);
const cut = (county: string) => cutMap(app, county);

const tilePath = (county: string, release: number, z: number, x: number, y: number) =>
  `/page-data/parcel-tiles/${county}/${release}/${z}/${x}/${y}`;

const getTile = (path: string, headers: Record<string, string> = {}) =>
  fetch(app.url + path, { headers: { cookie: reader.cookie, ...headers } });

async function featuresOf(path: string): Promise<VectorTileFeature[]> {
  const response = await getTile(path);
  if (response.status === 204) return [];
  expect(response.status).toBe(200);
  const { layers } = new VectorTile(new PbfReader(new Uint8Array(await response.arrayBuffer())));
  return Object.values(layers).flatMap((layer) => Array.from({ length: layer.length }, (_, i) => layer.feature(i)));
}

/** The tiles of a zoom that cover a map. */
function tilesOver({ bounds, releaseId }: MapOfCounty, county: string, z: number): string[] {
  const [west, south, east, north] = bounds!;
  const column = (longitude: number) => Math.floor((longitude / 360 + 0.5) * 2 ** z);
  const row = (latitude: number) => Math.floor((0.5 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / (2 * Math.PI)) * 2 ** z);
  const paths: string[] = [];
  for (let x = column(west); x <= column(east); x++) {
    for (let y = row(north); y <= row(south); y++) paths.push(tilePath(county, releaseId, z, x, y));
  }
  return paths;
}

const allFeatures = async (map: MapOfCounty, county: string, z: number) =>
  (await Promise.all(tilesOver(map, county, z).map(featuresOf))).flat();

describe('the parcel map of a county', () => {
  it('has every parcel with a shape in its deepest tiles, with its number alone', async () => {
    await load(middlesex, [...numbers(shapes), null]);
    await load(suffolk, ['elsewhere'], 400);
    const map = await cut(middlesex);
    expect(map).toMatchObject({ shapes: shapes + 1, records: shapes + 1 });
    const features = await allFeatures(map, middlesex, deepest);
    expect(new Set(features.map(({ properties }) => properties.apn))).toEqual(new Set([...numbers(shapes), undefined]));
    expect(new Set(features.flatMap(({ properties, id }) => [...Object.keys(properties), id]))).toEqual(new Set(['apn', undefined]));
  });

  it('has them even if their corners are too many to be held at once', async () => {
    const circle = (at: number): Polygon => {
      const [longitude, latitude] = square(at).coordinates[0]![0]!;
      const ring = Array.from({ length: 1001 }, (_, i) => (2 * Math.PI * (i % 1000)) / 1000).map((a) => [
        longitude! + Math.cos(a) / 5000,
        latitude! + Math.sin(a) / 5000,
      ]);
      return { type: 'Polygon', coordinates: [ring] };
    };
    await loadSquares(app, '25021', numbers(shapes), 0, circle);
    const features = await allFeatures(await cut('25021'), '25021', deepest);
    expect(new Set(features.map(({ properties }) => properties.apn))).toEqual(new Set(numbers(shapes)));
  });

  it('has each shape where the county has it, to half a meter', async () => {
    const map = await describeCounty(middlesex);
    const wanted = square(7).coordinates[0]!;
    const paths = tilesOver({ ...map, bounds: [wanted[0]![0]!, wanted[0]![1]!, wanted[0]![0]!, wanted[0]![1]!] }, middlesex, deepest);
    const [tileX, tileY] = paths[0]!.split('/').slice(-2).map(Number);
    const found = (await featuresOf(paths[0]!)).find(({ properties }) => properties.apn === numbers(shapes)[7])!;
    const { geometry } = found.toGeoJSON(tileX!, tileY!, deepest);
    const corners = (geometry as Polygon).coordinates[0]!;
    const off = wanted.map(([longitude, latitude]) =>
      Math.min(...corners.map(([east, north]) => Math.hypot(east! - longitude!, north! - latitude!))),
    );
    expect(Math.max(...off)).toBeLessThan(0.5 / 111_320);
  });

  it('shows parcels that are too small for a zoom as squares without a number, so that no part of the map is blank', async () => {
    const map = await describeCounty(middlesex);
    const features = await allFeatures(map, middlesex, 8);
    expect(features.length).toBeGreaterThan(0);
    expect(features.flatMap(({ properties }) => Object.keys(properties))).toEqual([]);
  });

  it('is coarse and without numbers for strangers: to zoom 13, each corner on a grid of five meters or more', async () => {
    const map = await describeCounty(middlesex);
    expect(map).toMatchObject({ maxZoom: 13 });
    expect((await reader.get(`/page-data/parcel-tiles/${middlesex}`)).json).toMatchObject({ maxZoom: 15 });
    const features = await allFeatures(map, middlesex, 13);
    expect(features.length).toBeGreaterThan(0);
    expect(features.flatMap(({ properties }) => Object.keys(properties))).toEqual([]);
    const corners = features.flatMap((feature) => feature.loadGeometry().flat());
    const metersOfUnit = (40_075_017 * Math.cos((42.4 * Math.PI) / 180)) / 2 ** 13 / 4096;
    const units = 2 ** Math.ceil(Math.log2(5 / metersOfUnit));
    expect(units * metersOfUnit).toBeGreaterThanOrEqual(5);
    expect(corners.filter(({ x, y }) => x % units !== 0 || y % units !== 0)).toEqual([]);
    for (const path of tilesOver(map, middlesex, 14)) expect((await getTile(path, { cookie: '' })).status).toBe(401);
    for (const path of tilesOver(map, middlesex, 13)) expect((await getTile(path, { cookie: '' })).status).toBe(200);
  });

  it('is exact for a session at a limited rate: ten tiles a second after 800, without delaying anybody else', async () => {
    const other = await startApp({}, app);
    const { releaseId } = await describeCounty(middlesex);
    const greedy = (await app.signUp()).at(other.url);
    const ask = (who: Person) => who.get(tilePath(middlesex, releaseId, deepest, 0, 0));
    const statuses = new Set<number>();
    for (let round = 0; round < 26; round++) {
      for (const { status } of await Promise.all(Array.from({ length: 50 }, () => ask(greedy)))) statuses.add(status);
    }
    expect(statuses).toEqual(new Set([204, 429]));
    expect((await ask(reader.at(other.url))).status).toBe(204);
    await other.close();
  });

  it('is the same on another server of the database', async () => {
    const other = await startApp({}, app);
    const [path] = tilesOver(await describeCounty(middlesex), middlesex, 12);
    const [ours, theirs] = await Promise.all([app.url, other.url].map(async (url) => (await fetch(url + path)).arrayBuffer()));
    expect(theirs!.byteLength).toBeGreaterThan(0);
    expect(Buffer.from(theirs!).equals(Buffer.from(ours!))).toBe(true);
    await other.close();
  });

  it('may be cached forever, and is revalidated by its tag', async () => {
    const [path] = tilesOver(await describeCounty(middlesex), middlesex, 12);
    const { headers } = await getTile(path!, { 'accept-encoding': 'gzip' });
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect([headers.get('content-encoding'), headers.get('content-type')]).toEqual(['gzip', 'application/vnd.mapbox-vector-tile']);
    expect((await getTile(path!, { 'if-none-match': headers.get('etag')! })).status).toBe(304);
    const plain = await getTile(path!, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect((await plain.arrayBuffer()).byteLength).toBe(Number(plain.headers.get('content-length')));
  });

  it('is empty rather than missing where the county has no parcel', async () => {
    const { releaseId } = await describeCounty(middlesex);
    const { status, headers } = await getTile(tilePath(middlesex, releaseId, deepest, 0, 0));
    expect([status, headers.get('cache-control')]).toEqual([204, 'private, max-age=31536000, immutable']);
  });

  it.each(['x', '-1', '1.5', '9999999999', '01', ''])('is 404 at an invalid place: %p', async (y) => {
    const { releaseId } = await describeCounty(middlesex);
    expect((await app.get(`/page-data/parcel-tiles/${middlesex}/${releaseId}/12/1/${y}`)).status).toBe(404);
  });

  it('is not found under another county, of an unknown release, or of a county without records', async () => {
    const { releaseId } = await describeCounty(middlesex);
    expect((await app.get(tilePath(suffolk, releaseId, 12, 1, 1))).status).toBe(404);
    expect((await app.get(tilePath(middlesex, 999_999, 12, 1, 1))).status).toBe(404);
    expect((await app.get('/page-data/parcel-tiles/01001')).status).toBe(404);
    expect((await app.get('/page-data/parcel-tiles/00000')).status).toBe(404);
  });

  it('says that no record has a shape', async () => {
    await publishRecords(app.db, '25003', 5);
    expect(await cut('25003')).toMatchObject({ shapes: 0, records: 5, bounds: null });
  });

  it('that cannot be cut delays no other: its job is given up and names the county, and its page says that there is none', async () => {
    const [broken, sound] = ['25007', '25009'];
    for (const county of [broken, sound]) await load(county, ['1', '2']);
    const { releaseId } = await describeCounty(broken);
    await app.db.query(`update parcel set record = '{' where release_id = $1`, [releaseId]);
    expect(await cut(sound)).toMatchObject({ shapes: 2, isGivenUp: false });
    const jobs = () =>
      app.db.query<{ id: string; attempts: number; error: string | null }>(
        `select id, attempts, last_error as error from graphile_worker.jobs where task_identifier = 'cut-map' and locked_at is null`,
      );
    await eventually('it failed once', async () => (await jobs()).some(({ error }) => error !== null));
    expect(await describeCounty(broken)).toMatchObject({ shapes: null, isGivenUp: false });
    const { id } = (await jobs())[0]!;
    await app.db.query('select from graphile_worker.reschedule_jobs(array[$1::bigint], run_at => now(), attempts => 4)', [id]);
    await eventually('it is given up', async () => (await describeCounty(broken)).isGivenUp);
    await findMaps(app);
    await cut(suffolk);
    expect(await jobs()).toEqual([
      { id, attempts: 5, error: expect.stringMatching(/^The map of Dukes County, MA \(25007\) could not be cut: /) },
    ]);
  });

  it('is cut at once by the process that loads', async () => {
    const file = await (await scratch()).write('parcels.geojson', collection([feature({ APN: 'A' }, square(1))]));
    await runCommand(app, 'load', '--county', '25011', '--force', file);
    expect(await describeCounty('25011')).toMatchObject({ shapes: 1 });
  });

  it('has new addresses with the next release, and the earlier ones end', async () => {
    const before = await describeCounty(middlesex);
    await load(middlesex, ['new-1', 'new-2']);
    expect(await describeCounty(middlesex)).toMatchObject({ shapes: null, bounds: null });
    const map = await cut(middlesex);
    expect(map.releaseId).toBeGreaterThan(before.releaseId);
    const features = await allFeatures(map, middlesex, deepest);
    expect(new Set(features.map(({ properties }) => properties.apn))).toEqual(new Set(['new-1', 'new-2']));
    const [path] = tilesOver(before, middlesex, 12);
    expect((await app.get(path!)).status).toBe(404);
  });

  it('disappears as soon as its county is withdrawn, and its tiles with the records of their release', async () => {
    const map = await describeCounty(middlesex);
    const [path] = tilesOver(map, middlesex, 12);
    expect((await getTile(path!)).status).toBe(200);
    await app.db.query(
      `update county set status = 'planned', current_release_id = null, parcel_count = 0, loaded_at = null where fips = $1`,
      [middlesex],
    );
    expect((await getTile(path!)).status).toBe(404);
    expect((await app.get(`/page-data/parcel-tiles/${middlesex}`)).status).toBe(404);
    await app.db.query(`update parcel_release set state = 'pruned' where id = $1`, [map.releaseId]);
    await load(middlesex, ['again']);
    await cut(middlesex);
    // The run that cut the new map may have looked for pruned releases before this one was: the next run drops its tiles.
    await eventually('the tiles of the pruned release are gone', async () => {
      const left = await app.db.query('select from parcel_tile where release_id = $1', [map.releaseId]);
      return left.length === 0;
    });
  });
});
