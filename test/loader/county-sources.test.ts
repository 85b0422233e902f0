import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../src/core/log.js';
import type { CliServices } from '../../src/database/cli-services.js';
import { withSource } from '../../src/loader/load-from-source.js';
import { pruneFetched } from '../../src/loader/sources/fetch-county.js';
import { ArcGisService, idsUpTo } from '../harness/arcgis-service.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { type FileServer, openFileServer } from '../harness/file-server.js';
import { collection, feature, type Scratch, scratch, square } from './files.js';
import { runLoader } from './loads.js';

// Counties publish their parcels at services of their own. A load without a file fetches them from there.

const middlesex = '25017';
const suffolk = '25025';

let server: FileServer;
let files: Scratch;
let db: TestDatabase;
let services: CliServices;

beforeAll(async () => {
  server = await openFileServer();
  files = await scratch();
  db = await createTestDatabase();
  const database = { url: db.url, controlPool: openPool(db) };
  services = {
    json: true,
    log: createLog({ logLevel: 'silent' }),
    config: { dataDir: files.folder, sourcePrivateHosts: [server.host] },
    database: async () => database,
    preparedDatabase: async () => database,
  } as unknown as CliServices;
});

/** Runs a command with `--json`. */
const run = async (...args: string[]) => JSON.parse(await runLoader(services, args));

const parcels = (count: number, from = 0) =>
  collection(Array.from({ length: count }, (_, i) => feature({ PIN: `10-${from + i}`, OWNER: `PERSON ${i}` }, square(from + i))));

const load = (county: string, ...args: string[]) => run('load', '--county', county, ...args);
const releaseOf = async (id: number) =>
  (
    await db.query<{ source: string; source_url: string; source_date: Date; report: Record<string, unknown>; sha256: string }>(
      `select source, source_url, source_date::text as source_date, report, encode(source_sha256, 'hex') as sha256 from parcel_release where id = $1`,
      [id],
    )
  )[0]!;
const profileOf = async (county: string) =>
  (
    await db.query<{ body: Record<string, unknown> }>(
      'select body from county_profile where county_fips = $1 order by version desc limit 1',
      [county],
    )
  )[0]!.body;
const fetched = () => readdir(join(files.folder, 'fetched'));
const currentOf = async (county: string) =>
  (await db.query<{ id: number | null }>('select current_release_id as id from county where fips = $1', [county]))[0]!.id;

describe('a load without a file', () => {
  test('fetches from the address that an operator names, says what came, and needs no address the next time', async () => {
    const url = server.publish('/middlesex/parcels.geojson', parcels(40));
    const first = await load(middlesex, '--source-url', url);
    expect(first).toMatchObject({ state: 'published', loaded: 40 });
    const release = await releaseOf(first.release_id);
    expect(release).toMatchObject({
      source: `${server.host}/middlesex/parcels.geojson`,
      source_url: url,
      source_date: '2026-03-01',
      report: {
        fetched: { url, at: expect.stringMatching(/^20\d\d-.*Z$/), records: null, sourceDate: '2026-03-01', sha256: release.sha256 },
      },
    });
    expect(await profileOf(middlesex)).toMatchObject({ sourceUrl: url, protocol: 'http' });
    expect(await fetched()).toEqual([]);

    server.publish('/middlesex/parcels.geojson', parcels(41), '2026-04-01');
    const second = await load(middlesex);
    expect(second).toMatchObject({ state: 'published', loaded: 41 });
    expect(await releaseOf(second.release_id)).toMatchObject({ source_url: url, source_date: '2026-04-01' });
    expect(await db.query('select after from admin_action order by id desc limit 1')).toMatchObject([
      { after: { release: second.release_id, state: 'published' } },
    ]);
  });

  test('is held like any other if it differs much from the current release', async () => {
    server.publish('/middlesex/parcels.geojson', parcels(12));
    await expect(load(middlesex)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('Nothing was published') });
    server.publish('/middlesex/parcels.geojson', parcels(41));
  });

  test('goes to another address if one is named, by that one’s own protocol, and a file’s address is not fetched from', async () => {
    const before = await profileOf(middlesex);
    const path = await files.write('own.geojson', parcels(41));
    await load(middlesex, path, '--source-url', 'https://county.example/about');
    expect(await profileOf(middlesex)).toMatchObject({ sourceUrl: 'https://county.example/about' });
    expect(await profileOf(middlesex)).not.toHaveProperty('protocol');
    await load(middlesex, '--source-url', before.sourceUrl as string);
    expect(await profileOf(middlesex)).toMatchObject({ sourceUrl: before.sourceUrl, protocol: 'http' });
  });

  test('of a dry run publishes nothing, and the load after it does not fetch the same again', async () => {
    const current = await currentOf(middlesex);
    const asked = server.asked.length;
    expect(await load(middlesex, '--dry-run')).toMatchObject({ row_estimate: 41, refusal: null });
    expect(await currentOf(middlesex)).toBe(current);
    const once = server.asked.length;
    expect(once).toBeGreaterThan(asked);
    expect(await load(middlesex)).toMatchObject({ state: 'unchanged', loaded: 41 });
    expect(server.asked.length).toBe(once);
    expect(await fetched()).toEqual([]);
  });

  test('that fails keeps what it fetched, so that the corrected one does not fetch it again', async () => {
    const url = server.publish('/suffolk.geojson', parcels(30)); // they are in Middlesex
    await expect(load(suffolk, '--source-url', url)).rejects.toMatchObject({ message: expect.stringContaining('Suffolk') });
    const once = server.asked.length;
    expect(await load(suffolk, '--source-url', url, '--force')).toMatchObject({ loaded: 30 });
    expect(server.asked.length).toBe(once);
  });

  test('is refused while another fetches the same', async () => {
    const release = server.hold();
    const url = server.publish('/slow.geojson', parcels(41));
    const first = load(middlesex, '--source-url', url);
    while (!server.asked.includes('/slow.geojson')) await new Promise(setImmediate);
    const { config, log } = services;
    const again = { database: db, county: middlesex, options: { sourceUrl: url }, dataDir: config.dataDir, log, allowedPrivateHosts: [] };
    await expect(withSource(again, async () => null)).rejects.toMatchObject({ code: 'conflict' });
    release();
    expect(await first).toMatchObject({ state: 'unchanged' });
  });

  test.each([
    ['25019', [], 'No source is known for 25019'],
    ['53047', [], 'only http and https'],
    [middlesex, ['--source-url', 'http://127.0.0.2:9/parcels.zip'], 'private address'],
    [middlesex, ['--source-url', 'http://127.0.0.2:9/parcels.zip', '--protocol', 'ftp'], 'Allowed choices are arcgis, http'],
  ])('of %s is refused with %j: %s', async (county, args, message) => {
    await expect(load(county, ...args)).rejects.toMatchObject({ message: expect.stringContaining(message) });
  });

  test('leaves what it fetched for a day', async () => {
    const folder = join(files.folder, 'fetched', '25017-old');
    const path = join(folder, 'parcels.zip');
    await mkdir(folder);
    await writeFile(path, 'x');
    const age = async (place: string, hours: number) => utimes(place, Date.now() / 1000, Date.now() / 1000 - hours * 3600);
    await age(folder, 30);
    await age(path, 23);
    await pruneFetched(files.folder);
    expect(await fetched()).toContain('25017-old');
    await age(path, 25);
    await pruneFetched(files.folder);
    expect(await fetched()).not.toContain('25017-old');
  });
});

describe('sources', () => {
  test('list the layers of OpenAddresses, under current codes, and what the profiles say before that', async () => {
    const { sources } = await run('sources', 'list');
    expect(sources.length).toBeGreaterThan(950);
    const of = (fips: string) => sources.filter((source: { fips: string }) => source.fips === fips);
    expect(of('46029')).toMatchObject([{ name: 'Codington County', from: 'catalogue', protocol: 'arcgis', release: null }]);
    expect(of('01069')).toMatchObject([{ name: 'Houston County', url: expect.stringContaining('Parcels_County_Current') }]); // 01059 in their list
    expect(of(middlesex)).toMatchObject([{ from: 'profile', protocol: 'http', release: { records: 41 } }]);
    expect((await run('sources', 'list', '--state', 'MA')).sources.map(({ fips }: { fips: string }) => fips)).toEqual([middlesex, suffolk]);
    await expect(run('sources', 'list', '--county', '25019')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('check says which answer, when they changed, and what is loaded; a server is asked one question at a time', async () => {
    await load(middlesex, '--source-url', server.publish('/middlesex/parcels.geojson', parcels(41), '2026-05-01'));
    server.withdraw('/suffolk.geojson');
    const release = server.hold();
    const asked = server.asked.length;
    const check = run('sources', 'check', '--state', 'MA');
    while (server.asked.length === asked) await new Promise(setImmediate);
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(server.asked.length).toBe(asked + 1);
    release();
    expect((await check).sources).toMatchObject([
      { fips: middlesex, answers: true, problem: null, changed_at: '2026-05-01', release: { source_date: '2026-05-01', records: 41 } },
      { fips: suffolk, answers: false, problem: expect.stringMatching(/404/), changed_at: null },
    ]);
  });
});

describe('refresh', () => {
  const refresh = async (...args: string[]) => (await run('refresh', '--older-than', '90d', ...args)).refreshed;

  test('leaves alone what was fetched lately, and what operators loaded from files', async () => {
    expect(await refresh('--county', middlesex)).toEqual([]);
    await load(
      '25019',
      await files.write('nantucket.csv', 'APN,OWNER,LON,LAT\n1,A,-70.1,41.28\n'),
      '--source-url',
      `http://${server.host}/n.csv`,
    );
    await db.moveClock('91 days');
    expect(await refresh('--county', '25019')).toEqual([]);
  });

  test('skips a county that did not change at its source', async () => {
    const current = await currentOf(middlesex);
    expect(await refresh('--county', middlesex)).toMatchObject([
      { county: middlesex, action: 'skip', why: 'unchanged at the source since 2026-05-01' },
    ]);
    expect(await currentOf(middlesex)).toBe(current);
  });

  test('loads one that did; a dry run only says so; and it is not old any more', async () => {
    server.publish('/middlesex/parcels.geojson', parcels(42), '2026-06-01');
    const current = await currentOf(middlesex);
    expect(await refresh('--county', middlesex, '--dry-run')).toMatchObject([
      { action: 'load', state: null, why: 'changed at the source on 2026-06-01' },
    ]);
    expect(await currentOf(middlesex)).toBe(current);
    const [{ state, release }] = await refresh('--county', middlesex);
    expect([state, release]).toEqual(['published', await currentOf(middlesex)]);
    expect(await refresh('--county', middlesex)).toEqual([]);
  });

  test('holds one that differs much, and waits for the operator then; another that fails stops no other', async () => {
    await db.moveClock('91 days');
    server.publish('/middlesex/parcels.geojson', parcels(12), '2026-07-01');
    const outcomes = async () => {
      await expect(run('refresh', '--older-than', '90d', '--state', 'MA')).rejects.toMatchObject({ code: 'unavailable' });
      return (
        await db.query<{ state: string }>(`select state from parcel_release where county_fips = $1 order by id desc limit 1`, [middlesex])
      )[0]!.state;
    };
    expect(await outcomes()).toBe('held'); // that of Suffolk is withdrawn
    const asked = server.asked.length;
    expect(await refresh('--county', middlesex)).toMatchObject([{ action: 'skip', why: expect.stringMatching(/^release \d+ is held/) }]);
    expect(server.asked.length).toBe(asked);
  });

  test('loads each part from its own source', async () => {
    const url = server.publish('/kailua.csv', 'APN,OWNER,LON,LAT\n1,A,-157.74,21.4\n', '2026-01-01');
    await load('15003', '--part', 'Kailua', '--source-url', url);
    await db.moveClock('91 days');
    server.publish('/kailua.csv', 'APN,OWNER,LON,LAT\n1,A,-157.74,21.4\n2,B,-157.74,21.4\n', '2026-08-01');
    expect(await refresh('--county', '15003')).toMatchObject([{ county: '15003', part: 'kailua', state: 'published' }]);
  });
});

describe('a load from a layer of an ArcGIS server', () => {
  test('counts its records, names what the fetch found among the notes, and has the layer in its profile', async () => {
    const layer = await ArcGisService.open({ hasIdList: false });
    services.config.sourcePrivateHosts.push(layer.host);
    const {
      release_id: id,
      loaded,
      warnings,
    } = await load(middlesex, '--source-url', layer.url, '--no-profile', '--accept', 'loss,ids,empty:owner_name');
    expect(loaded).toBe(24);
    const { report, source_date } = await releaseOf(id);
    expect(report).toMatchObject({
      fetched: { records: 24, url: layer.url },
      notes: ['The server needed other questions than usual: by pages.'],
    });
    expect(warnings).toEqual(expect.arrayContaining(report.notes as string[]));
    expect(source_date).toBe('2026-03-14');
    expect(await profileOf(middlesex)).toMatchObject({ sourceUrl: layer.url, protocol: 'arcgis' });

    layer.set({});
    expect((await run('sources', 'check', '--county', middlesex)).sources).toMatchObject([
      { records: 24, changed_at: '2026-03-14', source_name: 'Parcels' },
    ]);
    await db.moveClock('91 days');
    const refresh = async () => (await run('refresh', '--older-than', '90d', '--county', middlesex, '--dry-run')).refreshed[0];
    expect(await refresh()).toMatchObject({ action: 'skip', why: 'unchanged at the source since 2026-03-14' });
    layer.set({ ids: idsUpTo(25) });
    expect(await refresh()).toMatchObject({ action: 'load', why: 'the source has 25 records, not 24' });
  });
});
