import type { Pool } from 'pg';
import { projectFile } from '../../src/core/project-files.js';
import type { LoadRequest, LoadSummary } from '../../src/loader/load-county.js';
import { previewLoad } from '../../src/loader/preview-load.js';
import { describeReport } from '../../src/loader/show-report.js';
import { readAttributes } from '../../src/parcels/attributes.store.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { casesIn, splitAt, tablesIn } from './cases.js';
import { box, collection, feature, rejectedRows, type Scratch, scratch, square } from './files.js';
import { recordsOf as loadedRecords, loadFiles } from './loads.js';
import { filesOf } from './made-files.js';

/** As `loadCounty` takes them, and of which county it is; `join` names a file of the case, `after` the one that is loaded before the others. */
type Options = NonNullable<LoadRequest['options']> & { county?: string; after?: string };

let db: TestDatabase;
let pool: Pool;
let files: Scratch;
beforeAll(async () => {
  db = await createTestDatabase();
  pool = openPool(db);
  files = await scratch();
});

const shownRecords = 5;
const left = new Set(
  'parcel_id county_fips state county_name apn_normalized latitude longitude gis_acres source release_id value_type'.split(' '),
);

/**
 * What a load makes of the files of a case, and of those that `< name` names in `test/loader/cases`: `= counts`, `~ warning`, `h finding` that holds it,
 * `x rejected row`, `! why it is refused`, and the first and last records as `- {fields} {attributes}`.
 */
async function outcomeOf(given: string[], { county = '25017', after, ...options }: Options): Promise<string[]> {
  const stored = given.filter((line) => line.startsWith('< ')).map((line) => line.slice(2));
  const paths = new Map(stored.map((name) => [name, projectFile(`test/loader/cases/${name}`)]));
  for (const [name, content] of filesOf(given)) paths.set(name, await files.write(name, content));
  const join = options.join && paths.get(options.join);
  const before = after && paths.get(after);
  const shapes = [...paths.values()].filter((path) => path !== join && path !== before);
  try {
    if (before) await loadFiles(db, [before], options, { county });
    const summary = await loadFiles(db, shapes, { ...options, join }, { county });
    const { report } = summary;
    const rejects = await rejectedRows(db, summary);
    return [
      `= ${summary.loaded} loaded, ${summary.rejected} rejected, ${summary.withoutApn} without a number, ${summary.withoutGeometry} without a shape`,
      ...summary.warnings.map((warning) => `~ ${warning}`),
      ...report.findings.filter(({ name }) => !report.accepted.includes(name)).map(({ name, message }) => `h ${name}: ${message}`),
      ...rejects.slice(0, shownRecords).map(({ number, reason }) => `x ${number} ${reason}`),
      ...(await recordsOf(summary.releaseId)),
    ];
  } catch (error) {
    return [`! ${(error as Error).message.replace(/release \d+/, 'release N')}`];
  }
}

async function recordsOf(releaseId: number): Promise<string[]> {
  const records = await loadedRecords(db, { releaseId });
  const runs = await db.query<{ attributes: string }>(
    'select attributes from parcel_attributes where release_id = $1 order by first_ordinal',
    [releaseId],
  );
  const attributes: object[] = runs.flatMap((run) => JSON.parse(run.attributes));
  const lines = records.map((record, i) => {
    const fields = Object.entries(record).filter(([name, value]) => value && !left.has(name));
    const shown = fields.map(([name, value]) => [name, name === 'geometry' ? shapeOf(value as Shape) : value]);
    return `- ${JSON.stringify(Object.fromEntries(shown))} ${JSON.stringify(attributes[i])}`;
  });
  return lines.length <= 2 * shownRecords ? lines : [...lines.slice(0, shownRecords), ...lines.slice(-shownRecords)];
}

interface Shape {
  type: string;
  coordinates: unknown[][];
}

/** A shape's kind, where it begins and how many polygons it has. */
const shapeOf = ({ type, coordinates }: Shape): string =>
  type === 'MultiPolygon' ? `${coordinates.length} polygons` : `${type} at ${String((coordinates[0] ?? coordinates)[0])}`;

describe.each(tablesIn('loading'))('%s', (file) => {
  test.each(casesIn<Options>('loading', file))('$title', async ({ options, lines }) => {
    const [given, expected] = splitAt(lines, /^[=!] /);
    expect(await outcomeOf(given, options)).toEqual(expected);
  });
});

const filled = async (summary: LoadSummary, field: string): Promise<number> =>
  (await loadedRecords(db, summary)).filter((record) => record[field] !== null).length;

const many = <Made>(count: number, make: (i: number) => Made): Made[] => Array.from({ length: count }, (_, i) => make(i));
const ndjson = (features: object[]): string => features.map((each) => JSON.stringify(each)).join('\n');

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
    const summary = await loadFiles(db, [path]);
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

  test.each([
    ['late.ndjson', ndjson],
    ['late.geojson', collection],
  ])('are named in the summary with their first row, and --map takes them: %s', async (name, written) => {
    const path = await files.write(name, written(features(1600, 1500)));
    const summary = await loadFiles(db, [path]);
    expect(summary.warnings).toEqual([
      `Columns that the first rows of ${name} do not have are not mapped to a field: OWNER_NAME (row 1501), TOTAL VALUE (row 1501). ` +
        'To map one, load again with --map, such as --map owner_name=OWNER_NAME.',
    ]);
    expect(await filled(summary, 'owner_name')).toBe(0);
    const again = await loadFiles(db, [path], { map: ['owner_name=owner_name', 'total_value=TOTAL VALUE'] });
    expect(again.warnings).toEqual([]);
    expect(await filled(again, 'owner_name')).toBe(100);
    expect(await filled(again, 'total_value')).toBe(100);
    await expect(loadFiles(db, [path], { map: ['owner_name=OWNR'] })).rejects.toThrow('there is no column OWNR');
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
    const summary = await loadFiles(db, [await files.write('lots.geojson', lots(written, name))]);
    const found = await loadedRecords(db, summary);
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
    const summary = await loadFiles(db, [path], { map: ['acres=LOT_SIZE:sqft'] });
    expect((await loadedRecords(db, summary))[1]).toMatchObject({ acres: 0.0294 });
    expect(summary.warnings).toEqual([
      '60 of 60 acres are less than a tenth or more than ten times those of their shapes: LOT_SIZE is read as square feet; --map acres=LOT_SIZE:acres reads acres.',
    ]);
  });
});

test('what stayed open is in the report of the load, with candidates, how full they are, and three values', async () => {
  const rows = many(8, (i) => `1-${i},${i % 2 ? '' : 1000 + i}`);
  const { report } = await loadFiles(db, [await files.write('open.csv', ['APN,GROSS_AREA', ...rows].join('\n'))]);
  expect(report.questions).toEqual([
    'owner_name stays empty: no column has a name like it.',
    'situs_address stays empty: no column has a name like it.',
    'building_area stays empty: is it GROSS_AREA (50.0% filled: 1000 | 1002 | 1004)?',
  ]);
  expect(describeReport(report, 2).join()).toContain(report.questions[0]);
});

test('guesses the rows of a long table with short lines from those that were looked at', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `${10_000 + i},0`);
  const path = await files.write('short-lines.csv', ['APN,LAND', ...lines, ''].join('\n'));
  const { rowEstimate } = await previewLoad({ db: pool, county: '25017', files: [path], options: { profile: false } });
  expect(rowEstimate).toBeGreaterThan(18_000);
  expect(rowEstimate).toBeLessThan(22_000);
});
