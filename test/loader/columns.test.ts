import type { Pool } from 'pg';
import type { LoadPreview } from '../../src/loader/load-answers.js';
import type { LoadRequest, LoadSummary } from '../../src/loader/load-county.js';
import { planLoad } from '../../src/loader/plan/plan-load.js';
import { previewLoad } from '../../src/loader/preview-load.js';
import { describeReport } from '../../src/loader/show-report.js';
import { readAttributes } from '../../src/parcels/attributes.store.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { box, collection, feature, type Scratch, scratch, square } from './files.js';
import { loadFiles, recordsOf } from './loads.js';

const middlesex = '25017';
let db: TestDatabase;
let pool: Pool;
let files: Scratch;

beforeAll(async () => {
  db = await createTestDatabase();
  pool = openPool(db);
  files = await scratch();
});

const load = (paths: string[], options: LoadRequest['options'] = {}): Promise<LoadSummary> => loadFiles(db, paths, options);

const preview = (paths: string[], options: LoadRequest['options'] = {}): Promise<LoadPreview> =>
  previewLoad({ db: pool, county: middlesex, files: paths, options: { profile: false, ...options } });

const records = (summary: LoadSummary) => recordsOf(db, summary);

const filled = async (summary: LoadSummary, field: string): Promise<number> =>
  (await records(summary)).filter((record) => record[field] !== null).length;

const many = <Made>(count: number, make: (i: number) => Made): Made[] => Array.from({ length: count }, (_, i) => make(i));
const ndjson = (features: object[]): string => features.map((each) => JSON.stringify(each)).join('\n');
const table = (header: string, count: number, line: (i: number) => string): string => [header, ...many(count, line)].join('\n');

describe('columns that are spelled in several ways', () => {
  test.each([
    ['among the first rows', 20],
    ['behind the first rows alone', 1100],
  ])('of features are one where they differ by case alone: %s', async (_, count) => {
    const path = await files.write(
      'mixed.ndjson',
      ndjson([
        ...many(count, (i) => feature({ APN: `1-${i}`, OWNER_NAME: `OWNER OF ${i}`, NOTE: 'a' }, square(i))),
        ...many(count, (i) => feature({ apn: `2-${i}`, ' Owner_Name': `ÖWNER OF ${i}`, note: 'b' }, square(i))),
        ...many(count, (i) => feature({ apn: `3-${i}`, owner_name: `OWNER OF ${i}`, note: 'c' }, square(i))),
      ]),
    );
    const summary = await load([path]);
    expect(summary).toMatchObject({ loaded: 3 * count, withoutApn: 0, warnings: [] });
    expect(await filled(summary, 'owner_name')).toBe(3 * count);
    const kept = await readAttributes(pool, [{ releaseId: summary.releaseId, first: 1, count: 3 * count }]);
    expect([kept[0], kept[count], kept[2 * count]]).toEqual([{ NOTE: 'a' }, { NOTE: 'b' }, { NOTE: 'c' }]);
  });
});

describe('columns that the first rows do not have', () => {
  const features = (count: number, from: number) =>
    many(count, (i) => {
      const late = i < from ? {} : { OWNER_NAME: `OWNER OF ${i}`, 'TOTAL VALUE': 100_000 + i };
      return feature({ APN: `1-${i}`, NOTE: 'x'.repeat(i % 7), ...late }, square(i));
    });

  // Beyond 8 MB a thread of its own reads the rows.
  test.each([
    ['late.ndjson', 1600, ndjson, ''],
    ['late.geojson', 1600, collection, ''],
    ['large.ndjson', 1600, ndjson, 'x'.repeat(8000)],
  ])('are named in the summary with their first row, and --map takes them: %s', async (name, count, written, padding) => {
    const path = await files.write(name, written(features(count, 1500).map((each) => ({ ...each, id: padding }))));
    const summary = await load([path]);
    expect(summary.warnings).toEqual([
      `Columns that the first rows of ${name} do not have are not mapped to a field: OWNER_NAME (row 1501), TOTAL VALUE (row 1501). ` +
        'To map one, load again with --map, such as --map owner_name=OWNER_NAME.',
    ]);
    expect(await filled(summary, 'owner_name')).toBe(0);
    const again = await load([path], { map: ['owner_name=owner_name', 'total_value=TOTAL VALUE'] });
    expect(again.warnings).toEqual([]);
    expect(await filled(again, 'owner_name')).toBe(100);
    expect(await filled(again, 'total_value')).toBe(100);
    await expect(load([path], { map: ['owner_name=OWNR'] })).rejects.toThrow('there is no column OWNR');
  });
});

describe('lots whose column does not say its unit', () => {
  const sizes = [640, 1280, 320, 160, 60, 5];
  const lots = (written: (acres: number, i: number) => number | null, name = 'LOT_SIZE') =>
    collection(
      many(80, (i) => {
        const acres = sizes[i % sizes.length]!;
        return feature({ APN: `1-${i}`, [name]: written(acres, i) }, squareOf(acres, i));
      }),
    );

  /** A square of that many acres. */
  function squareOf(acres: number, i: number): object {
    const metres = Math.sqrt(acres * 4046.86);
    const [west, south] = [-71.4 + (i % 9) * 0.02, 42.4 + Math.floor(i / 9) * 0.02];
    return { type: 'Polygon', coordinates: [box(west, south, west + metres / 82_200, south + metres / 111_070)] };
  }

  test.each<[string, string, (acres: number) => number]>([
    ['acres, larger than most', 'LOT_SIZE', (acres) => acres],
    ['square feet', 'LOT_SIZE', (acres) => acres * 43_560],
    ['square feet, whatever the name says', 'ACRES', (acres) => acres * 43_560],
    ['acres, whatever the name says', 'LOT_SQFT', (acres) => acres],
  ])('are measured by their shapes: %s', async (_, name, written) => {
    const summary = await load([await files.write('lots.geojson', lots(written, name))]);
    const found = await records(summary);
    for (const [i, { acres, gis_acres }] of found.entries()) {
      expect(acres).toBe(sizes[i % sizes.length]);
      expect(Number(gis_acres) / Number(acres)).toBeCloseTo(1, 1);
    }
    expect(summary.warnings).toEqual([]);
  });

  test('are in the unit that --map says, and the summary says where most contradict their shapes', async () => {
    const path = await files.write(
      'contrary.geojson',
      lots((acres, i) => (i % 4 === 0 ? null : acres)),
    );
    const summary = await load([path], { map: ['acres=LOT_SIZE:sqft'] });
    expect((await records(summary))[1]).toMatchObject({ acres: 0.0294 });
    expect(summary.warnings).toEqual([
      '60 of 60 acres are less than a tenth or more than ten times those of their shapes: LOT_SIZE is read as square feet; --map acres=LOT_SIZE:acres reads acres.',
    ]);
  });
});

test('a table whose rows lack a value is refused with what is wrong in the first', async () => {
  const path = await files.write('short.csv', `${table('PIN,OWNER,ACRES', 9, (i) => `10-${i},OWNER OF ${i}`)}\n`);
  await expect(preview([path])).rejects.toThrow('None of the first 9 rows can be read: 2 values for 3 columns.');
});

test('what stayed open is in the report of the load', async () => {
  const path = await files.write('open.csv', 'APN,OWNER,GROSS_AREA\n1-2,DOE JANE,900\n1-3,ROE ANN,950');
  const { report } = await load([path]);
  expect(report.questions).toEqual([
    'situs_address stays empty: no column has a name like it.',
    'building_area stays empty: is it GROSS_AREA (100.0% filled: 900 | 950)?',
  ]);
  expect(describeReport(report, 2).join()).toContain(report.questions[0]);
});

test('guesses the rows of a long table with short lines from those that were looked at', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `${10_000 + i},0`);
  const path = await files.write('short-lines.csv', ['APN,LAND', ...lines, ''].join('\n'));
  const { rowEstimate } = await preview([path]);
  expect(rowEstimate).toBeGreaterThan(18_000);
  expect(rowEstimate).toBeLessThan(22_000);
});

describe('a table with two header lines', () => {
  const rows = Array.from({ length: 20 }, (_, i) => `10-${i},ALDER ANNA ${i},7 PINE ST,AMES,IA,50010,${100 + i} OAK RD,${1000 + i}`);
  const names = 'PARCEL_ID,OWNER_NAME,MAIL_ADDRESS,MAIL_CITY,MAIL_STATE,MAIL_ZIP,SITUS_ADDRESS,LAND_VALUE';

  test.each([
    ['groups above names', ',Owner,,,,,Site,Land', 'Parcel ID,Name,Address,City,State,Zip,Address,Value'],
    ['repeated groups above names', 'Parcel,Owner,Owner,Owner,Owner,Owner,Site,Land', 'ID,Name,Address,City,State,Zip,Address,Value'],
    ['names above what they mean', names, 'the number of the parcel,who owns it,where,town,state,post code,the house,dollars'],
    ['names above their types', names, 'text,text,text,text,text,text,text,integer'],
    ['names alone', names, null],
  ])('is read by both: %s', async (_, first, second) => {
    const path = await files.write('two-headers.csv', [first, ...(second === null ? [] : [second]), ...rows].join('\n'));
    const plan = await planLoad([path], {}, 'IA');
    await plan.close();
    const spelt = (columns: string[] | undefined) => columns?.join('+').toLowerCase().replaceAll('_', ' ').replace('zip code', 'zip');
    const { mapping } = plan;
    expect(
      [mapping.owner_name, mapping.mail_address, mapping.situs_address, mapping.land_value].map((source) => spelt(source?.columns)),
    ).toEqual(
      first === names
        ? ['owner name', 'mail address', 'situs address', 'land value']
        : ['owner name', 'owner address', 'site address', 'land value'],
    );
    expect(plan.sample.filter(({ fault }) => fault === null)).toHaveLength(20);
  });
});
