import { Pool } from 'pg';
import { type LoadRequest, loadCounty } from '../../src/loader/load-county.js';
import { AttributesStore } from '../../src/parcels/attributes.store.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { collection, feature, type Scratch, scratch, square } from './files.js';

let db: TestDatabase;
let pool: Pool;
let files: Scratch;

beforeAll(async () => {
  db = await createTestDatabase();
  pool = new Pool({ connectionString: db.url });
  pool.on('error', () => {}); // it says that it has ended before its connections have, and the database is dropped under them
  closeAtEnd(() => pool.end());
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
async function joined(shapes: object[] | string, roll: object[], options: LoadRequest['options'] = {}): Promise<Loaded[]> {
  const path = typeof shapes === 'string' ? shapes : await files.write(`shapes-${++written}.geojson`, collection(shapes));
  const accept = ['loss', 'ids', 'places', 'spread', 'values', 'empty'];
  const join = await csv(roll);
  const { releaseId, loaded } = await loadCounty({
    database: db,
    county: '25017',
    files: [path],
    options: { accept, join, ...options },
    dataDir: files.folder,
  });
  const rows = await db.query<{ record: string }>('select record from parcel where release_id = $1 order by ordinal', [releaseId]);
  const attributes = await new AttributesStore(pool).read([{ releaseId, first: 1, count: loaded }]);
  return rows.map(({ record }, i) => {
    const { source, release_id, ...rest } = JSON.parse(record);
    return { ...rest, attributes: attributes[i]! };
  });
}

const of = (records: Loaded[], apn: string) => records.filter((record) => record.apn === apn);

const times = <Item>(count: number, item: (i: number) => Item): Item[] => Array.from({ length: count }, (_, i) => item(i));

describe('shapes that share a key with roll rows', () => {
  const plain = times(40, (i) => feature({ PIN: `10-${i}`, SITE_ADDR: `${i} OAK ST`, BLOCK: 'R' }, square(i)));
  const units = [1, 2].map((unit) => feature({ PIN: '10-100-A', SITE_ADDR: `7 ELM ST UNIT ${unit}`, BLOCK: 'R' }, square(60 + unit)));
  const roll = [
    ...times(40, (i) => ({ PIN: `10-${i}`, OWNER_NAME: `OWNER ${i}`, TOTAL_VALUE: 1000 + i })),
    { PIN: '10-100-A', OWNER_NAME: 'ABLE', TOTAL_VALUE: 5000 },
    { PIN: '10-100-A', OWNER_NAME: 'BAKER', TOTAL_VALUE: 6000 },
  ];

  test('give their records what all of them say, and nothing of one of them', async () => {
    const found = of(await joined([...plain, ...units], roll), '10-100-A');
    expect(found).toMatchObject([
      { situs_address: null, owner_name: 'ABLE', attributes: { BLOCK: 'R' } },
      { situs_address: null, owner_name: 'BAKER', attributes: { BLOCK: 'R' } },
    ]);
  });

  test('make the same records, letter for letter, in whatever order they stand', async () => {
    const found = of(await joined([...plain, ...units], roll), '10-100-A');
    expect(found[0]!.geometry).toMatchObject({ type: 'MultiPolygon', coordinates: [expect.anything(), expect.anything()] });
    expect(of(await joined([...units.toReversed(), ...plain], roll), '10-100-A')).toEqual(found);
  });

  test('are merged also where they are texts in a column', async () => {
    const wkt = (i: number) =>
      `POLYGON ((${square(i)
        .coordinates[0]!.map((at) => at.join(' '))
        .join(', ')}))`;
    const shapes = await csv([
      ...times(20, (i) => ({ PIN: `10-${i}`, SHAPE: wkt(i) })),
      { PIN: '10-100-A', SHAPE: wkt(30) },
      { PIN: '10-100-A', SHAPE: wkt(31) },
    ]);
    const found = of(await joined(shapes, roll), '10-100-A');
    expect(found).toMatchObject(times(2, () => ({ geometry: { type: 'MultiPolygon', coordinates: { length: 2 } } })));
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
