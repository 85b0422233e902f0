import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { type LoadRequest, loadCounty } from '../../src/loader/load-county.js';
import { previewLoad } from '../../src/loader/preview-load.js';
import { AttributesStore } from '../../src/parcels/attributes.store.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { collection, feature, type Scratch, scratch, square } from './files.js';

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
async function joined(shapes: object[] | string, roll: object[], options: LoadRequest['options'] = {}): Promise<Loaded[]> {
  return (await loadJoined(shapes, roll, options)).records;
}

async function loadJoined(
  shapes: object[] | string,
  roll: object[],
  options: LoadRequest['options'] = {},
): Promise<{ records: Loaded[]; warnings: string[] }> {
  const path = typeof shapes === 'string' ? shapes : await files.write(`shapes-${++written}.geojson`, collection(shapes));
  const accept = ['loss', 'ids', 'places', 'spread', 'values', 'empty'];
  const join = await csv(roll);
  const { releaseId, loaded, warnings } = await loadCounty({
    database: db,
    county: '25017',
    files: [path],
    options: { republish: true, profile: false, accept, join, ...options },
  });
  const rows = await db.query<{ record: string }>('select record from parcel where release_id = $1 order by ordinal', [releaseId]);
  const attributes = await new AttributesStore(pool).read([{ releaseId, first: 1, count: loaded }]);
  const records = rows.map(({ record }, i) => {
    const { source, release_id, ...rest } = JSON.parse(record);
    return { ...rest, attributes: attributes[i]! };
  });
  return { records, warnings };
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

  test('give their records what all of them say, and nothing of one of them', async () => {
    const found = of(await joined([...plain, ...units], roll), '10-100-A');
    expect(found).toMatchObject([
      { situs_address: null, owner_name: 'ABLE', attributes: { WARD: 'R' } },
      { situs_address: null, owner_name: 'BAKER', attributes: { WARD: 'R' } },
    ]);
  });

  test('make the same records, letter for letter, in whatever order they stand', async () => {
    const found = of(await joined([...plain, ...units], roll), '10-100-A');
    expect(found[0]!.geometry).toMatchObject({ type: 'MultiPolygon', coordinates: [expect.anything(), expect.anything()] });
    expect(of(await joined([...units.toReversed(), ...plain], roll), '10-100-A')).toEqual(found);
  });

  test('are merged even if they are texts in a column', async () => {
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

describe('keys whose leading zeros a numeric column dropped', () => {
  const whole = (i: number) => `${i % 2 ? '01' : '31'}0110000400${10 + i}`;
  const cut = (i: number) => Number(whole(i));
  const shapes = (pin: (i: number) => string | number) => times(20, (i) => feature({ PIN: pin(i) }, square(i)));
  const roll = (pin: (i: number) => string | number) => times(18, (i) => ({ PIN: pin(i), OWNER: `OWNER OF ${i}` }));
  const expected = [
    ...times(18, (i) => ({ apn: whole(i), owner_name: `OWNER OF ${i}`, gis_acres: expect.any(Number) })),
    { owner_name: null },
    { owner_name: null },
  ];

  test.each<[string, (i: number) => string | number, (i: number) => string | number, string]>([
    ['shapes', cut, whole, 'shapes=pad:14'],
    ['roll', whole, cut, 'roll=pad:14'],
  ])('of the %s: what restores them is proposed, and does so if an operator says it', async (_, ofShape, ofRoll, spelling) => {
    const { warnings } = await loadJoined(shapes(ofShape), roll(ofRoll));
    expect(warnings).toContainEqual(
      expect.stringMatching(new RegExp(`write one parcel in two ways, say so with --join-key ${spelling}\\.$`)),
    );
    const { records, ...told } = await loadJoined(shapes(ofShape), roll(ofRoll), { joinKey: [spelling] });
    expect(records).toMatchObject(expected);
    expect(told.warnings).toEqual([]);
  });

  test.each<[string, (i: number) => string]>([
    ['have several lengths', (i) => (i % 2 ? `7${cut(i)}` : `${cut(i)}00`)],
    ['meet them by chance alone', (i) => (i === 1 ? whole(1) : i % 2 ? `0${cut(i) + 5000}` : `${Number(whole(i)) + 5000}`)],
  ])('nothing is proposed where the others %s', async (_, ofRoll) => {
    const { warnings } = await loadJoined(shapes(cut), [...roll(ofRoll), { PIN: String(cut(0)), OWNER: 'OWNER OF 0' }], { on: 'PIN' });
    expect(warnings).toContainEqual(expect.stringMatching(/^\d+ of 20 shapes match no row .* say how with --join-key/));
  });

  test('nothing is proposed where two parcels would become one', async () => {
    const twins = [feature({ PIN: '5' }, square(30)), feature({ PIN: '05' }, square(31))];
    const { warnings } = await loadJoined([...shapes(cut), ...twins], roll(whole), { on: 'PIN' });
    expect(warnings).toContainEqual(expect.stringContaining('say how with --join-key'));
  });
});

describe('keys that differ in case and punctuation alone', () => {
  const dashed = (i: number) => `001-${700 + i}-00a`;
  const bare = (i: number) => `001${700 + i}00A`;
  const shapes = (key: (i: number) => string) => times(20, (i) => feature({ PIN: key(i) }, square(i)));
  const roll = (key: (i: number) => string) => times(18, (i) => ({ PARCEL_ID: key(i), OWNER: `OWNER OF ${i}` }));

  test.each([
    ['shapes', dashed, bare],
    ['roll', bare, dashed],
  ])('meet where no others do, and stand as the shapes have them: dashes in the %s', async (_, ofShape, ofRoll) => {
    for (const options of [{ on: 'PIN=PARCEL_ID' }, {}]) {
      const { records, warnings } = await loadJoined(shapes(ofShape), roll(ofRoll), options);
      expect(records).toMatchObject([
        ...times(18, (i) => ({ apn: ofShape(i), owner_name: `OWNER OF ${i}`, gis_acres: expect.any(Number) })),
        { owner_name: null },
        { owner_name: null },
      ]);
      const examples = `\\(${ofShape(0)}, ${ofRoll(0)}\\)`;
      expect(warnings).toEqual([
        expect.stringMatching(new RegExp(`PIN .* PARCEL_ID are written in two ways ${examples}: they are joined`)),
      ]);
    }
  });

  test('stay apart where others meet as they are', async () => {
    const mixed = (i: number) => (i === 3 ? dashed(i) : bare(i));
    const { records } = await loadJoined(shapes(dashed), roll(mixed), { on: 'PIN=PARCEL_ID' });
    expect(records).toHaveLength(20 + 18 - 1);
  });

  test.each<[string, (i: number) => string, (i: number) => string]>([
    ['two parcels of the shapes would become one', (i) => (i === 19 ? '001-70-000a' : dashed(i)), bare],
    ['two parcels of the roll would become one', dashed, (i) => (i === 17 ? '0017000-0A' : bare(i))],
    ['fewer than half would meet', dashed, (i) => (i < 8 ? bare(i) : `9${bare(i)}`)],
  ])('are no reason to join where %s', async (_, ofShape, ofRoll) => {
    await expect(loadJoined(shapes(ofShape), roll(ofRoll), { on: 'PIN=PARCEL_ID' })).rejects.toThrow(/joins no row/);
  });
});

describe('keys with a prefix of letters on one side', () => {
  const number = (i: number) => `000${120 + i}`;
  const shapes = (key: (i: number) => string | number) => times(20, (i) => feature({ PIN: key(i) }, square(i)));
  const roll = (key: (i: number) => string) => times(18, (i) => ({ ACCOUNT: key(i), OWNER: `OWNER OF ${i}` }));
  const proposed = (names: string[]) => ['shapes', 'roll'].flatMap((side) => names.map((name) => `${side}=strip:${name}`));

  test.each<[string, (i: number) => string | number, (i: number) => string, string[]]>([
    ['of the roll', number, (i) => `R-${number(i)}`, proposed(['punctuation', 'letters', 'zeros'])],
    [
      'of the roll, beside shapes that lost their zeros',
      (i) => 120 + i,
      (i) => `R${number(i)}`,
      proposed(['punctuation', 'letters', 'zeros']),
    ],
    ['of the shapes', (i) => `pid ${number(i)}`, number, proposed(['punctuation', 'letters', 'zeros'])],
  ])(
    'are refused with the option that ties them, and stand as the shapes have them if it is said: letters %s',
    async (_, ofShape, ofRoll, joinKey) => {
      const on = 'PIN=ACCOUNT';
      await expect(loadJoined(shapes(ofShape), roll(ofRoll), { on })).rejects.toThrow(
        `If these are the same parcels, say so with ${joinKey.map((text) => `--join-key ${text}`).join(' ')}.`,
      );
      expect(await joined(shapes(ofShape), roll(ofRoll), { on, joinKey })).toMatchObject([
        ...times(18, (i) => ({ apn: String(ofShape(i)), owner_name: `OWNER OF ${i}`, gis_acres: expect.any(Number) })),
        { owner_name: null },
        { owner_name: null },
      ]);
    },
  );

  test.each<[string, (i: number) => string]>([
    ['two parcels would become one', (i) => `R-${i === 17 ? '0120' : number(i)}`],
    ['fewer than half would meet', (i) => `R-${i < 8 ? '' : '9'}${number(i)}`],
  ])('are refused without a proposal where %s, and keys of both are shown', async (_, ofRoll) => {
    await expect(loadJoined(shapes(number), roll(ofRoll), { on: 'PIN=ACCOUNT' })).rejects.toThrow(
      /joins no row of the roll to a shape: the shapes have keys such as 000\d+, the roll such as R-\d+\.$/,
    );
  });
});

describe('a number that stands in two columns of one file', () => {
  const plat = (i: number) => `${807840 + Math.floor(i / 8)}`;
  const lot = (i: number) => `${(i % 8) + 1}0`.padStart(4, '0');
  const pin = (i: number) => `${plat(i)}${lot(i)}`;
  const owner = (i: number) => ({ OWNER: `OWNER OF ${i}` });
  const shapes = times(40, (i) => feature({ PIN: pin(i), MAJOR: plat(i), MINOR: lot(i) }, square(i)));
  const roll = times(38, (i) => ({ Major: plat(i), Minor: lot(i), ...owner(i) }));
  const expected = times(38, (i) => ({ apn: pin(i), owner_name: `OWNER OF ${i}`, gis_acres: expect.any(Number) }));

  test.each<[string, LoadRequest['options']]>([
    ['found by itself', {}],
    ['named', { on: 'PIN=Major+Minor' }],
    ['mapped', { map: ['apn=Major+Minor'] }],
  ])('ties it to that in one column of the other, and no plat to its lots: %s', async (_, options) => {
    const { records, warnings } = await loadJoined(shapes, roll, options);
    expect(records).toMatchObject([...expected, { apn: pin(38), owner_name: null }, { apn: pin(39), owner_name: null }]);
    expect(records[0]!.attributes).not.toHaveProperty('Major+Minor');
    expect(warnings).toEqual([expect.stringContaining(`(${pin(0)}, ${plat(0)} ${lot(0)}): they are joined by their letters and digits`)]);
  });

  test('ties shapes that have it in two columns to a roll that has it in one', async () => {
    const inTwo = times(40, (i) => feature({ MAJOR: plat(i), MINOR: lot(i) }, square(i)));
    const inOne = times(38, (i) => ({ PARCEL_ID: pin(i), ...owner(i) }));
    const records = await joined(inTwo, inOne, { on: 'MAJOR+MINOR=PARCEL_ID' });
    const spelt = (i: number) => `${plat(i)} ${lot(i)}`;
    expect(records.map(({ apn, owner_name }) => [apn, owner_name])).toEqual(times(40, (i) => [spelt(i), i < 38 ? `OWNER OF ${i}` : null]));
  });

  test('is read from both files where it stands so in both', async () => {
    const inTwo = times(40, (i) => feature({ MAJOR: plat(i), MINOR: lot(i) }, square(i)));
    const others = [...roll.slice(0, 30), { Major: '999999', Minor: '0010', OWNER: 'OF NO SHAPE' }];
    const records = await joined(inTwo, others);
    expect(records.map(({ apn }) => apn)).toEqual([...times(40, (i) => `${plat(i)} ${lot(i)}`), '999999 0010']);
  });

  test('is refused where a column that --on names is not there', async () => {
    await expect(joined(shapes, roll, { on: 'PIN=Major+Lot' })).rejects.toThrow(
      /the roll has no column Major\+Lot\. Its columns: Major, Minor, OWNER/,
    );
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

test('a join that leaves many rows of both files alone says how many, and what helps', async () => {
  const shapes = (alone: number) => times(40, (i) => feature({ PIN: i < alone ? `8-10-${i}` : `10-${i}` }, square(i)));
  const roll = (alone: number) => times(50, (i) => ({ PIN: i < alone ? `9-10-${i}` : `10-${i}`, OWNER: `OWNER OF ${i}` }));
  expect((await loadJoined(shapes(6), roll(5))).warnings).toEqual([
    '6 of 40 shapes match no row of the roll (such as 8-10-0), and 16 of 50 rows of the roll match no shape (such as 9-10-0): each becomes a ' +
      'record of its own. If PIN=PIN write one parcel in two ways, say how with --join-key, or name other columns with --on.',
  ]);
  expect((await loadJoined(shapes(3), roll(3))).warnings).toEqual([]);
});

describe('columns of one name in both files', () => {
  const shapes = (count: number) =>
    times(count, (i) =>
      feature({ PIN: `10-${i}-A`, NAME: `OAK HILLS ADDITION ${i}`, ADDRESS: `${50 + i} MAIN ST`, ZIP: '02139', YEAR: 2024 }, square(i)),
    );
  // Most owners live in the parcel, or near it.
  const roll = times(40, (i) => ({
    PIN: `10-${i}-A`,
    NAME: i % 2 ? `SMITH, JOHN ${i}` : `ELM STREET ${i} LLC`,
    ADDRESS: i % 3 ? `${50 + i} MAIN ST` : `${i} PARK AVE`,
    CITY: i % 3 ? 'CAMBRIDGE' : 'NEW YORK',
    STATE: i % 3 ? 'MA' : 'NY',
    ZIP: i === 7 ? '' : i % 3 ? '02139' : `100${10 + i}`,
    TOTAL_VALUE: 100_000 + i,
  }));

  test('that say different things stay apart: the fields are those of the roll, and the shapes keep theirs as attributes', async () => {
    const found = await joined(shapes(42), roll);
    expect(of(found, '10-41-A')).toMatchObject([
      {
        owner_name: null,
        mail_address: null,
        mail_zip: null,
        total_value: null,
        attributes: { NAME_2: 'OAK HILLS ADDITION 41', ADDRESS_2: '91 MAIN ST', ZIP_2: '02139' },
      },
    ]);
    expect(of(found, '10-7-A')).toMatchObject([
      { owner_name: 'SMITH, JOHN 7', mail_address: '57 MAIN ST', mail_zip: null, attributes: { ZIP_2: '02139' } },
    ]);
    expect(of(found, '10-9-A')).toMatchObject([{ owner_name: 'SMITH, JOHN 9', mail_address: '9 PARK AVE', mail_zip: '10019' }]);
  });

  test('stay apart even if their values are long', async () => {
    const long = (word: string) => (i: number) => `${word} ${i} `.repeat(60);
    const [ofShape, ofRoll] = [long('WEST'), long('EAST')];
    const { records } = await loadJoined(
      times(20, (i) => feature({ PIN: `10-${i}`, REMARKS: ofShape(i) }, square(i))),
      times(20, (i) => ({ PIN: `10-${i}`, REMARKS: ofRoll(i) })),
    );
    expect(records.map(({ attributes }) => attributes)).toEqual(
      times(20, (i) => ({ REMARKS: ofRoll(i).trim(), REMARKS_2: ofShape(i).trim() })),
    );
  });

  test('that say the same are one: shapes without a roll row keep what they say, and fill the blanks of the roll', async () => {
    const both = (i: number) => ({ PIN: `10-${i}-A`, SITUS_ADDRESS: `${50 + i} Main St.`, SITUS_ZIP: '02139' });
    const sites = times(42, (i) => feature(both(i), square(i)));
    const found = await joined(
      sites,
      times(40, (i) => ({ ...both(i), SITUS_ADDRESS: i === 7 ? '' : `${50 + i} MAIN ST`, OWNER: `OWNER ${i}` })),
    );
    expect(of(found, '10-41-A')).toMatchObject([{ situs_address: '91 Main St.', situs_zip: '02139', owner_name: null }]);
    expect(of(found, '10-7-A')).toMatchObject([{ situs_address: '57 Main St.', owner_name: 'OWNER 7' }]);
    expect(of(found, '10-8-A')).toMatchObject([{ situs_address: '58 MAIN ST' }]);
  });

  test('that are empty in the roll are read from the shapes', async () => {
    const sites = times(20, (i) => feature({ PIN: `10-${i}-A`, SITUS_ADDRESS: `${50 + i} MAIN ST` }, square(i)));
    const found = await joined(
      sites,
      times(20, (i) => ({ PIN: `10-${i}-A`, SITUS_ADDRESS: '', OWNER: `OWNER ${i}` })),
    );
    expect(of(found, '10-3-A')).toMatchObject([{ situs_address: '53 MAIN ST', owner_name: 'OWNER 3' }]);
  });

  test('stay apart even if one of them is the key of its file', async () => {
    const sites = times(20, (i) => feature({ LINK: `10-${i}-A`, ACCOUNT: `S${i}X9` }, square(i)));
    const found = await joined(
      sites,
      times(18, (i) => ({ ACCOUNT: `10-${i}-A`, LINK: `D${i}Y7`, OWNER: `OWNER ${i}` })),
      { on: 'LINK=ACCOUNT', map: ['apn=ACCOUNT'] },
    );
    expect(of(found, '10-3-A')).toMatchObject([
      { owner_name: 'OWNER 3', attributes: { LINK: 'D3Y7', LINK_2: '10-3-A', ACCOUNT_2: 'S3X9' } },
    ]);
    expect(of(found, '10-19-A')).toMatchObject([{ owner_name: null, attributes: { LINK_2: '10-19-A', ACCOUNT_2: 'S19X9' } }]);
  });
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

describe("a roll with the units' own numbers", () => {
  const shapes = times(40, (i) => feature({ MAP_PAR_ID: `7-${i}`, LOC_ID: `F_${7000 + i}_${29_000 + i}` }, square(i)));
  const unit = (i: number, n: number) => ({
    PROP_ID: `7-${i}${n ? `-${n}` : ''}`,
    LOC_ID: `F_${7000 + i}_${29_000 + i}`,
    OWNER1: `OWNER ${i}`,
  });
  const roll = [...times(38, (i) => unit(i, 0)).slice(1), unit(0, 1), unit(0, 2), { PROP_ID: '9-9', LOC_ID: '', OWNER1: 'OF NO SHAPE' }];

  test('gives them to its records, and shapes without a row have the number of the map', async () => {
    const records = await joined(shapes, roll);
    expect(records.map(({ apn }) => apn).sort()).toEqual([...times(39, (i) => `7-${i + 1}`), '7-0-1', '7-0-2', '9-9'].sort());
    expect(of(records, '7-0-1')).toMatchObject([{ owner_name: 'OWNER 0', gis_acres: expect.any(Number) }]);
    expect(of(records, '9-9')).toMatchObject([{ owner_name: 'OF NO SHAPE', geometry: null }]);
    expect(of(records, '7-39')).toMatchObject([{ owner_name: null, gis_acres: expect.any(Number) }]);
  });
});
