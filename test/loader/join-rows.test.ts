import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { LoadRequest } from '../../src/loader/load-county.js';
import { previewLoad } from '../../src/loader/preview-load.js';
import { readAttributes } from '../../src/parcels/attributes.store.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { collection, feature, type Scratch, scratch, square } from './files.js';
import { loadFiles, recordsOf } from './loads.js';

let db: TestDatabase;
let pool: Pool;
let files: Scratch;

beforeAll(async () => {
  db = await createTestDatabase();
  pool = openPool(db);
  files = await scratch();
});

type Loaded = Record<string, unknown> & { attributes: object };

let written = 0;

function csv(rows: object[]): Promise<string> {
  const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))].map((values) =>
    values.map((value) => `"${value}"`).join(','),
  );
  return files.write(`roll-${++written}.csv`, `${lines.join('\n')}\n`);
}

/** The records that shapes and a roll make, and their attributes; without what names the load. */
async function joined(shapes: object[], roll: object[], options: LoadRequest['options'] = {}): Promise<Loaded[]> {
  const path = await files.write(`shapes-${++written}.geojson`, collection(shapes));
  const { releaseId, loaded } = await loadFiles(db, [path], { join: await csv(roll), ...options });
  const attributes = await readAttributes(pool, [{ releaseId, first: 1, count: loaded }]);
  const records = await recordsOf(db, { releaseId });
  return records.map(({ source, release_id, ...rest }, i) => ({ ...rest, attributes: attributes[i]! }));
}

const of = (records: Loaded[], apn: string) => records.filter((record) => record.apn === apn);

const times = <Item>(count: number, item: (i: number) => Item): Item[] => Array.from({ length: count }, (_, i) => item(i));

describe('shapes that share a key with roll rows', () => {
  const plain = times(40, (i) => feature({ PIN: `10-${i}`, SITE_ADDR: `${i} OAK ST`, WARD: 'R' }, square(i)));
  const units = [1, 2].map((unit) => feature({ PIN: '10-100-A', SITE_ADDR: `7 ELM ST UNIT ${unit}`, WARD: 'R' }, square(60 + unit)));
  const roll = [
    ...times(40, (i) => ({ PIN: `10-${i}`, OWNER_NAME: `OWNER ${i}`, TOTAL_VALUE: 1000 + i })),
    { PIN: '10-100-A', OWNER_NAME: 'ABLE', TOTAL_VALUE: 5000 },
    { PIN: '10-100-A', OWNER_NAME: 'BAKER', TOTAL_VALUE: 6000 },
  ];

  test('make the same records, letter for letter, in whatever order they stand', async () => {
    const found = of(await joined([...plain, ...units], roll), '10-100-A');
    expect(found[0]!.geometry).toMatchObject({ type: 'MultiPolygon', coordinates: [expect.anything(), expect.anything()] });
    expect(of(await joined([...units.toReversed(), ...plain], roll), '10-100-A')).toEqual(found);
  });

  test('count once where they are one shape that is drawn once a unit', async () => {
    const { coordinates } = square(70);
    const open = coordinates[0]!.slice(0, -1);
    const turned = [...open.slice(2), ...open.slice(0, 3)];
    const stacked = [coordinates, coordinates, [turned], [turned.toReversed()]].map((rings, i) =>
      feature({ OBJECTID: i, PIN: '10-100-A' }, { type: 'Polygon', coordinates: rings }),
    );
    const alone = of(await joined([...plain, stacked[0]!], roll), '10-100-A');
    expect(alone[0]).toMatchObject({ gis_acres: expect.any(Number), geometry: { type: 'Polygon' } });
    const found = of(await joined([...plain, ...stacked], roll), '10-100-A');
    const placeOf = ({ gis_acres, latitude, longitude, parcel_id }: Loaded) => ({ gis_acres, latitude, longitude, parcel_id });
    expect(found.map(placeOf)).toEqual(alone.map(placeOf));
    expect(found).toMatchObject(times(2, () => ({ geometry: { type: 'Polygon', coordinates: [{ length: 5 }] } })));
  });
});

test('a value of the key that is no number, as it is longer than any, is a row of its own and stops nothing', async () => {
  const long = times(60, (i) => createHash('sha512').update(String(i)).digest('base64')).join('');
  const shapes = times(20, (i) => feature({ PIN: `10-${i}` }, square(i)));
  const roll = [...times(20, (i) => ({ PIN: `10-${i}`, OWNER: `OWNER OF ${i}` })), { PIN: long, OWNER: 'OF NO SHAPE' }];
  const records = await joined(shapes, roll);
  expect(records.map(({ owner_name }) => owner_name)).toEqual([...times(20, (i) => `OWNER OF ${i}`), 'OF NO SHAPE']);
});

test("a preview shows the roll's values even if its parcel numbers are in another column than the shapes'", async () => {
  const path = await files.write('preview.geojson', collection(times(20, (i) => feature({ PIN: `001-${100 + i}` }, square(i)))));
  const join = await csv(times(20, (i) => ({ ACCOUNT: `001-${100 + i}`, OWNER: `OWNER OF ${i}` })));
  const { mapping } = await previewLoad({ db: pool, county: '25017', files: [path], options: { profile: false, join } });
  expect(mapping).toMatchObject([
    { field: 'apn', columns: ['PIN'], samples: ['001-100', '001-101', '001-102'] },
    { field: 'owner_name', samples: ['OWNER OF 0', 'OWNER OF 1', 'OWNER OF 2'] },
  ]);
});

test.each(['ROW', 'Unknown', '0', '000-000', '-', 'n/a', 'Water', '999999'])(
  'rows whose key is the placeholder %s are records of their own, each with its own shape',
  async (key) => {
    const shapes = times(30, (i) => feature({ PIN: i < 10 ? key : `10-${i}` }, square(i)));
    const records = await joined(
      shapes,
      times(30, (i) => ({ PIN: i < 5 ? key : `10-${i}`, OWNER_NAME: `OWNER ${i}`, SITE_ADDR: `${i} OAK ST` })),
      { on: 'PIN', maxRejectsPercent: 20 },
    );
    const shapeOf = ({ geometry }: Loaded) => geometry && JSON.stringify(geometry);
    expect(new Set(records.map(shapeOf).filter(Boolean)).size).toBe(30);
    expect(records.filter(shapeOf)).toHaveLength(30);
    expect(records.filter(({ owner_name, geometry }) => owner_name && geometry)).toHaveLength(20);
  },
);
