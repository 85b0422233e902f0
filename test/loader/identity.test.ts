import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { type LoadRequest, loadCounty } from '../../src/loader/load-county.js';
import { distinguish, marksOf, type RecordValues } from '../../src/loader/normalise/distinguish.js';
import { releaseChecks } from '../../src/parcels/release-checks.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { randomFrom } from '../harness/stripe/faults.js';
import { collection, feature, type Scratch, scratch, square } from './files.js';

const scope = { countyFips: '25017', part: null };

/** The ids of records of one number, by a name that each has in the test. */
function idsOf(rows: Record<string, Partial<RecordValues>>): Record<string, string> {
  const known = { latitude: 42.37, longitude: -71.11 };
  const identities = distinguish(
    scope,
    '1',
    '1',
    Object.values(rows).map((row) => marksOf({ ...known, ...row } as RecordValues)),
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

let db: TestDatabase;
let files: Scratch;
beforeAll(async () => {
  db = await createTestDatabase();
  files = await scratch();
});

/** The records that a load makes, without what only its release has. */
async function loaded(path: string, options: LoadRequest['options'] = {}): Promise<Record<string, unknown>[]> {
  const { releaseId } = await loadCounty({ database: db, county: '25017', files: [path], options, dataDir: files.folder });
  const rows = await db.query<{ record: string }>('select record from parcel where release_id = $1 order by ordinal', [releaseId]);
  return rows.map(({ record }) => ({ ...JSON.parse(record), release_id: 0, source: '' }));
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
    for (const check of releaseChecks) {
      for await (const { firstBreak } of check.run(client, null)) expect(firstBreak).toBeNull();
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

const data = resolve('../shared/data/parcels');
(existsSync(data) ? describe : describe.skip)('Cambridge, most of whose rows share their number', () => {
  const cambridge = join(data, '25017-cambridge-fy2014');

  // A third of the roll, which is as mixed as the whole and takes a third of the time.
  test('has the same records with the same ids after its tax roll was sorted at random', async () => {
    const [header, ...lines] = (await readFile(join(cambridge, 'TaxFY14.csv'), 'latin1')).split(/\r?\n/).slice(0, 9_001);
    const load = async (name: string, rows: string[]) => loaded(await files.write(name, [header, ...rows].join('\n')), { map: ['apn=ML'] });
    const first = byId(await load('roll.csv', lines));
    expect(new Set(first.map(({ parcel_id }) => parcel_id)).size).toBe(9_000);
    expect(byId(await load('shuffled.csv', shuffled(lines, 14)))).toEqual(first);
    await expectSoundReleases();
  });
});
