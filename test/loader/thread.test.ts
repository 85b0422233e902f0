import { join } from 'node:path';
import { BuilderThread } from '../../src/loader/build/builder-thread.js';
import type { RawText } from '../../src/loader/formats/raw-rows.js';
import { type LoadRequest, loadCounty } from '../../src/loader/load-county.js';
import type { ReleaseReport } from '../../src/releases/catalogue/release-report.js';
import { benchCounty, writeCountyFile } from '../bench/county-file.js';
import { writeCountyShapefile } from '../bench/county-shapefile.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { collection, feature, rejectedRows, type Scratch, scratch } from './files.js';

const middlesex = '25017';
const count = 2_400;

let db: TestDatabase;
let files: Scratch;
beforeAll(async () => {
  db = await createTestDatabase();
  files = await scratch();
});

/** What a load made of a file, but for the names of release and file, and for how rows are numbered. */
async function outcome(path: string, county = middlesex, options: LoadRequest['options'] = {}) {
  const accept = ['loss', 'ids', 'places', 'spread', 'values', 'empty'];
  const { releaseId, ...summary } = await loadCounty({
    database: db,
    county,
    files: [path],
    options: { republish: true, profile: false, accept, source: 'County', ...options },
  });
  const records = await db.query(
    `select ordinal, apn, split_part(record, ',"source":', 1) as record from parcel where release_id = $1 order by ordinal`,
    [releaseId],
  );
  const attributes = await db.query('select attributes from parcel_attributes where release_id = $1 order by first_ordinal', [releaseId]);
  const [release] = await db.query<{ report: ReleaseReport }>('select report from parcel_release where id = $1', [releaseId]);
  const { filled, beyondReason, spread } = release!.report;
  const { read, loaded, rejected, withoutApn, withoutGeometry, warnings } = summary;
  const reasons = (await rejectedRows(db, { releaseId })).map(({ reason }) => reason);
  return {
    counts: { read, loaded, rejected, withoutApn, withoutGeometry },
    warnings,
    reasons,
    records,
    attributes,
    filled,
    beyondReason,
    spread,
  };
}

const notes = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`NOTE_${i}`, 'x'.repeat(90)]));

/** In feet of the Massachusetts mainland. Each seventh shares its number with the one before, some share theirs far apart. */
function lot(i: number) {
  const apn = i % 600 === 599 ? 'SHARED' : i % 400 === 3 ? '' : `10-${i % 7 === 6 ? i - 1 : i}`;
  const [x, y] = [725_000 + (i % 100) * 90 + (i % 300 === 5 ? 700_000 : 0), 2_966_000 + Math.floor(i / 100) * 90];
  const corners = [x, y, x + 80, y, x + 80, y + 80, x, y + 80, x, y];
  const ring = Array.from({ length: 5 }, (_, k) => [corners[2 * k]!, corners[2 * k + 1]!]);
  const properties = {
    APN: apn,
    OWNER: `JÓN ${i}`,
    SITUS_ADDRESS: `${i} ELM ST APT ${i % 9}`,
    TAX_YEAR: i % 40 === 0 ? '2950' : '2020',
    KIND: i % 50 === 1 ? 'ROAD' : 'LOT',
  };
  return { properties: { ...properties, ...notes }, ring: i % 400 === 4 ? null : ring };
}

test('a file so large that a thread builds its records is loaded as one whose rows are built one by one', async () => {
  const lots = Array.from({ length: count }, (_, i) => lot(i));
  const features = lots.map(({ properties, ring }) => feature(properties, ring && { type: 'Polygon', coordinates: [ring] }));
  const lines = lots.map(({ properties, ring }) =>
    [...Object.values(properties), ring ? `"POLYGON((${ring.map((position) => position.join(' ')).join(',')}))"` : ''].join(','),
  );
  const options = { crs: 'EPSG:2249', where: ['KIND=LOT'] };
  const table = await files.write(
    'lots.csv',
    `APN,OWNER,SITUS_ADDRESS,TAX_YEAR,KIND,${Object.keys(notes).join(',')},WKT\n${lines.join('\n')}\n`,
  );
  const expected = await outcome(table, middlesex, options);
  expect(expected.counts).toEqual({ read: count - 48, loaded: count - 56, rejected: 8, withoutApn: 6, withoutGeometry: 6 });
  expect(expected.warnings).not.toEqual([]);

  const path = await files.write('lots.geojson', collection(features));
  expect(await outcome(path, middlesex, options)).toEqual(expected);
});

test('a thread says where a collection of features is cut', async () => {
  const features = Array.from({ length: count }, (_, i) => feature(lot(i).properties));
  const path = await files.write('cut.geojson', collection(features).slice(0, -100));
  const message = `The file is cut: it ends within or right after feature ${count}.`;
  await expect(outcome(path)).rejects.toMatchObject({ code: 'invalid_request', message });
});

test('a thread says where a sequence of features is cut', async () => {
  const features = Array.from({ length: count }, (_, i) => `${JSON.stringify(feature(lot(i).properties))}\n`);
  const path = await files.write('cut.ndjson', features.join('').slice(0, -100));
  await expect(outcome(path)).rejects.toMatchObject({ code: 'invalid_request', message: `The file is cut: it ends within line ${count}.` });
});

test('a Shapefile that a thread builds makes the records that a smaller GeoJSON of the same lots makes', async () => {
  const [shapes, features] = [join(files.folder, 'county.shp'), join(files.folder, 'county.geojson')];
  await writeCountyShapefile(shapes, 6_000);
  await writeCountyFile(features, 6_000);
  expect(await outcome(shapes, benchCounty)).toEqual(await outcome(features, benchCounty));
});

test('a thread that ended before its first task says so', async () => {
  const thread = new BuilderThread();
  await thread.close();
  const noRows: RawText = { kind: 'text', pieces: [], dateColumns: [] };
  await expect(thread.build(noRows, 0)).rejects.toThrow('The thread that builds records has ended.');
});

test('a load whose plan is refused leaves no thread, though one was on its way', async () => {
  const path = join(files.folder, 'refused.geojson');
  await writeCountyFile(path, 20_000);
  await expect(outcome(path, benchCounty, { where: ['NO_SUCH_COLUMN=1'] })).rejects.toMatchObject({ code: 'invalid_request' });
  expect(process.getActiveResourcesInfo()).not.toContain('MessagePort');
});

test('a load that is given up while a thread builds leaves no rows, no current release and no thread', async () => {
  const before = await db.query('select current_release_id, status from county where fips = $1', [benchCounty]);
  const path = join(files.folder, 'given-up.geojson');
  await writeCountyFile(path, 20_000);
  const stop = new AbortController();
  const load = loadCounty({
    database: db,
    county: benchCounty,
    files: [path],
    options: { accept: ['loss', 'ids'] },
    signal: stop.signal,
    onProgress: ({ loaded, bytesRead, byteLength }) => {
      if (loaded > 0 && bytesRead < byteLength) stop.abort();
    },
  });
  await expect(load).rejects.toMatchObject({ name: 'AbortError' });
  expect(process.getActiveResourcesInfo()).not.toContain('MessagePort');
  const [release] = await db.query<{ id: number; state: string; read: number }>(
    'select id, state, read_count as read from parcel_release where county_fips = $1 order by id desc limit 1',
    [benchCounty],
  );
  expect(release).toMatchObject({ state: 'failed' });
  expect(release!.read).toBeGreaterThan(0);
  expect(await db.query('select from parcel where release_id = $1', [release!.id])).toEqual([]);
  expect(await db.query('select current_release_id, status from county where fips = $1', [benchCounty])).toEqual(before);
});
