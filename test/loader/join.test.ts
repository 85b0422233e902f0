import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { LoadRequest } from '../../src/loader/load-county.js';
import { planLoad } from '../../src/loader/plan/plan-load.js';
import { previewLoad } from '../../src/loader/preview-load.js';
import { readAttributes } from '../../src/parcels/attributes.store.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { countyData, withCountyData } from '../harness/only-with.js';
import { collection, feature, type Scratch, scratch, square } from './files.js';
import { loadFiles, recordsOf } from './loads.js';
import { zip } from './zip.js';

let db: TestDatabase;
let pool: Pool;
let files: Scratch;
beforeAll(async () => {
  db = await createTestDatabase();
  pool = openPool(db);
  files = await scratch();
});

let written = 0;

async function shapesOf(rows: object[]): Promise<string> {
  return files.write(`shapes-${++written}.geojson`, collection(rows.map((properties, i) => feature(properties, square(i)))));
}

async function rollOf(rows: object[]): Promise<string> {
  const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))].map((values) =>
    values.map((value) => `"${value}"`).join(','),
  );
  return files.write(`roll-${++written}.csv`, `${lines.join('\n')}\n`);
}

/** The columns that a load would join by. */
async function joinedBy(shapes: string, roll: string): Promise<string> {
  const plan = await planLoad([shapes], { join: roll }, 'MA');
  await plan.close();
  return `${plan.join!.shapeColumn}=${plan.join!.rollColumn}`;
}

const rows = <Row>(count: number, row: (i: number) => Row): Row[] => Array.from({ length: count }, (_, i) => row(i));

test('a roll of a file with several tables, as that of the shapes, is the one that --join-layer names', async () => {
  const shapes = collection(rows(40, (i) => feature({ ML: `10-${i}` }, square(i))));
  const roll = Array.from({ length: 40 }, (_, i) => `10-${i},O ${i}`);
  const county = { 'parcels.geojson': shapes, 'roll.csv': `ML,OWNER\n${roll.join('\n')}\n`, 'uses.csv': 'USE,MEANS\n101,Dwelling\n' };
  const path = await files.write('county.zip', zip(county));
  await expect(planLoad([path], { join: path }, 'MA')).rejects.toThrow(/--join-layer .*roll.csv, uses.csv/);
  const plan = await planLoad([path], { join: path, joinLayer: 'roll' }, 'MA');
  await plan.close();
  expect([plan.sources[0]!.source.name, plan.mapping.owner_name?.columns]).toEqual(['county.zip/parcels.geojson', ['OWNER']]);
  await expect(planLoad([path], { joinLayer: 'roll' }, 'MA')).rejects.toThrow(/--join-layer needs --join/);
  const only = await rollOf(rows(40, (i) => ({ ML: `10-${i}`, OWNER: `O ${i}` })));
  await expect(planLoad([path], { join: only, joinLayer: 'typo' }, 'MA')).rejects.toThrow(/--join-layer .*It holds: roll/);
});

describe('a roll without --on', () => {
  test('is tied by columns of one name, however it is written, before others that tie more', async () => {
    const shapes = await shapesOf(rows(40, (i) => ({ Tax_Lot_Key: `A${i}-7`, DEED: `B${i}-9` })));
    const roll = await rollOf(rows(40, (i) => ({ DOCUMENT: `B${i}-9`, 'TAX LOTKEY': `A${i + 20}-7`, OWNER: `O ${i}` })));
    expect(await joinedBy(shapes, roll)).toBe('Tax_Lot_Key=TAX LOTKEY');
  });

  test('is tied by columns of different names, where their values are those of parcels', async () => {
    const shapes = await shapesOf(rows(40, (i) => ({ OBJECTID: i, ML: `10-${i}`, LOT: i, STORIES: i % 4 })));
    const roll = await rollOf(rows(40, (i) => ({ OBJECTID: i, STORIES: i % 4, YEAR: 1950 + i, LOTS: i, LINK: `10-${i + 10}` })));
    expect(await joinedBy(shapes, roll)).toBe('ML=LINK');
  });

  test('is tied by short parcel numbers of one name, where most of the first rows have the same', async () => {
    const shapes = await shapesOf(rows(40, (i) => ({ PARCEL: i + 1, STORIES: i % 4 })));
    const roll = await rollOf(rows(50, (i) => ({ STORIES: i % 4, parcel: `${i + 10}.0`, OWNER: `O ${i}` })));
    expect(await joinedBy(shapes, roll)).toBe('PARCEL=parcel');
  });

  test('is tied by parcel numbers that differ in case and punctuation alone, where others do not surely tie it', async () => {
    const shapes = await shapesOf(rows(40, (i) => ({ PIN: `001-${700 + i}-00a`, STORIES: i % 4, SITE: `${i} OAK ST.`, DOC: `D-${i}7-3` })));
    const roll = (key: (i: number) => string, doc = 'E') =>
      rollOf(rows(40, (i) => ({ ACCOUNT: key(i), STORIES: i % 4, SITE: `${i} Oak St`, DOC: `${doc}${i}73` })));
    expect(await joinedBy(shapes, await roll((i) => `001${710 + i}00A`))).toBe('PIN=ACCOUNT');
    expect(await joinedBy(shapes, await roll((i) => `R${i}X-99`, 'D'))).toBe('DOC=DOC');
    await expect(joinedBy(shapes, await roll((i) => `R${i}X-99`))).rejects.toThrow(/clearly/);
    const twins = (i: number) => (i % 2 ? `001-${710 + i}-00A` : `001${711 + i}00-A`);
    await expect(joinedBy(shapes, await roll(twins))).rejects.toThrow(/clearly/);
  });

  test.each([
    ['numbers of rows', { OBJECTID: 1, FID: 100_000 }],
    ['stories and years', { STORIES: 1, BUILT: 1950 }],
    ['amounts', { LAND_VALUE: 100_000 }],
  ])('is refused rather than tied by %s, and --on is named', async (_, start: Record<string, number>) => {
    const columns = (i: number) =>
      Object.fromEntries(Object.entries(start).map(([name, from]) => [name, from < 5_000 ? from + (i % 5) : from + i * 100]));
    const shapes = await shapesOf(rows(60, (i) => ({ APN: `10-${i}`, ...columns(i) })));
    const roll = await rollOf(rows(60, (i) => ({ ACCOUNT: `R${i}X`, ...columns(i + 7) })));
    await expect(joinedBy(shapes, roll)).rejects.toThrow(/clearly.*Name the column that both have with --on COLUMN/);
  });

  test.each<[string, (i: number) => object, (i: number) => object, string]>([
    ['of one name', (i) => ({ PIN: `10-${i}` }), (i) => ({ PIN: `10-${i}` }), 'PIN=PIN'],
    ['of other names', (i) => ({ LINK: `10-${i}`, STORIES: i % 4 }), (i) => ({ STORIES: i % 3, KEY: `10-${i}` }), 'LINK=KEY'],
    ['that are short numbers', (i) => ({ OBJECTID: i, LINK: 20_003 + 7 * i }), (i) => ({ KEY: 20_003 + 7 * i }), 'LINK=KEY'],
    ['that differ in punctuation', (i) => ({ LINK: `10-${i}-A` }), (i) => ({ KEY: `10${i}A` }), 'LINK=KEY'],
  ])('is tied by the keys of the whole files, though their first rows have none in common: keys %s', async (_, shape, ofRoll, pair) => {
    const shapes = await shapesOf(rows(2600, (i) => shape(i + 1000)));
    expect(await joinedBy(shapes, await rollOf(rows(2600, (i) => ({ OWNER: `O ${i}`, ...ofRoll(3599 - i) }))))).toBe(pair);
  });

  test('is not tied by counts of rows, though all are in both files', async () => {
    const shapes = await shapesOf(rows(2600, (i) => ({ SEQ: i + 1, BUILT: 1900 + (i % 100) })));
    const roll = await rollOf(rows(2600, (i) => ({ LINE: 2600 - i, YEAR: 1900 + (i % 100), OWNER: `O ${i}` })));
    await expect(joinedBy(shapes, roll)).rejects.toThrow(/clearly/);
  });

  const cambridge = join(countyData, 'parcels/25017-cambridge-fy2014');
  withCountyData.test('of Cambridge is tied by ML, whichever file comes first and whatever their order', async () => {
    const shapes = join(cambridge, 'parcels_fy2014.shp');
    const roll = join(cambridge, 'TaxFY14.csv');
    expect([await joinedBy(shapes, roll), await joinedBy(roll, shapes)]).toEqual(['ML=ML', 'ML=ML']);
    const [header, ...lines] = (await readFile(roll, 'latin1')).trimEnd().split(/\r?\n/);
    const sorted = await files.write('sorted.csv', [header, ...lines.sort().reverse()].join('\n'));
    expect(await joinedBy(shapes, sorted)).toBe('ML=ML');
    const renamed = await files.write('renamed.csv', [header!.replace('ML', 'GIS_KEY'), ...lines].join('\n'));
    expect(await joinedBy(shapes, renamed)).toBe('ML=GIS_KEY');
  });
});

type Loaded = Record<string, unknown> & { attributes: object };

/** The records that shapes and a roll make, and their attributes; without what names the load. */
async function joined(shapes: object[], roll: object[], options: LoadRequest['options'] = {}): Promise<Loaded[]> {
  const path = await files.write(`shapes-${++written}.geojson`, collection(shapes));
  const { releaseId, loaded } = await loadFiles(db, [path], { join: await rollOf(roll), ...options });
  const attributes = await readAttributes(pool, [{ releaseId, first: 1, count: loaded }]);
  const records = await recordsOf(db, { releaseId });
  return records.map(({ source, release_id, ...rest }, i) => ({ ...rest, attributes: attributes[i]! }));
}

const of = (records: Loaded[], apn: string) => records.filter((record) => record.apn === apn);

describe('shapes that share a key with roll rows', () => {
  const plain = rows(40, (i) => feature({ PIN: `10-${i}`, SITE_ADDR: `${i} OAK ST`, WARD: 'R' }, square(i)));
  const units = [1, 2].map((unit) => feature({ PIN: '10-100-A', SITE_ADDR: `7 ELM ST UNIT ${unit}`, WARD: 'R' }, square(60 + unit)));
  const roll = [
    ...rows(40, (i) => ({ PIN: `10-${i}`, OWNER_NAME: `OWNER ${i}`, TOTAL_VALUE: 1000 + i })),
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
    expect(found).toMatchObject(rows(2, () => ({ geometry: { type: 'Polygon', coordinates: [{ length: 5 }] } })));
  });
});

test('a value of the key that is no number, as it is longer than any, is a row of its own and stops nothing', async () => {
  const long = rows(60, (i) => createHash('sha512').update(String(i)).digest('base64')).join('');
  const shapes = rows(20, (i) => feature({ PIN: `10-${i}` }, square(i)));
  const roll = [...rows(20, (i) => ({ PIN: `10-${i}`, OWNER: `OWNER OF ${i}` })), { PIN: long, OWNER: 'OF NO SHAPE' }];
  const records = await joined(shapes, roll);
  expect(records.map(({ owner_name }) => owner_name)).toEqual([...rows(20, (i) => `OWNER OF ${i}`), 'OF NO SHAPE']);
});

test("a preview shows the roll's values even if its parcel numbers are in another column than the shapes'", async () => {
  const path = await files.write('preview.geojson', collection(rows(20, (i) => feature({ PIN: `001-${100 + i}` }, square(i)))));
  const roll = await rollOf(rows(20, (i) => ({ ACCOUNT: `001-${100 + i}`, OWNER: `OWNER OF ${i}` })));
  const { mapping } = await previewLoad({ db: pool, county: '25017', files: [path], options: { profile: false, join: roll } });
  expect(mapping).toMatchObject([
    { field: 'apn', columns: ['PIN'], samples: ['001-100', '001-101', '001-102'] },
    { field: 'owner_name', samples: ['OWNER OF 0', 'OWNER OF 1', 'OWNER OF 2'] },
  ]);
});

test.each(['ROW', 'Unknown', '0', '000-000', '-', 'n/a', 'Water', '999999'])(
  'rows whose key is the placeholder %s are records of their own, each with its own shape',
  async (key) => {
    const shapes = rows(30, (i) => feature({ PIN: i < 10 ? key : `10-${i}` }, square(i)));
    const records = await joined(
      shapes,
      rows(30, (i) => ({ PIN: i < 5 ? key : `10-${i}`, OWNER_NAME: `OWNER ${i}`, SITE_ADDR: `${i} OAK ST` })),
      { on: 'PIN', maxRejectsPercent: 20 },
    );
    const shapeOf = ({ geometry }: Loaded) => geometry && JSON.stringify(geometry);
    expect(new Set(records.map(shapeOf).filter(Boolean)).size).toBe(30);
    expect(records.filter(shapeOf)).toHaveLength(30);
    expect(records.filter(({ owner_name, geometry }) => owner_name && geometry)).toHaveLength(20);
  },
);
