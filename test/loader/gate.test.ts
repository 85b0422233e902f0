import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { createLog } from '../../src/core/log.js';
import { type LoadRequest, type LoadSummary, loadCounty } from '../../src/loader/load-county.js';
import { loadSampleCounty } from '../../src/loader/sample-county.js';
import { describeSummary } from '../../src/loader/show.js';
import { describeHeld } from '../../src/loader/show-report.js';
import { ParcelReleaseEntity } from '../../src/releases/catalogue/parcel-release.entity.js';
import { pruneReleases } from '../../src/releases/lifecycle/prune.js';
import { discardHeld, publishHeld, rollBack } from '../../src/releases/lifecycle/publish-release.js';
import { shownState } from '../../src/releases/lifecycle/release.store.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { asWrittenBefore } from '../harness/records.js';
import { collection, feature, type Scratch, scratch, square } from './files.js';
import { dataSourceOf, everyFinding, loadFiles } from './loads.js';

// A roll of a hundred parcels, and what becomes of it in another year: each vintage is loaded over the first one.

const middlesex = '25017';
const log = createLog({ logLevel: 'silent' });
let db: TestDatabase;
let pool: Pool;
let dataSource: DataSource;
let files: Scratch;
let first: LoadSummary;

interface Parcel {
  APN: string;
  OWNER: string | null;
  ADDRESS: string | null;
  LAND_VALUE: number;
  YEAR_BUILT: number;
  ACRES: number;
  /** Which square it is. */
  at: number;
}

const roll: Parcel[] = Array.from({ length: 100 }, (_, i) => ({
  APN: `10-${i}`,
  OWNER: `OWNER ${i}, "THE ${i}TH"`,
  ADDRESS: `${i + 1} MAIN ST`,
  LAND_VALUE: 100_000 + i,
  YEAR_BUILT: 1900 + i,
  ACRES: 2.5,
  at: i,
}));

let written = 0;
async function load(parcels: Parcel[], options: LoadRequest['options'] = {}): Promise<LoadSummary> {
  const features = parcels.map(({ at, ...properties }) => feature(properties, at < 0 ? null : square(at)));
  const path = await files.write(`vintage-${++written}.geojson`, collection(features));
  return loadFiles(db, [path], { accept: [], ...options });
}

const names = ({ report }: LoadSummary) => report.findings.map(({ name }) => name);
const current = async () =>
  (await db.query<{ id: number }>(`select current_release_id as id from county where fips = $1`, [middlesex]))[0]!.id;
const stateOf = async (id: number) => (await db.query<{ state: string }>('select state from parcel_release where id = $1', [id]))[0]!.state;
const rowsOf = async (id: number) => (await db.query('select from parcel where release_id = $1', [id])).length;
const published = (id: number, accept: string[]) => dataSource.transaction((manager) => publishHeld(manager, id, accept));

beforeAll(async () => {
  db = await createTestDatabase();
  pool = openPool(db);
  dataSource = await dataSourceOf(db);
  files = await scratch();
});

describe('a vintage', () => {
  beforeEach(async () => {
    first = await load(roll, { accept: everyFinding });
    expect(first.state).toBe('published');
  });

  test('of an ordinary year is published, and the report says what is new in it', async () => {
    const next = roll
      .slice(3)
      .map((parcel, i) => ({ ...parcel, LAND_VALUE: parcel.LAND_VALUE + (i < 20 ? 5_000 : 0), OWNER: i === 0 ? 'B' : parcel.OWNER }));
    next.push({ ...roll[0]!, APN: 'NEW', at: 200 });
    const { state, report, releaseId } = await load(next);
    expect([state, report.findings]).toEqual(['published', []]);
    expect(report.comparison).toMatchObject({
      releaseId: first.releaseId,
      records: 100,
      added: 1,
      gone: 3,
      changed: 20,
      unchanged: 77,
      examined: 20,
      moved: 0,
      jumped: 0,
      changedFields: { land_value: 20, owner_name: 1 },
      goneNumbers: ['10-0', '10-1', '10-2'],
      addedNumbers: ['NEW'],
    });
    expect(report.comparison!.changedRecords[0]).toMatchObject({
      apn: '10-3',
      fields: [
        { field: 'owner_name', before: 'OWNER 3, "THE 3TH"', after: 'B' },
        { field: 'land_value', before: '100003', after: '105003' },
      ],
    });
    expect(await current()).toBe(releaseId);
  });

  test('that is the same again differs in nothing, whatever source and date it states', async () => {
    const { report } = await load(roll, { source: 'another', sourceDate: '2026-01-01' });
    expect(report.comparison).toMatchObject({ added: 0, gone: 0, changed: 0, unchanged: 100, changedFields: {}, changedRecords: [] });
  });

  test('over one that was written before the newest fields differs in nothing but what they now say', async () => {
    await asWrittenBefore(db, first.releaseId);
    const same = await load(roll, { source: 'another' });
    expect(same.report.comparison).toMatchObject({ changed: 0, unchanged: 100, changedFields: {} });
    expect(same.report.findings).toEqual([]);
    await asWrittenBefore(db, same.releaseId);
    const next = roll.map((parcel, i) => ({ ...parcel, LOT: `${i},`, STORIES: i < 40 ? 2 : null, UNITS: 0 }));
    const { state, report } = await load(next);
    expect([state, report.comparison]).toMatchObject(['published', { changed: 100, changedFields: { lot: 100, stories: 40 }, moved: 0 }]);
    expect(report.comparison!.changedRecords[0]!.fields).toEqual([
      { field: 'stories', before: null, after: '2' },
      { field: 'lot', before: null, after: '0,' },
    ]);
    next[1]!.STORIES = 3;
    expect((await load(next)).report.comparison).toMatchObject({ changed: 1, changedFields: { stories: 1 } });
  });

  test('may have any text: what changed beside one that ends with a comma is told by its own field', async () => {
    const odd = roll.map((parcel, i) => ({
      ...parcel,
      OWNER: [`DOE, JANE,`, ',', `A "B",`, ',,","', `X,\\`][i % 5]!,
      ADDRESS: `${i + 1} MAIN ST,`,
    }));
    const map = ['owner_name=OWNER'];
    expect((await load(odd, { map })).state).toBe('published');
    const next = odd.map((parcel, i) => ({
      ...parcel,
      LAND_VALUE: parcel.LAND_VALUE + (i < 10 ? 5_000 : 0),
      YEAR_BUILT: i === 3 ? 2001 : parcel.YEAR_BUILT,
    }));
    const { state, report } = await load(next, { map });
    expect([state, report.comparison]).toMatchObject(['published', { changed: 10, changedFields: { land_value: 10, year_built: 1 } }]);
  });

  test('may have characters beyond the first 65,536, even where an example is cut, and halves of such characters', async () => {
    const text = (owner: string) => roll.map((parcel, i) => (i === 0 ? { ...parcel, OWNER: owner } : parcel));
    const cut = `${'x'.repeat(118)}\u{1f600}${'x'.repeat(10)}`;
    for (const [owner, shown] of [
      [cut, `${'x'.repeat(118)}\ufffd…`],
      ['A \ud83d B', 'A \ufffd B'],
    ]) {
      const { state, report } = await load(text(owner!));
      expect([state, report.comparison!.changedRecords[0]!.fields[0]!.after]).toEqual(['published', shown]);
    }
  });

  test('is compared with the records themselves where no load wrote their digests', async () => {
    await db.query('update parcel_release set content_digests = null where id = $1', [first.releaseId]);
    const { report } = await load(roll.slice(2).map((parcel, i) => (i === 0 ? { ...parcel, OWNER: 'B' } : parcel)));
    const changes = { added: 0, gone: 2, changed: 1, unchanged: 97, goneNumbers: ['10-0', '10-1'] };
    expect(report.comparison).toMatchObject({ ...changes, changedFields: { owner_name: 1 }, changedRecords: [{ apn: '10-2' }] });
  });

  test('without places is judged by its house numbers', async () => {
    const placeless = roll.map((parcel) => ({ ...parcel, at: -1 }));
    await load(placeless, { accept: ['empty', 'spread'] });
    const held = await load(placeless.map((parcel, i) => ({ ...parcel, ADDRESS: `${i + 7} MAIN ST` })));
    expect(names(held)).toEqual(['places']);
    expect(names(await load(placeless.map((parcel) => ({ ...parcel, ADDRESS: parcel.ADDRESS!.replace('ST', 'STREET') }))))).toEqual([]);
  });
});

describe('a vintage', () => {
  beforeAll(async () => {
    first = await load(roll, { accept: everyFinding });
  });

  test.each<[string, string[], (parcels: Parcel[]) => Parcel[]]>([
    ['without half of the rows', ['loss'], (parcels) => parcels.slice(50)],
    ['with six of a hundred rows gone', ['loss'], (parcels) => parcels.slice(6)],
    ['whose owners are gone', ['empty:owner_name'], (parcels) => parcels.map((parcel) => ({ ...parcel, OWNER: null }))],
    [
      'whose shapes are gone',
      ['spread', 'empty:latitude', 'empty:geometry'],
      (parcels) => parcels.map((parcel) => ({ ...parcel, at: -1 })),
    ],
    ['whose numbers are others', ['ids'], (parcels) => parcels.map((parcel) => ({ ...parcel, APN: `X${parcel.APN}` }))],
    ['whose numbers were shuffled', ['places'], (parcels) => parcels.map((parcel, i) => ({ ...parcel, APN: `10-${(i + 37) % 100}` }))],
    [
      'whose values are a thousand times as high',
      ['values'],
      (parcels) => parcels.map((parcel) => ({ ...parcel, LAND_VALUE: parcel.LAND_VALUE * 1000 })),
    ],
    [
      'in which one house of ten is built in the future',
      ['values:year_built'],
      (parcels) => parcels.map((parcel, i) => ({ ...parcel, YEAR_BUILT: i % 10 === 0 ? 2300 : parcel.YEAR_BUILT })),
    ],
    ['with square metres for acres', ['values:acres'], (parcels) => parcels.map((parcel) => ({ ...parcel, ACRES: parcel.ACRES * 4047 }))],
    ['of another town', ['loss', 'ids'], (parcels) => parcels.slice(60).map((parcel, i) => ({ ...parcel, APN: `T-${i}`, at: i + 300 }))],
  ])('%s is held, as %j', async (_, expected, change) => {
    const held = await load(change(roll));
    expect([held.state, names(held)]).toEqual(['held', expected]);
    expect([await current(), await stateOf(held.releaseId)]).toEqual([first.releaseId, 'held']);
    expect(describeHeld(held.releaseId, held.report)).toContain(`--accept ${expected.join(',')}`);
  });

  test('is published if each of its findings is accepted, and not for one of them', async () => {
    const ofAnotherTown = roll.slice(60).map((parcel, i) => ({ ...parcel, APN: `T-${i}` }));
    expect(await load(ofAnotherTown, { accept: ['loss'] })).toMatchObject({ state: 'held', report: { accepted: ['loss'] } });
    const accept = ['loss', 'ids'];
    expect(await load(ofAnotherTown, { accept })).toMatchObject({ state: 'published', report: { accepted: accept } });
  });
});

describe('a release that is held', () => {
  let held: LoadSummary;
  beforeEach(async () => {
    first = await load(roll, { accept: everyFinding });
    held = await load(roll.slice(50));
  });

  test('is published as it was loaded once each finding is named, and rolled back like any other', async () => {
    await expect(published(held.releaseId, ['ids'])).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('50 records instead of 100'),
    });
    await published(held.releaseId, ['loss']);
    expect([await current(), await stateOf(held.releaseId), await rowsOf(held.releaseId)]).toEqual([held.releaseId, 'published', 50]);
    await expect(published(held.releaseId, ['loss'])).rejects.toThrow(/not held/);
    await dataSource.transaction((manager) => rollBack(manager, middlesex));
    expect(await current()).toBe(first.releaseId);
  });

  test('is given up by hand, by the next load, and by prune; its records go with it', async () => {
    await dataSource.transaction((manager) => discardHeld(manager, held.releaseId));
    await expect(published(held.releaseId, ['loss'])).rejects.toThrow(/not held/);
    const second = await load(roll.slice(50));
    const third = await load(roll.slice(40));
    expect([await stateOf(second.releaseId), await stateOf(third.releaseId)]).toEqual(['pruned', 'held']);
    await db.moveClock('8 days');
    await pruneReleases(pool);
    expect(await stateOf(third.releaseId)).toBe('pruned');
    for (const { releaseId } of [held, second, third]) {
      expect(await rowsOf(releaseId)).toBe(0);
      const release = await dataSource.getRepository(ParcelReleaseEntity).findOneByOrFail({ id: releaseId });
      expect(shownState(release)).toBe('discarded');
    }
    expect(await rowsOf(first.releaseId)).toBe(100);
  });

  test('is published while it is given up: one waits for the other', async () => {
    let publishing: Promise<unknown> = Promise.resolve();
    await dataSource.transaction(async (manager) => {
      await manager.query('select from county where fips = $1 for update', [middlesex]);
      publishing = published(held.releaseId, ['loss']).catch((error) => error);
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually('the other waits', async () => (await db.query(waiting)).length === 1);
      await discardHeld(manager, held.releaseId);
    });
    expect(await publishing).toMatchObject({ code: 'conflict', message: expect.stringContaining('not held') });
    expect(await current()).toBe(first.releaseId);
  });

  test('is not published in place of another release than it was held against', async () => {
    await dataSource.transaction((manager) => rollBack(manager, middlesex));
    await expect(published(held.releaseId, ['loss'])).rejects.toThrow(/has become the current one/);
  });
});

test('a first release is held against nothing, nor is one that takes the place of invented records', async () => {
  const empty = await createTestDatabase();
  await loadSampleCounty({ url: empty.url, pool: openPool(empty) }, log);
  const path = await files.write('loving.csv', 'APN,LON,LAT\n1,-103.6,31.8\n');
  const real = await loadCounty({ database: empty, county: '48301', files: [path] });
  expect(real).toMatchObject({ state: 'published', report: { comparison: null, findings: [] } });
});

test('a first release in which no record has a parcel number is held until an operator accepts it', async () => {
  const suffolk = '25025';
  const path = await files.write('addresses.csv', 'OWNER,ADDRESS,LON,LAT\nA,1 MAIN ST,-71.06,42.36\nB,2 MAIN ST,-71.06,42.35\n');
  const request = { database: db, county: suffolk, files: [path] };
  const held = await loadCounty(request);
  expect([held.state, held.report.findings]).toEqual([
    'held',
    [{ name: 'empty:apn', message: 'none of the 2 records has a parcel number' }],
  ]);
  expect(await db.query('select status, parcel_count from county where fips = $1', [suffolk])).toEqual([
    { status: 'planned', parcel_count: 0 },
  ]);
  await published(held.releaseId, ['empty:apn']);
  expect(await stateOf(held.releaseId)).toBe('published');
});

test('a release of little of its county is published, and the command says first that it is partial', async () => {
  const path = await files.write('town.csv', 'APN,LON,LAT\n1,-70.9,42.52\n');
  const request = { database: db, county: '25009', files: [path] };
  const whole = await loadCounty(request);
  expect([whole.state, describeSummary(whole).split('\n')[1]]).toEqual([
    'published',
    expect.stringMatching(/^ {2}PARTIAL: these records lie in 0\.\d% of the county's area.* load them with --part NAME/),
  ]);
  const town = await loadCounty({ ...request, options: { part: 'salem', accept: ['parts', 'ids'] } });
  expect([town.state, describeSummary(town)]).toEqual(['published', expect.not.stringContaining('PARTIAL')]);
});
