import { createHash } from 'node:crypto';
import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Client, type Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { createLog } from '../../src/core/log.js';
import { projectFile } from '../../src/core/project-files.js';
import type { CliServices } from '../../src/database/cli-services.js';
import { type LoadProgress, type LoadRequest, type LoadSummary, loadCounty } from '../../src/loader/load-county.js';
import { previewLoad } from '../../src/loader/preview-load.js';
import { loadSampleCounty } from '../../src/loader/sample-county.js';
import { readAttributes } from '../../src/parcels/attributes.store.js';
import { rejectedLines } from '../../src/releases/catalogue/rejected-rows.js';
import type { ReleaseReport } from '../../src/releases/catalogue/release-report.js';
import { setCountyStatus } from '../../src/releases/lifecycle/change-county.js';
import { lockCounty } from '../../src/releases/lifecycle/county-lock.js';
import { closeDeadLoads } from '../../src/releases/lifecycle/dead-loads.js';
import { pruneReleases } from '../../src/releases/lifecycle/prune.js';
import { republish, rollBack } from '../../src/releases/lifecycle/publish-release.js';
import { recordFields } from '../../src/releases/record-fields/record-fields.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { countyData, withCountyData } from '../harness/only-with.js';
import { runCli } from '../harness/process.js';
import { collection, feature, rejectedRows, type Scratch, scratch, square } from './files.js';
import { dataSourceOf, everyFinding, loadFiles, runLoader } from './loads.js';

const middlesex = '25017';
let db: TestDatabase;
let pool: Pool;
let dataSource: DataSource;
let files: Scratch;

beforeAll(async () => {
  db = await createTestDatabase();
  pool = openPool(db);
  dataSource = await dataSourceOf(db);
  files = await scratch();
});

/** Loads files that have little in common with those loaded before: `gate.test.ts` is about that. */
function load(
  paths: string | string[],
  options: LoadRequest['options'] = {},
  county = middlesex,
  onProgress: LoadRequest['onProgress'] = () => {},
): Promise<LoadSummary> {
  return loadFiles(db, [paths].flat(), options, { county, onProgress });
}

const rolledBack = (fips: string) => dataSource.transaction((manager) => rollBack(manager, fips));

const withdrawn = (...[fips, status, note]: [string, 'planned' | 'unavailable', string | null]) =>
  dataSource.transaction((manager) => setCountyStatus(manager, fips, status, note));

async function countyRow(fips = middlesex): Promise<Record<string, unknown>> {
  return (await db.query(`select status, current_release_id as release, parcel_count as parcels from county where fips = $1`, [fips]))[0]!;
}

async function records(releaseId: number): Promise<{ ordinal: number; apn: string | null; record: Record<string, unknown> }[]> {
  const rows = await db.query<{ ordinal: number; apn: string | null; record: string }>(
    `select ordinal, apn, record from parcel where release_id = $1 order by ordinal`,
    [releaseId],
  );
  return rows.map((row) => ({ ...row, record: JSON.parse(row.record) }));
}

type Records = Map<unknown, Record<string, unknown>>;

const byParcel = (list: Awaited<ReturnType<typeof records>>): Records =>
  new Map(list.map(({ record }) => [record.parcel_id, { ...record, release_id: null }]));

/** The records that are not the same in two releases. Where coordinates were rounded or projected, places may be 0.5 m apart. */
function differing(one: Records, other: Records, isRounded: boolean, only?: string[]): unknown[] {
  const placeless = ({ geometry, latitude, longitude, gis_acres, ...fields }: Record<string, unknown>) => fields;
  const chosen = (record: Record<string, unknown>) => (only ? Object.fromEntries(only.map((name) => [name, record[name]])) : record);
  return [...other].filter(([id, record]) => {
    const twin = one.get(id);
    if (!twin || !isRounded) return !twin || !isDeepStrictEqual(chosen(record), chosen(twin));
    const apart = (axis: string) => Math.abs(Number(record[axis]) - Number(twin[axis]));
    return !isDeepStrictEqual(placeless(record), placeless(twin)) || apart('latitude') + apart('longitude') > 5e-6;
  });
}

const parcels = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, i) => feature({ APN: `10-${i}`, ...more }, square(i)));

describe('a load', () => {
  test('publishes dense, finished records', async () => {
    const path = await files.write(
      'parcels.geojson',
      collection([feature({ APN: 'a\\b\t"c"', OWNER: 'x\ny' }), ...parcels(4), feature({ APN: '9' }, null)]),
    );
    const summary = await load(path, { source: 'City', sourceDate: '2020-01-31' });
    expect(summary).toMatchObject({ read: 6, loaded: 6, rejected: 0, withoutGeometry: 1 });
    const found = await records(summary.releaseId);
    expect(found.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(found[0]).toMatchObject({
      apn: 'a\\b\t"c"',
      record: { apn: 'a\\b\t"c"', owner_name: 'x\ny', source: 'City', source_date: '2020-01-31', release_id: summary.releaseId },
    });
    expect(await countyRow()).toEqual({ status: 'loaded', release: summary.releaseId, parcels: 6 });
  });

  test('counts of every field how many records have it, as the records themselves say', async () => {
    const path = await files.write(
      'fill.geojson',
      collection([
        ...parcels(2, { OWNER: 'A', LAND_VALUE: 5, SALE_DATE: '2020-02-03', ZIP: '02139', ACRES: 0 }),
        feature({ APN: '7', YEAR_BUILT: 1900, ACRES: 2 }, null),
        feature({ OWNER: 'B' }, { type: 'Point', coordinates: [-71.1, 42.37] }),
      ]),
    );
    for (const sourceDate of [undefined, '2020-01-31']) {
      const { releaseId } = await load(path, { sourceDate });
      const found = await records(releaseId);
      const counted = Object.fromEntries(recordFields.map((field) => [field, found.filter(({ record }) => record[field] !== null).length]));
      expect(Object.keys(found[0]!.record)).toEqual(recordFields);
      const [release] = await db.query<{ report: ReleaseReport }>('select report from parcel_release where id = $1', [releaseId]);
      expect(release!.report.filled).toEqual(counted);
    }
  });

  test('keeps what is mapped to no field beside the records, as much of each as fits', async () => {
    const more = (i: number) => ({
      COLOUR: `"${i}"`,
      HEIGHT: i / 4,
      IS_WET: true,
      NOTE: ' ',
      REMARK: '<Null>',
      LONG: 'x'.repeat(5000),
      LAST: 'é',
    });
    const path = await files.write(
      'more.geojson',
      collection(Array.from({ length: 250 }, (_, i) => feature({ APN: `1-${i}`, ...more(i) }, square(i)))),
    );
    const { releaseId } = await load(path);
    const kept = Array.from({ length: 250 }, (_, i) => ({ COLOUR: `"${i}"`, HEIGHT: i / 4, IS_WET: true, LAST: 'é' }));
    expect(await readAttributes(pool, [{ releaseId, first: 1, count: 250 }])).toEqual(kept);
    expect(
      await readAttributes(pool, [
        { releaseId, first: 99, count: 4 },
        { releaseId, first: 250, count: 1 },
      ]),
    ).toEqual([...kept.slice(98, 102), kept[249]]);
    expect(Object.keys((await records(releaseId))[0]!.record)).toEqual(recordFields);
    const without = await load(path, { attributes: false });
    expect(await readAttributes(pool, [{ releaseId: without.releaseId, first: 1, count: 2 }])).toEqual([{}, {}]);
  });

  test('of one part of a county keeps what was published beside the records of the others', async () => {
    const [east, west] = await Promise.all(
      ['east', 'west'].map((name, i) => files.write(`${name}.geojson`, collection(parcels(150 - i * 120, { TOWN_NOTE: name })))),
    );
    await load(east!, { part: 'east', force: true }, '25021');
    const { releaseId } = await load(west!, { part: 'west', force: true }, '25021');
    const found = await readAttributes(pool, [{ releaseId, first: 1, count: 180 }]);
    expect(found).toEqual([...Array(150).fill({ TOWN_NOTE: 'east' }), ...Array(30).fill({ TOWN_NOTE: 'west' })]);
  });

  test('writes rows that become no record down, from which of several files they come, and counts every row once', async () => {
    const paths = [
      await files.write('north.geojson', collection([...parcels(40), feature({ APN: '' }, null)])),
      await files.write('south.csv', `APN,OWNER\n${'10-7,A\n'.repeat(30)},B\n`),
    ];
    const summary = await load(paths);
    expect(summary).toMatchObject({ read: 72, loaded: 70, rejected: 2 });
    const row = { number: 41, reason: 'Neither a parcel number nor a geometry', row: { APN: '' } };
    expect(await rejectedRows(db, summary)).toEqual([
      { ...row, file: 'north.geojson' },
      expect.objectContaining({ number: 32, file: 'south.csv' }),
    ]);
    expect(await rejectedRows(db, await load(paths[0]!))).toEqual([row]);
  });

  test('keeps the SHA-256 of the files that it was of, in their order', async () => {
    const texts = [collection([feature({ APN: '1' })]), collection([feature({ APN: '2' })])];
    const paths = await Promise.all(texts.map((text, i) => files.write(`hashed-${i}.geojson`, text)));
    const { releaseId } = await load(paths);
    const [release] = await db.query<{ sha256: string }>(
      `select encode(source_sha256, 'hex') as sha256 from parcel_release where id = $1`,
      [releaseId],
    );
    expect(release!.sha256).toBe(createHash('sha256').update(texts.join('')).digest('hex'));
  });

  const note = 'long enough that many rows need several writes '.repeat(20);

  test.each([1, 300])('fails with one line when the database has no room for %i rejected rows, and changes nothing', async (count) => {
    const before = await countyRow();
    await db.query(`create function no_room() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
    await db.query('create trigger no_room before insert on rejected_rows for each row execute function no_room()');
    const rejected = Array.from({ length: count }, () => feature({ NOTE: note }, null));
    const path = await files.write('many-rejects.geojson', collection([...parcels(10), ...rejected]));
    await expect(load(path, { maxRejectsPercent: 100 })).rejects.toThrow(
      /^The rejected rows could not be saved \(could not extend file\): nothing was published\.$/,
    );
    await db.query('drop function no_room cascade');
    expect(await countyRow()).toEqual(before);
    expect(await db.query('select state from parcel_release order by id desc limit 1')).toEqual([{ state: 'failed' }]);
  });

  test('fails with one line when the temporary folder cannot be written to', async () => {
    const before = await countyRow();
    const path = await files.write('rejected.geojson', collection([...parcels(10), feature({ NOTE: note }, null)]));
    // Attributes would need a file of their own.
    const args = ['load', '--county', middlesex, path, '--no-profile', '--no-attributes', '--max-rejects', '100'];
    const env = { DATABASE_URL: db.url, AUTH_SECRET: 'a secret of the tests, long enough', TMPDIR: join(files.folder, 'nowhere') };
    const { code, stderr } = await runCli(args, env);
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      expect.stringMatching(/The rejected rows could not be saved \([^\n]+\): nothing was published\.$/),
    ]);
    expect(await countyRow()).toEqual(before);
    expect(await db.query('select state from parcel_release order by id desc limit 1')).toEqual([{ state: 'failed' }]);
  });

  test('that rejects too much publishes nothing, and leaves no rows', async () => {
    const before = await countyRow();
    const path = await files.write('bad.geojson', collection([...parcels(10), feature({}, null), feature({}, null)]));
    await expect(load(path)).rejects.toThrow(/2 of 12 rows .* Nothing was published/);
    expect(await countyRow()).toEqual(before);
    const [failed] = await db.query<{ id: number; state: string }>(`select id, state from parcel_release order by id desc limit 1`);
    expect(failed!.state).toBe('failed');
    expect(await records(failed!.id)).toEqual([]);
    expect(await load(path, { maxRejectsPercent: 20 })).toMatchObject({ loaded: 10, rejected: 2 });
  });

  test('of a county that never had data leaves it as it was when it fails', async () => {
    await db.query(`update county set status = 'unavailable' where fips = '48001'`);
    const path = await files.write('cut.geojson', collection([...parcels(30)]).slice(0, -3));
    await expect(load(path, { force: true }, '48001')).rejects.toThrow(/cut/);
    expect(await countyRow('48001')).toEqual({ status: 'unavailable', release: null, parcels: 0 });
  });

  test('of files with a roll makes a record of each row, and of each shape without one', async () => {
    const shapes = await files.write(
      'shapes.geojson',
      collection([
        feature({ ML: '1' }, square(1)),
        feature({ ML: '2' }, square(2)),
        feature({ ML: '3' }, square(3)),
        feature({ ML: '2' }, square(4)),
        feature({}, square(5)),
      ]),
    );
    const roll = await files.write('roll.csv', 'PARCEL,Owner,YearBuilt\n2,A,1900\n2,B,0\n1,C,1910\n7,D,1920\n');
    const shares: number[] = [];
    const onProgress = ({ bytesRead, byteLength }: LoadProgress) => {
      expect(bytesRead).toBe(Math.trunc(bytesRead)); // a bigint of the database takes no fraction
      shares.push(bytesRead / byteLength);
    };
    const { releaseId, read, loaded } = await load(shapes, { join: roll, on: 'ML=PARCEL' }, middlesex, onProgress);
    expect([read, loaded]).toEqual([6, 6]);
    const { rows } = await pool.query<{ source: string }>('select source from parcel_release where id = $1', [releaseId]);
    expect(rows[0]!.source).toBe('shapes.geojson, roll.csv');
    // Half of the way the files are read, the other half their rows are put together.
    expect(shares).toEqual(shares.toSorted());
    expect(shares.filter((share) => share < 0.5).length).toBeGreaterThan(0);
    expect(shares.at(-1)).toBeCloseTo(1);
    const found = (await records(releaseId)).map(({ apn, record }) => [
      apn,
      record.apn_sequence,
      record.owner_name,
      (record.geometry as { type?: string } | null)?.type,
    ]);
    expect(found).toEqual([
      ['1', 0, 'C', 'Polygon'],
      ['2', 0, 'A', 'MultiPolygon'],
      ['2', 1, 'B', 'MultiPolygon'],
      ['3', 0, null, 'Polygon'],
      [null, 0, null, 'Polygon'],
      ['7', 0, 'D', undefined],
    ]);
  });
});

test('a roll is tied to shapes by the columns that tie most of the first rows, unless others are named', async () => {
  const shapes = await files.write(
    'tied.geojson',
    collection(parcels(4).map((each, i) => ({ ...each, properties: { ML: `10-${i}`, NR: i, TOWN: 'C' } }))),
  );
  const roll = await files.write('tied.csv', 'TOWN,PARCEL,NR,OWNER\nC,10-0,7,A\nC,10-2,8,B\nC,10-3,1,C\nC,10-9,9,D\n');
  const preview = (on?: string) =>
    previewLoad({ db: pool, county: middlesex, files: [shapes], options: { profile: false, join: roll, ...(on && { on }) } });
  expect((await preview()).join).toEqual({
    shapeColumn: 'ML',
    rollColumn: 'PARCEL',
    on: 'ML=PARCEL',
    matched: 3,
    rollRows: 4,
    pairs: [
      { shapeColumn: 'ML', rollColumn: 'PARCEL', on: 'ML=PARCEL', matched: 3 },
      { shapeColumn: 'NR', rollColumn: 'NR', on: 'NR', matched: 1 },
    ],
  });
  expect((await preview('NR')).join).toMatchObject({ shapeColumn: 'NR', rollColumn: 'NR', matched: 1 });
  expect(await load(shapes, { join: roll })).toMatchObject({ read: 5, loaded: 5 });
});

describe('a load is refused', () => {
  test('when the data lies elsewhere, naming where; unless forced', async () => {
    const path = await files.write('elsewhere.geojson', collection(parcels(5)));
    const refusal = /outside King County, WA \(53033\): 5 of 5 rows lie in Middlesex County, MA \(25017\)/;
    await expect(load(path, {}, '53033')).rejects.toThrow(refusal);
    expect(await previewLoad({ db: pool, county: '53033', files: [path] })).toMatchObject({
      refusal: expect.stringMatching(refusal),
      faults: [{ rows: 5, reason: expect.stringContaining('(25017)') }],
    });
    const warnings = [expect.stringMatching(/^5 rows loaded with --force: Lies in Middlesex County, MA \(25017\)/)];
    expect(await load(path, { force: true }, '53033')).toMatchObject({ loaded: 5, rejected: 0, warnings });
  });

  test('when most of it lies elsewhere, though not its first rows', async () => {
    const rows = (count: number, west: number) =>
      Array.from({ length: count }, (_, i) => feature({ APN: `${west}-${i}` }, { type: 'Point', coordinates: [west, 42.36] }));
    const path = await files.write('later.geojson', collection([...rows(1001, -71.11), ...rows(1500, -71.06)]));
    await expect(load(path)).rejects.toThrow(/1,500 of 2,501 rows lie in Suffolk County, MA \(25025\)/);
    await expect(load(path, {}, '25025')).rejects.toThrow(/1,000 of 1,000 rows lie in Middlesex County, MA \(25017\)/);
    expect(await load(path, { maxRejectsPercent: 100 }, '25025')).toMatchObject({ loaded: 1500, rejected: 1001 });
  });

  test.each<[string, (path: string, lines: string[]) => void]>([
    ['lines are added to it', (path) => appendFileSync(path, '10-40,NEW\n')],
    ['it is cut where a line ends', (path, lines) => truncateSync(path, lines.slice(0, 31).join('').length)],
    ['its last lines are written anew', (path, lines) => writeFileSync(path, lines.join('').replace('10-39,B', '10-39,C'))],
    [
      'another takes its place',
      (path, lines) => {
        writeFileSync(`${path}.new`, lines.join(''));
        renameSync(`${path}.new`, path);
      },
    ],
  ])('when its file changes while it is read: %s', async (_, change) => {
    const lines = ['APN,OWNER\n', ...Array.from({ length: 40 }, (_, i) => `10-${i},B\n`)];
    const before = await countyRow();
    for (const [roll, name] of [
      [false, 'changing.csv'],
      [true, 'changing-roll.csv'],
    ] as const) {
      const path = await files.write(name, lines.join(''));
      const shapes = await files.write('unchanging.geojson', collection(parcels(40)));
      const loading = loadFiles(db, [roll ? shapes : path], roll ? { join: path } : {}, { onStart: () => change(path, lines) });
      await expect(loading).rejects.toThrow(`${name} changed while it was read, so nothing was published`);
    }
    expect(await countyRow()).toEqual(before);
    const [latest] = await db.query('select state from parcel_release order by id desc limit 1');
    expect(latest).toEqual({ state: 'failed' });
  });

  test('while another of the same county runs', async () => {
    const other = new Client({ connectionString: db.url });
    await other.connect();
    await lockCounty(other, middlesex);
    const path = await files.write('second.geojson', collection(parcels(5)));
    await expect(load(path)).rejects.toMatchObject({ code: 'conflict' });
    await other.end();
  });
});

test('the command takes --map before the files as well as after them', async () => {
  const path = await files.write('command.geojson', collection(parcels(2, { PLOT: 'P' })));
  const services = { preparedDatabase: async () => ({ url: db.url }), json: true } as unknown as CliServices;
  const load = ['load', '--county', middlesex, '--no-profile', '--republish', '--accept', everyFinding.join()];
  for (const order of [
    ['--map', 'apn=PLOT', 'zoning=', path],
    [path, '--map', 'apn=PLOT', 'zoning='],
  ]) {
    const { release_id: releaseId } = JSON.parse(await runLoader(services, [...load, ...order]));
    expect((await records(releaseId)).map(({ apn }) => apn)).toEqual(['P', 'P']);
  }
});

test('a load that died is closed by the next one, which says so', async () => {
  const [dead] = await db.query<{ id: number }>(
    `insert into parcel_release (county_fips, source, format) values ($1, 'x', 'CSV') returning id`,
    [middlesex],
  );
  const path = await files.write('after.geojson', collection(parcels(5)));
  const said: number[] = [];
  await loadCounty({
    database: db,
    county: middlesex,
    files: [path],
    options: { profile: false },
    onStart: ({ deadLoads }) => said.push(...deadLoads.map(({ id }) => id)),
  });
  expect(said).toEqual([dead!.id]);
  expect(await db.query(`select state from parcel_release where id = $1`, [dead!.id])).toEqual([{ state: 'failed' }]);
});

test('a first load that died leaves its county planned again, once anybody looks; one that lives is left alone', async () => {
  const [dead, alive] = ['25001', '25003'];
  await db.query(`insert into parcel_release (county_fips, source, format) values ($1, 'x', 'CSV'), ($2, 'x', 'CSV')`, [dead, alive]);
  await db.query(`update county set status = 'loading' where fips in ($1, $2)`, [dead, alive]);
  const other = new Client({ connectionString: db.url });
  await other.connect();
  await lockCounty(other, alive);
  expect(await closeDeadLoads(pool)).toMatchObject([{ countyFips: dead }]);
  expect(await closeDeadLoads(pool)).toEqual([]);
  expect([await countyRow(dead), await countyRow(alive)]).toMatchObject([{ status: 'planned' }, { status: 'loading' }]);
  await other.end();
});

test.each([
  ['between some rows and the next', 1, false],
  ['behind its last rows', 3000, false],
  ['between the rows of a join', 1, true],
])('a load whose connections break fails at once, and publishes nothing: %s', async (_, rows, isJoin) => {
  const { release } = await countyRow();
  const shapes = await files.write('breaking.geojson', collection(parcels(3000)));
  const join = isJoin ? await files.write('breaking.csv', `APN,OWNER\n${'10-7,A\n'.repeat(3000)}`) : undefined;
  const breakAll = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'parcel-records load'`;
  let breaking: Promise<unknown> = Promise.resolve();
  const onProgress = ({ read }: LoadProgress) => {
    if (read >= rows) breaking = db.query(breakAll);
  };
  await expect(loadFiles(db, [shapes], { join, on: join && 'APN' }, { onProgress })).rejects.toThrow(
    /terminat|connection|EPIPE|ECONNRESET/i,
  );
  await breaking;
  expect(await countyRow()).toMatchObject({ release });
});

test('a load that is called off publishes nothing', async () => {
  const before = await countyRow();
  const path = await files.write('called-off.geojson', collection(parcels(2000)));
  const caller = new AbortController();
  const request = {
    database: db,
    county: middlesex,
    files: [path],
    options: { profile: false },
    signal: caller.signal,
  };
  await expect(loadCounty({ ...request, onProgress: () => caller.abort() })).rejects.toThrow();
  expect(await countyRow()).toEqual(before);
});

test('rollback goes back one release at a time; prune spares the current one and what is young', async () => {
  const fips = '25009';
  const path = await files.write('history.geojson', collection(parcels(5)));
  const first = (await load(path, { force: true }, fips)).releaseId;
  const second = (await load(path, { force: true }, fips)).releaseId;
  const third = (await load(path, { force: true }, fips)).releaseId;
  expect(await rolledBack(fips)).toEqual({ from: third, to: second });
  expect(await countyRow(fips)).toEqual({ status: 'loaded', release: second, parcels: 5 });
  expect((await pruneReleases(pool)).filter(({ county_fips }) => county_fips === fips)).toEqual([]);
  await db.moveClock('8 days');
  expect((await pruneReleases(pool)).filter(({ county_fips }) => county_fips === fips).map(({ id, records }) => [id, records])).toEqual([
    [first, 5],
    [third, 5],
  ]);
  expect(await records(second)).toHaveLength(5);
  await expect(rolledBack(fips)).rejects.toThrow(/no earlier release/);
});

test('setting the status of a loaded county withdraws it, and rollback brings it back', async () => {
  const { release } = await countyRow();
  expect(await withdrawn(middlesex, 'unavailable', 'licence')).toBe(true);
  expect(await countyRow()).toEqual({ status: 'unavailable', release: null, parcels: 0 });
  expect(await rolledBack(middlesex)).toEqual({ from: null, to: release });
});

describe('a county that is withdrawn while it is loaded stays withdrawn:', () => {
  test.each([
    ['one with a release', '25007', async (fips: string, path: string) => load(path, { force: true }, fips)],
    ['one during its first load', '25011', async () => {}],
    ['one that was withdrawn before', '25013', async (fips: string) => withdrawn(fips, 'unavailable', null)],
  ])('%s', async (_, fips, before) => {
    const path = await files.write('withdrawn-meanwhile.geojson', collection(parcels(5)));
    await before(fips, path);
    let loading: Promise<unknown> = Promise.resolve();
    await dataSource.transaction(async (manager) => {
      await manager.query('lock table parcel in share mode'); // so that the load waits with its COPY
      loading = load(path, { force: true }, fips).catch((error) => error);
      const waiting = `select from pg_locks where relation = 'parcel'::regclass and not granted`;
      await eventually('the load is under way', async () => (await db.query(waiting)).length === 1);
      await setCountyStatus(manager, fips, 'unavailable', null);
    });
    expect(await loading).toMatchObject({ code: 'conflict', message: expect.stringContaining('withdrawn during the load') });
    expect(await countyRow(fips)).toEqual({ status: 'unavailable', release: null, parcels: 0 });
    expect((await load(path, { force: true }, fips)).state).toBe('published');
  });
});

test('rollback brings back the release that was withdrawn, not one that was rolled back before', async () => {
  const fips = '25005';
  const path = await files.write('withdrawn.geojson', collection(parcels(5)));
  const first = (await load(path, { force: true }, fips)).releaseId;
  await load(path, { force: true }, fips);
  await rolledBack(fips);
  await withdrawn(fips, 'planned', null);
  expect(await rolledBack(fips)).toEqual({ from: null, to: first });
});

test('a release is published while its county is rolled back to it: one waits for the other', async () => {
  const fips = '25015';
  const path = await files.write('both.geojson', collection(parcels(5)));
  const first = (await load(path, { force: true }, fips)).releaseId;
  const second = (await load(path, { force: true }, fips)).releaseId;
  let publishing: Promise<unknown> = Promise.resolve();
  await dataSource.transaction(async (manager) => {
    await manager.query('select from county where fips = $1 for update', [fips]);
    publishing = dataSource.transaction((other) => republish(other, first)).catch((error) => error);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually('the other waits', async () => (await db.query(waiting)).length === 1);
    expect(await rollBack(manager, fips)).toEqual({ from: second, to: first });
  });
  expect(await publishing).toBeUndefined();
  expect(await countyRow(fips)).toEqual({ status: 'loaded', release: first, parcels: 5 });
});

test('the sample county says what it is, until real records take its place', async () => {
  const empty = await createTestDatabase();
  await loadSampleCounty({ url: empty.url, pool: openPool(empty) }, createLog({ logLevel: 'silent' }));
  const [first] = await empty.query<{ count: number; record: string }>(
    `select count(*) over ()::integer as count, record from parcel order by ordinal limit 1`,
  );
  expect(first!.count).toBe(300);
  expect(JSON.parse(first!.record)).toMatchObject({ county_fips: '48301', source: 'Synthetic sample, not real data', apn: 'S-001-001' });
  const isSample = async () => (await empty.query(`select is_sample from county where fips = '48301'`))[0]!.is_sample;
  expect(await isSample()).toBe(true);
  const path = await files.write('real.geojson', collection(parcels(3)));
  await loadCounty({ database: empty, county: '48301', files: [path], options: { force: true } });
  expect(await isSample()).toBe(false);
});

describe('excerpts of county files', () => {
  const excerpts = projectFile('test/loader/excerpts');
  const loadedFrom = async (name: string, options: LoadRequest['options'] = {}) => {
    const summary = await load(join(excerpts, name), { source: 'Cambridge', ...options });
    expect(summary.rejected).toBe(0);
    return byParcel(await records(summary.releaseId));
  };
  const joined = (roll: string, landValue: string) =>
    loadedFrom('parcels.geojson', { join: join(excerpts, roll), on: 'ML', map: [landValue, 'situs_address=Location'] });
  let geojson: Records;
  let csv: Records;
  beforeAll(async () => {
    geojson = await loadedFrom('parcels.geojson');
    csv = await joined('roll.csv', 'land_value=TotalAppraisedLandValue');
  });

  test.each<[string, boolean, LoadRequest['options']?]>([
    ['parcels.ndjson', true],
    ['parcels.zip', true], // a Shapefile in feet
    ['parcels.gpkg', false],
    ['parcels.fgb', true],
    ['parcels.kml', false],
    ['parcels.kmz', false],
    ['parcels.gml', false],
    ['county.gdb.zip', true, { layer: 'parcels' }],
    ['mapinfo.zip', true],
  ])('are the same records in parcels.geojson and %s', async (name, isRounded, options = {}) => {
    const other = await loadedFrom(name, options);
    expect([geojson.size, other.size]).toEqual([21, 21]);
    expect(differing(geojson, other, isRounded)).toEqual([]);
  });

  test.each([
    ['roll.xlsx', 'land_value=TotalAppraisedLandValue'],
    ['roll.dbf', 'land_value=TotLandVal'], // whose names have ten letters at most
  ])('are the same records in roll.csv and %s, joined to the parcels', async (roll, landValue) => {
    expect([...csv.values()].filter(({ land_value }) => land_value !== null).length).toBeGreaterThan(10);
    expect(differing(csv, await joined(roll, landValue), false, ['land_value', 'situs_address', 'apn', 'geometry'])).toEqual([]);
  });
});

const data = join(countyData, 'parcels');
withCountyData.describe('real county files', () => {
  const cambridge = join(data, '25017-cambridge-fy2014');

  test.each([
    ['Cambridge as Suffolk', 'parcels_fy2014.shp', '25025', '25017'],
    ['San Francisco as Alameda', '../06075-san-francisco/taxlots.geojson', '06001', '06075'],
    ['Denver as Arapahoe', '../08031-denver/US_CO_Tract_08031001101.geojson', '08005', '08031'],
    ['Berkeley as Contra Costa', '../06001-alameda/berkeley/Parcels.shp', '06013', '06001'],
  ])('are refused for a neighbour: %s', async (_, file, given, own) => {
    await expect(load(join(cambridge, file), {}, given)).rejects.toThrow(
      new RegExp(`outside .*\\(${given}\\): .* rows lie in .*\\(${own}\\)`),
    );
  });

  test('Cambridge with its tax roll: every row is accounted for', async () => {
    const summary = await load(join(cambridge, 'parcels_fy2014.geojson'), { join: join(cambridge, 'TaxFY14.csv'), on: 'ML' });
    // 27,528 roll rows and 134 polygons without one; the row without ML has neither number nor polygon.
    expect(summary).toMatchObject({ read: 27_662, loaded: 27_661, rejected: 1 });
    const [condominium] = await db.query(
      `select count(*)::integer as units, max((record::json->>'apn_sequence')::integer) as last from parcel where release_id = $1 and apn = '1A-109'`,
      [summary.releaseId],
    );
    expect(condominium).toEqual({ units: 438, last: 437 });
  });

  test.each([
    ['Oakland, zipped, in feet', '06001', '06001-alameda/us-ca-oakland-excerpt.zip', {}, 2241],
    ['Berkeley, compound .prj', '06001', '06001-alameda/berkeley/Parcels.shp', {}, 746],
    ['Denver, one kind of three', '08031', '08031-denver/US_CO_Tract_08031001101.geojson', { where: ['type=Taxlot'] }, 88],
    ['San Francisco, without numbers', '06075', '06075-san-francisco/taxlots.geojson', { force: true }, 526],
  ])('%s', async (_, fips, path, options, count) => {
    expect(await load(join(data, path), options, fips)).toMatchObject({ loaded: count, rejected: 0 });
  });

  test('Denver, all kinds, with the option that keeps parcels alone', async () => {
    const { loaded, warnings } = await load(join(data, '08031-denver/US_CO_Tract_08031001101.geojson'), {}, '08031');
    expect([loaded, warnings]).toEqual([
      230,
      [expect.stringMatching(/^142 of 230 records have no parcel number in .*\? --where "type=Taxlot" keeps those that have one\.$/)],
    ]);
  });

  test("Berkeley's points are where its own columns say", async () => {
    const preview = await previewLoad({ db: pool, county: '06001', files: [join(data, '06001-alameda/berkeley/Parcels.shp')] });
    expect(preview).toMatchObject({ refusal: null, faults: [], rowEstimate: 746 });
    expect(preview.mapping.find(({ field }) => field === 'situs_address')!.samples[0]).toBe('2408 ATHERTON ST');
  });
});

test('a load says, with a count and an example, which shapes are too large to look for crossings', async () => {
  const round = Array.from({ length: 10_001 }, (_, i) => {
    const angle = (2 * Math.PI * (i % 10_000)) / 10_000;
    return [-71.11 + 0.001 * Math.cos(angle), 42.37 + 0.001 * Math.sin(angle)];
  });
  const features = [...parcels(3), feature({ APN: 'L-1' }, { type: 'Polygon', coordinates: [round] })];
  const { warnings } = await load(await files.write('round.geojson', collection(features)));
  expect(warnings).toEqual(['Shapes of more than 10,000 positions, not checked for crossings: 1, such as that of L-1.']);
});

test('rejected rows stay for 30 days, and as long as their release has its records; of a failed load the first 16 MB stay', async () => {
  const fips = '25027'; // no other test loads it
  const named = (name: string, rejected: object[]) =>
    files.write(name, [...parcels(40), ...rejected].map((each) => JSON.stringify(each)).join('\n'));
  const nowhere = (NOTE: string) => feature({ APN: '', NOTE }, null);
  const note = 'two\u2028lines';
  const printed = async (id: number) => {
    const rows: { number: number; row: object }[] = [];
    for await (const line of rejectedLines(pool, id)) rows.push(JSON.parse(line));
    return rows;
  };
  const published = await load(await named('noted.ndjson', [nowhere(note)]), { force: true }, fips);
  expect(await printed(published.releaseId)).toMatchObject([{ number: 41, row: { NOTE: note } }]);
  const replaced = await load(await named('replaced.ndjson', [nowhere('x')]), { force: true }, fips);
  const current = await load(await named('current.ndjson', [nowhere('y')]), { force: true }, fips);
  const long = Array.from({ length: 18 }, () => nowhere('x'.repeat(2 ** 20)));
  await expect(load(await named('long.ndjson', long), { force: true }, fips)).rejects.toThrow(/kept with release \d+/);
  const [failed] = await db.query<{ id: number }>('select max(id) as id from parcel_release');
  const first = await printed(failed!.id);
  expect(first.map(({ number }) => number)).toEqual(Array.from({ length: 15 }, (_, i) => 41 + i));

  const kept = async () => {
    await pruneReleases(pool, 20);
    const rows = await db.query<{ id: number }>(
      'select distinct release_id as id from rejected_rows join parcel_release r on r.id = release_id where county_fips = $1 order by 1',
      [fips],
    );
    return rows.map(({ id }) => id);
  };
  const all = [published.releaseId, replaced.releaseId, current.releaseId, failed!.id];
  await db.moveClock('29 days');
  expect(await kept()).toEqual(all);
  await db.moveClock('2 days');
  expect(await kept()).toEqual([current.releaseId]);
});
