import { join } from 'node:path';
import { Client, Pool } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { releaseCheck } from '../../src/audit/release-checks.js';
import { type LoadRequest, loadCounty } from '../../src/loader/load-county.js';
import { disambiguateIds, discriminatorsOf } from '../../src/loader/records/disambiguate-ids.js';
import { recomputeDigests } from '../../src/loader/write/read-digests.js';
import { readAttributes } from '../../src/parcels/attributes.store.js';
import { ParcelStore } from '../../src/parcels/parcel.store.js';
import { setCountyStatus } from '../../src/releases/lifecycle/change-county.js';
import { pruneReleases } from '../../src/releases/lifecycle/prune.js';
import { publishHeld, republish, rollBack } from '../../src/releases/lifecycle/publish-release.js';
import { type RecordField, recordFields } from '../../src/releases/record-fields/record-fields.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { countyData, withCountyData } from '../harness/only-with.js';
import { asWrittenBefore } from '../harness/records.js';
import { randomFrom } from '../stripe/faults.js';
import { collection, feature, type Scratch, scratch, square } from './files.js';
import { dataSourceOf, loadFiles, recordsOf } from './loads.js';

const scope = { countyFips: '25017', part: null };

type Values = Partial<Record<RecordField, unknown>>;

const recordText = (values: Values) => JSON.stringify(Object.fromEntries(recordFields.map((field) => [field, values[field] ?? null])));

/** The ids of records of one number, by a name that each has in the test. */
function idsOf(rows: Record<string, Values>): Record<string, string> {
  const known = { latitude: 42.37, longitude: -71.11 };
  const identities = disambiguateIds(
    scope,
    '1',
    '1',
    Object.values(rows).map((row) => discriminatorsOf(recordText({ ...known, ...row }))),
  );
  return Object.fromEntries(Object.keys(rows).map((name, i) => [name, identities[i]!.id]));
}

describe('records of one number', () => {
  const condominium = {
    building: { situs_address: '197 OTIS ST', use_code: '199' },
    a: { situs_address: '197 OTIS ST #9A', total_value: 174_700 },
    b: { situs_address: '197 OTIS ST #10A', total_value: 222_300 },
  };
  const before = idsOf(condominium);

  test('have each their own id, in whatever order they come', () => {
    expect(new Set(Object.values(before)).size).toBe(3);
    const { building, a, b } = condominium;
    expect(idsOf({ b, building, a })).toEqual(before);
  });

  test('keep their ids while values, owners, spelling and neighbours change', () => {
    const after = idsOf({
      new: { situs_address: '197 OTIS ST #11' },
      b: { situs_address: '197  Otis St., Unit 10A', total_value: 230_000, owner_name: 'NEW' },
      building: { situs_address: '195-197 OTIS ST', use_code: '102' },
    });
    expect(after).toMatchObject({ b: before.b, building: before.building });
    expect(Object.values(before)).not.toContain(after.new);
  });

  test('leave the id that the number had to the row that names no unit', () => {
    expect(idsOf({ house: { situs_address: '197-199 OTIS ST', use_code: '104' } }).house).toBe(before.building);
    expect(idsOf({ only: { situs_address: '1 ELM ST #3' } }).only).toBe(before.building);
  });

  test('never hand an id on: with the building gone, no unit takes its place', () => {
    const { a, b } = condominium;
    expect(idsOf({ a, b })).toEqual({ a: before.a, b: before.b });
  });

  test('are told apart by address, place, legal description, building, owner, and at last by any value', () => {
    for (const [field, other] of Object.entries({
      situs_address: '2 ELM ST',
      latitude: 42.38,
      legal_description: 'LOT 2',
      use_code: '2',
      owner_name: 'B',
      total_value: 2,
    })) {
      const one = { situs_address: '1 ELM ST' };
      const ids = idsOf({ one, two: { ...one, [field]: other } });
      expect([field, new Set(Object.values(ids)).size]).toEqual([field, 2]);
      expect(idsOf({ two: { ...one, [field]: other }, one })).toEqual(ids);
    }
  });

  test('that are alike in everything still have ids of their own', () => {
    const one = { situs_address: '1 ELM ST' };
    expect(new Set(Object.values(idsOf({ one, two: one, three: one }))).size).toBe(3);
  });

  test('are told apart by a place that need not be the same to the last digit', () => {
    const at = (latitude: number) => ({ latitude, longitude: -71.11 });
    const ids = idsOf({ one: at(42.37), two: at(42.375) });
    expect(idsOf({ one: at(42.370_01), two: at(42.375_02) })).toEqual(ids);
  });
});

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

/** The records that a load makes, without what only its release has. */
async function loaded(path: string, options: LoadRequest['options'] = {}): Promise<Record<string, unknown>[]> {
  const summary = await loadFiles(db, [path], { accept: [], ...options });
  return (await recordsOf(db, summary)).map((record) => ({ ...record, release_id: 0, source: '' }));
}

const byId = (records: Record<string, unknown>[]) => records.toSorted((a, b) => String(a.parcel_id).localeCompare(String(b.parcel_id)));

function shuffled<Item>(items: Item[], seed: number): Item[] {
  const random = randomFrom(seed);
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function expectSoundReleases(): Promise<void> {
  const client = new Client({ connectionString: db.url });
  await client.connect();
  try {
    for await (const { firstBreak } of releaseCheck.run(client, null)) expect(firstBreak).toBeNull();
    // The digests are those of the final records, even if ids were assigned later or a part was copied.
    const { rows } = await client.query<{ id: number; content_digests: Buffer }>(
      `select id, content_digests from parcel_release where state = 'published'`,
    );
    for (const { id, content_digests } of rows) {
      await client.query('begin');
      expect((await recomputeDigests(client, id)).equals(content_digests)).toBe(true);
      await client.query('commit');
    }
  } finally {
    await client.end();
  }
}

describe('a file', () => {
  const rows = [
    ...Array.from({ length: 30 }, (_, i) => feature({ APN: `A-${i % 12}`, SITUS_ADDRESS: `${i % 12} ELM ST #${i}` }, square(i))),
    ...Array.from({ length: 6 }, (_, i) => feature({ APN: 'ROAD' }, square(40 + i))),
    ...Array.from({ length: 6 }, (_, i) => feature({ SITUS_ADDRESS: `OAK ST #${i}` }, square(i % 4))),
    ...Array.from({ length: 3 }, () => feature({ APN: 'TWIN' }, square(50))),
    feature({ APN: 'SAYS "apn_sequence":7', OWNER: 'é'.repeat(50) }, square(60)),
    feature({ APN: 'SAYS "apn_sequence":7', OWNER: '"parcel_id"' }, square(61)),
    feature({ APN: 'ONE' }, square(70)),
  ];

  test('sorted in another way makes the same records with the same ids', async () => {
    const first = byId(await loaded(await files.write('sorted.geojson', collection(rows))));
    expect(new Set(first.map(({ parcel_id }) => parcel_id)).size).toBe(rows.length);
    for (const seed of [1, 2, 3]) {
      const again = await loaded(await files.write('shuffled.geojson', collection(shuffled(rows, seed))));
      expect(byId(again)).toEqual(first);
    }
    await expectSoundReleases();
  });
});

describe('a county that is loaded in parts', () => {
  const town = (count: number, east: number, more: object = {}) =>
    Array.from({ length: count }, (_, i) =>
      feature({ APN: `1-${i}`, OWNER: `OWNER ${i}`, TRASH_DAY: `${east}.${i}`, ...more }, square(east + i)),
    );
  const load = async (features: object[], options: LoadRequest['options']) =>
    loadCounty({
      database: db,
      county: middlesex,
      files: [await files.write('part.geojson', collection(features))],
      options: { profile: false, republish: true, ...options },
    });
  const texts = async () =>
    (
      await db.query<{ ordinal: number; record: string }>(
        'select p.ordinal, p.record from parcel p join county c on c.current_release_id = p.release_id where c.fips = $1 order by p.ordinal',
        [middlesex],
      )
    ).map(({ ordinal, record }) => ({ ordinal, record, values: JSON.parse(record) as Record<string, unknown> }));
  const of = (source: string) => async () => (await texts()).filter(({ values }) => values.source === source).map(({ record }) => record);
  const county = async () =>
    (
      await db.query('select status, parcel_count, source_date::text, current_release_id as release from county where fips = $1', [
        middlesex,
      ])
    )[0]!;
  const rows = async (state: (manager: EntityManager) => Promise<unknown>) => dataSource.transaction(state);

  let first: number;
  let second: number;
  beforeAll(async () => {
    await rows((manager) => setCountyStatus(manager, middlesex, 'planned', null));
    first = (await load(town(5, 0), { part: 'Cambridge', source: 'Cambridge', sourceDate: '2020-01-01' })).releaseId;
    second = (await load(town(3, 100), { part: 'somerville', source: 'Somerville', sourceDate: '2024-01-01' })).releaseId;
  });

  test('is one dense release, though its towns number their parcels alike', async () => {
    const all = await texts();
    expect(all.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(all.map(({ values }) => values.parcel_id)).size).toBe(8);
    expect(all.map(({ values }) => [values.source, values.source_date, values.release_id])).toEqual([
      ...Array(5).fill(['Cambridge', '2020-01-01', first]),
      ...Array(3).fill(['Somerville', '2024-01-01', second]),
    ]);
    expect(await county()).toEqual({ status: 'loaded', parcel_count: 8, source_date: '2020-01-01', release: second });
    await expectSoundReleases();
  });

  test('says which parts of it are there, and how much of its area they cover together', async () => {
    const extent = async () =>
      (
        await db.query('select area_share as share, part_names as parts, is_partial as "isPartial" from county where fips = $1', [
          middlesex,
        ])
      )[0]!;
    const both = await extent();
    expect(both).toEqual({ share: expect.any(Number), parts: ['cambridge', 'somerville'], isPartial: true });
    await rows((manager) => rollBack(manager, middlesex));
    const cambridge = await extent();
    expect(cambridge).toMatchObject({ parts: ['cambridge'], isPartial: true });
    expect(both.share).toBeGreaterThan(cambridge.share as number);
    await rows((manager) => republish(manager, second));
    expect(await extent()).toEqual(both);
  });

  test('has one part replaced, and of the others not a letter changed', async () => {
    const [cambridge, somerville] = [of('Cambridge'), of('Somerville')];
    const [before, others] = [(await texts()).filter(({ values }) => values.source === 'Cambridge'), await somerville()];
    const { parts, report, ...summary } = await load(town(6, 0), { part: ' CAMBRIDGE ', source: 'Cambridge', sourceDate: '2025-01-01' });
    expect(summary).toMatchObject({ state: 'published', read: 6, loaded: 6, rejected: 0 });
    expect(parts).toEqual([
      { name: 'cambridge', loadedBy: summary.releaseId, first: 1, records: 6 },
      { name: 'somerville', loadedBy: second, first: 7, records: 3 },
    ]);
    // Held against what it replaces: the five records of Cambridge, not the eight of the county.
    expect(report.comparison).toMatchObject({ records: 5, added: 1, gone: 0, unchanged: 5 });
    expect(await somerville()).toEqual(others);
    expect(await readAttributes(pool, [{ releaseId: summary.releaseId, first: 6, count: 4 }])).toEqual([
      { TRASH_DAY: '0.5' },
      { TRASH_DAY: '100.0' },
      { TRASH_DAY: '100.1' },
      { TRASH_DAY: '100.2' },
    ]);
    const ids = (await cambridge()).map((record) => JSON.parse(record).parcel_id);
    expect(ids.slice(0, 5)).toEqual(before.map(({ values }) => values.parcel_id));
    expect(await county()).toMatchObject({ parcel_count: 9, source_date: '2024-01-01' });
    await expectSoundReleases();
  });

  test('keeps the bytes of parts that were loaded before the newest fields were there, and says so', async () => {
    const { release } = await county();
    await asWrittenBefore(db, release as number);
    const before = await texts();
    const { releaseId } = await load(town(6, 0, { STORIES: '1.50', OWNER: 'NEW' }), { part: 'cambridge', source: 'Cambridge' });
    const all = await texts();
    expect(all.slice(0, 6).map(({ values }) => values.stories)).toEqual(Array(6).fill(1.5));
    expect(all.slice(6)).toEqual(before.slice(6));
    const served = await new ParcelStore(pool).records([{ releaseId, first: 1, count: 9 }], 'a reader');
    const records: object[] = JSON.parse(`[${served.text}]`);
    expect(records.map((record) => Object.keys(record))).toEqual(records.map(() => recordFields));
    await expectSoundReleases();
    await rows((manager) => rollBack(manager, middlesex));
  });

  test('is held against the part alone: one that loses most of its records is held, however small it is in the county', async () => {
    const { release } = await county();
    const held = await load(town(1, 100), { part: 'somerville', source: 'Somerville' });
    expect([held.state, held.report.findings.map(({ name }) => name)]).toEqual(['held', ['loss']]);
    expect((await county()).release).toBe(release);
    await rows((manager) => publishHeld(manager, held.releaseId, ['loss']));
    expect(await county()).toMatchObject({ parcel_count: 7, source_date: null, release: held.releaseId });
    await expectSoundReleases();
    expect(await rows((manager) => rollBack(manager, middlesex))).toEqual({ from: held.releaseId, to: release });
    expect(await county()).toMatchObject({ parcel_count: 9, source_date: '2024-01-01' });
  });

  test('is not replaced by a file of the whole county, nor a whole one by a part, unless the operator accepts it', async () => {
    const before = await county();
    const findings = async (features: object[], options: LoadRequest['options'] = {}) => {
      const { state, report } = await load(features, options);
      return [state, report.findings.map(({ name }) => name)];
    };
    expect(await findings(town(9, 0))).toEqual(['held', expect.arrayContaining(['parts'])]);
    expect(await county()).toEqual(before);
    expect(await findings(town(9, 0), { accept: ['parts', 'ids'] })).toEqual(['published', expect.arrayContaining(['parts'])]);
    expect(await findings(town(9, 0), { part: 'cambridge' })).toEqual(['held', expect.arrayContaining(['parts'])]);
    expect(await findings(town(9, 0), { part: 'cambridge', accept: ['parts', 'ids'] })).toEqual(['published', expect.anything()]);
    expect((await texts()).map(({ ordinal }) => ordinal)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('says of parcels that go into a part, or out of it, that they are the same by their numbers, though each id is new', async () => {
    await rows((manager) => setCountyStatus(manager, middlesex, 'planned', null));
    await load(town(9, 0), {});
    const renamed = await load([...town(8, 0), ...town(10, 0).slice(9)], { part: 'cambridge', accept: ['parts', 'ids'] });
    expect(renamed.report.comparison).toMatchObject({ added: 9, gone: 9, sameNumbers: 8 });
    const { goneNumbers, addedNumbers } = renamed.report.comparison!;
    expect([goneNumbers.length, addedNumbers.length]).toEqual([1, 1]);
    expect(goneNumbers).not.toEqual(addedNumbers);
    expect(renamed.report.findings).toContainEqual({
      name: 'ids',
      message: expect.stringContaining('8 of these are the same parcel numbers'),
    });
    const next = await load(town(8, 0), { part: 'cambridge', accept: ['loss'] });
    expect(next.report.comparison).not.toHaveProperty('sameNumbers');
  });

  test('is not sold the same part twice under two names: the second one is held', async () => {
    const twin = await load(town(8, 0), { part: 'city of cambridge' });
    expect([twin.state, twin.report.findings]).toEqual([
      'held',
      [
        {
          name: 'parts',
          message: expect.stringMatching(
            /^8 of the 8 records are also in the part cambridge\. If the part was renamed, load it as cambridge/,
          ),
        },
      ],
    ]);
    const neighbour = await load(town(8, 400), { part: 'arlington' });
    expect([neighbour.state, neighbour.report.findings]).toEqual(['published', []]);
    await rows((manager) => setCountyStatus(manager, middlesex, 'planned', null));
    await load(town(6, 0), { part: 'cambridge', source: 'Cambridge' });
    await load(town(2, 100), { part: 'somerville', source: 'Somerville' });
  });

  test('keeps the records of a part when the release that brought them is pruned', async () => {
    const { releaseId } = await load(town(2, 100), { part: 'somerville', source: 'Somerville' });
    await load(town(9, 0), { part: 'cambridge', source: 'Cambridge' });
    await db.moveClock('8 days');
    expect((await pruneReleases(pool)).map(({ id }) => id)).toContain(releaseId);
    expect(await of('Somerville')()).toHaveLength(2);
    await expectSoundReleases();
  });

  test('begins anew with the next part after it was withdrawn', async () => {
    await rows((manager) => setCountyStatus(manager, middlesex, 'planned', null));
    expect(await db.query('select area_share, part_names, is_partial from county where fips = $1', [middlesex])).toEqual([
      { area_share: null, part_names: null, is_partial: false },
    ]);
    await load(town(2, 100), { part: 'somerville', source: 'Somerville' });
    expect(await county()).toMatchObject({ status: 'loaded', parcel_count: 2 });
  });

  test('takes no name of a part that nobody could write again', async () => {
    for (const part of ['', ' ', 'a\nb', '?', 'x'.repeat(80)]) {
      await expect(load(town(1, 0), { part })).rejects.toThrow(/The name of a part must have at most 60 letters/);
    }
  });
});

const data = join(countyData, 'parcels');

withCountyData.test('Oakland and Berkeley make one county of two parts', async () => {
  const load = (part: string, path: string) =>
    loadCounty({ database: db, county: '06001', files: [join(data, '06001-alameda', path)], options: { part } });
  await load('oakland', 'us-ca-oakland-excerpt.zip');
  const { releaseId, state, loaded, parts } = await load('berkeley', 'berkeley/Parcels.shp');
  expect([state, loaded, parts!.map(({ name, records }) => [name, records])]).toEqual([
    'published',
    746,
    [
      ['oakland', 2241],
      ['berkeley', 746],
    ],
  ]);
  const [ids] = await db.query(
    `select count(distinct record::json ->> 'parcel_id')::integer as ids, max(ordinal) as last from parcel where release_id = $1`,
    [releaseId],
  );
  expect(ids).toEqual({ ids: 2987, last: 2987 });
});
