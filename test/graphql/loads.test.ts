import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { addJob } from '../../src/jobs/task.js';
import { loadCounty } from '../../src/loader/load-county.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Caller } from '../harness/caller.js';
import { createTestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { type FileServer, openFileServer } from '../harness/file-server.js';
import { Person } from '../harness/person.js';
import { runCli, ServiceProcess } from '../harness/process.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const suffolk = '25025';
const boston = [-71.06, 42.36] as const;
const honolulu = [-157.86, 21.31] as const;

let app: TestApp;
let operator: Person;
let source: FileServer;
beforeAll(async () => {
  source = await openFileServer();
  app = await startApp({ SOURCE_PRIVATE_HOSTS: source.host });
  operator = await app.signUpOperator();
});

/** A county file of this many square parcels around a place. */
const countyFile = ([longitude, latitude]: readonly [number, number], count: number): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: Array.from({ length: count }, (_, n) => {
      const [west, south] = [longitude + (n % 1000) * 1e-5, latitude + Math.floor(n / 1000) * 1e-5];
      const ring = [
        [west, south],
        [west + 1e-5, south],
        [west + 1e-5, south + 1e-5],
        [west, south + 1e-5],
        [west, south],
      ];
      return { type: 'Feature', properties: { APN: `1-${n}`, OWNER: 'EXAMPLE LLC' }, geometry: { type: 'Polygon', coordinates: [ring] } };
    }),
  });

const put = (name: string, body: string, who: Caller = operator, headers: Record<string, string> = {}) =>
  who.call('PUT', `/admin/uploads/${encodeURIComponent(name)}`, { body, headers: { 'content-type': 'text/plain', ...headers } });

async function upload(body: string, name = 'suffolk.geojson', who?: Caller): Promise<string> {
  const answer = await put(name, body, who);
  expect(answer.status).toBe(201);
  return answer.json.upload_id;
}

const jobFields =
  '{ id countyFips fileName state bytesRead bytesTotal rowsRead rowsLoaded rowsRejected message releaseId startedBy finishedAt }';
const asks =
  (kind: 'query' | 'mutation', name: string, selection: string) =>
  async (uploadId: string | null, options: object = {}, who = operator) => {
    const call = `${kind} ($uploadId: ID, $options: LoadOptions!) { ${name}(uploadId: $uploadId, options: $options) ${selection} }`;
    return (await who.ask(call, { uploadId, options: { countyFips: suffolk, ...options } }))[name];
  };
const previewOf = asks(
  'query',
  'uploadPreview',
  `{ format crs rowEstimate columns sampledRows warnings refusal faults { reason rows } mapping { field columns samples why }
     profile { version options } fields columnSamples { name filled samples } }`,
);
const matchOf = asks('query', 'joinMatch', '{ shape { rows unmatched example } roll { rows unmatched example } spelling }');
const checkOf = asks('query', 'uploadCheck', '{ read loaded rejected rejections { reason rows } replaces findings warnings refusal }');
const start = asks('mutation', 'startLoad', jobFields);

const jobOf = async (id: string, who = operator) => (await who.ask(`query ($id: ID!) { loadJob(id: $id) ${jobFields} }`, { id })).loadJob;

async function finished(id: string, who = operator) {
  await eventually('the job ends', async () => (await jobOf(id, who)).finishedAt !== null);
  return jobOf(id, who);
}

const retry = async (id: string, who = operator) =>
  (await who.ask('mutation ($id: ID!) { retryLoad(id: $id) { id fileName state } }', { id })).retryLoad;
const rejectsOf = async (id: number, who = operator) =>
  (await who.ask('query ($id: Int!) { rejectedRows(releaseId: $id) { number file reason row } }', { id })).rejectedRows;
const mixed = 'apn,lon,lat,owner\n1,-71.06,42.36,A\n2,-71.06,42.36,B\n,,,C\n,,,D\n';

const countyOf = async (selection: string, fips = suffolk) =>
  (await operator.ask(`query ($fips: String!) { county(fips: $fips) { ${selection} } }`, { fips })).county;
/** The releases of a county, newest first. */
const releasesOf = async (selection: string, fips = suffolk, who = operator) =>
  (await who.ask(`query ($fips: String!) { countyReleases(fips: $fips) { ${selection} } }`, { fips })).countyReleases;
const actionsOn = async (fips: string) =>
  (await operator.ask('query ($fips: ID) { adminActions(target: $fips) { action actor after } }', { fips })).adminActions;

/** The ids of what is kept of uploads, complete or not. */
const kept = async (): Promise<string[]> => {
  const rows = await app.db.query<{ id: string }>('select id from upload union select upload_id from upload_chunk order by 1');
  return rows.map(({ id }) => id);
};

describe('PUT /admin/uploads/:fileName', () => {
  it('201: keeps the file under a name that leads nowhere else, and of a long one the end that a disk takes, in whole characters', async () => {
    const answer = await put('../../etc/Süffolk County (1).geojson', '{}');
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      upload_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      file_name: 'Süffolk_County_1_.geojson',
      bytes: 2,
    });
    for (const character of ['地', '𠮷', 'é', 'x']) {
      const { status, json } = await put(`${character.repeat(120)}.csv`, 'a');
      expect(status).toBe(201);
      expect(json.file_name).toMatch(new RegExp(`^${character}+\\.csv$`, 'u'));
      expect(Buffer.byteLength(json.file_name)).toBeLessThanOrEqual(200);
    }
  });

  it('400 for an empty file, which is not kept', async () => {
    const before = await kept();
    expect((await put('empty.csv', '')).status).toBe(400);
    expect(await kept()).toEqual(before);
  });

  it('403 for another site', async () => {
    expect((await put('a.csv', 'a', operator, { origin: 'https://elsewhere.example' })).status).toBe(403);
  });

  it('405 for another method, and says what is allowed, to a browser too', async () => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const answer = await operator.call(method, '/admin/uploads/a.csv', { headers: { accept: 'text/html' } });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, method === 'OPTIONS' ? 204 : 405, 'PUT, OPTIONS']);
    }
    expect((await app.call('OPTIONS', '/admin/uploads/a.csv')).status).toBe(401);
  });

  it('413 for more than 4 GB, before a byte of it was sent', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { cookie: operator.cookie, 'content-length': 4 * 1024 ** 3 + 1 };
      const call = request(`${app.url}/admin/uploads/big.csv`, { method: 'PUT', headers }, (response) => {
        resolve(response.statusCode);
        call.destroy();
      });
      call.on('error', reject);
      call.flushHeaders();
    });
    expect(status).toBe(413);
  });

  it('503 says that uploads take all the room they may have, or that the database has none left, and keeps nothing', async () => {
    const small = await startApp({ UPLOADS_MAX_MB: '1' }, app);
    const there = operator.at(small.url);
    const before = await kept();
    expect(await put('big.csv', 'x'.repeat(2 ** 20 + 1), there)).toMatchObject({
      status: 503,
      json: { message: expect.stringContaining('UPLOADS_MAX_MB') },
    });
    // Without a stated length it is noticed as the bytes arrive.
    const parts = new ReadableStream({
      pull: (stream) => stream.enqueue(Buffer.alloc(2 ** 18, 'x')),
    });
    const headers = { cookie: operator.cookie, origin: small.url };
    const open = { method: 'PUT', body: parts, headers, duplex: 'half' } as RequestInit;
    expect((await fetch(`${small.url}/admin/uploads/endless.csv`, open)).status).toBe(503);
    await small.close();

    await app.db.query(`create function no_room() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
    await app.db.query('create trigger no_room before insert on upload_chunk for each row execute function no_room()');
    expect(await put('big.csv', 'x')).toMatchObject({ status: 503, json: { message: expect.stringContaining('no space left') } });
    await app.db.query('drop trigger no_room on upload_chunk');
    expect(await kept()).toEqual(before);
  });

  it('keeps nothing of an upload that broke off', async () => {
    const before = await kept();
    const call = request(`${app.url}/admin/uploads/half.csv`, {
      method: 'PUT',
      headers: { cookie: operator.cookie, 'content-length': 1000 },
    });
    call.on('error', () => {});
    call.write('half of it');
    await eventually('it arrives', async () => (await kept()).length > before.length);
    call.destroy();
    await eventually('it is gone', async () => (await kept()).length === before.length);
  });
});

it('prune-uploads deletes what was uploaded a day ago, what a killed server left, and nothing else', async () => {
  const old = await upload('old');
  await app.db.query(`update upload set changed_at = changed_at - interval '25 hours' where id = $1`, [old]);
  const young = await upload('young');
  const [unfinished] = await app.db.query<{ id: string }>(
    `insert into upload (file_name, bytes, changed_at) values ('x.csv', 1, service_now() - interval '6 minutes'), ('y.csv', 1, service_now())
       returning id`,
  );
  await app.db.query(
    `insert into upload_chunk select id, 0, ''::bytea from upload where not is_complete
       union all select gen_random_uuid(), n, '' from generate_series(0, 250) n`,
  );
  const before = await kept();
  await app.db.query(`select graphile_worker.add_job('prune-uploads')`);
  await eventually('it is done', async () => (await kept()).length < before.length);
  const jobs = () => app.db.query(`select from graphile_worker.jobs where task_identifier = 'prune-uploads'`);
  await eventually('it is done', async () => (await jobs()).length === 0);
  const names = await app.db.query('select file_name from upload where id <> all($1)', [[young]]);
  expect(names.map(({ file_name }) => file_name)).not.toContain('x.csv');
  expect(await kept()).not.toContain(old);
  expect(await kept()).not.toContain(unfinished!.id);
  expect(await kept()).toEqual(expect.arrayContaining([young]));
  expect(await app.db.query('select distinct upload_id from upload_chunk where upload_id not in (select id from upload)')).toEqual([]);
  await app.db.query('delete from upload_chunk using upload where id = upload_id and not is_complete');
  await app.db.query('delete from upload where not is_complete');
});

describe('uploadCheck', () => {
  const middlesex = '25017';
  const cambridge = [-71.11, 42.37] as const;
  const ask = (uploadId: string, options: object = {}) => checkOf(uploadId, { countyFips: middlesex, ...options });

  it('counts all rows of a file, not only the sampled ones, and writes none', async () => {
    const lines = Array.from({ length: 1500 }, (_, i) => (i < 1470 ? `1-${i},A,${cambridge}` : ',B,,'));
    const check = await ask(await upload(`APN,OWNER,LON,LAT\n${lines.join('\n')}\n`, 'whole.csv'));
    expect(check).toMatchObject({ read: 1500, loaded: 1470, rejected: 30, replaces: null, findings: [], refusal: null });
    expect(check.rejections).toEqual([{ reason: 'Neither a parcel number nor a geometry', rows: 30 }]);
    expect(await app.db.query('select from parcel_release where county_fips = $1', [middlesex])).toEqual([]);
  });

  it('says why a load would be refused or held, as the load does', async () => {
    expect((await ask(await upload(countyFile(honolulu, 20)))).refusal).toContain('Middlesex');
    const rejected = await ask(await upload(`APN,OWNER,LON,LAT\n1,A,${cambridge}\n,B,,\n,C,,\n`, 'rejected.csv'));
    expect(rejected.refusal).toContain('2 of 3 rows');
    expect(rejected.refusal).not.toMatch(/--|release/);
    await publishRecords(app.db, middlesex, 40);
    const fewer = await ask(await upload(countyFile(cambridge, 20)));
    expect(fewer).toMatchObject({ replaces: 40, loaded: 20, refusal: null });
    expect(fewer.findings).toContainEqual('20 records instead of 40: 20 (50.0%) fewer');
  });
});

describe('uploadPreview', () => {
  it('shows what a load would do, or why it would be refused, in words without paths of the server, and does nothing', async () => {
    const shown = await previewOf(await upload(countyFile(boston, 20)));
    expect(shown).toMatchObject({ columns: ['APN', 'OWNER'], sampledRows: 20, faults: [], refusal: null });
    expect(shown.mapping).toContainEqual(expect.objectContaining({ field: 'apn', columns: ['APN'], samples: ['1-0', '1-1', '1-2'] }));
    expect((await previewOf(await upload(countyFile(honolulu, 20)))).refusal).toContain('Suffolk');
    const map = await upload('%PDF-1.7 \0', 'map.pdf');
    const message = expect.not.stringContaining(app.config.dataDir);
    await expect(previewOf(map)).rejects.toMatchObject({ code: 'invalid_request', message });
    for (const uploadId of ['00000000-0000-4000-8000-000000000000', '../../etc']) {
      await expect(previewOf(uploadId)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await releasesOf('id')).toEqual([]);
  });

  it('asks which layer of a file is meant, and looks at the one that is named', async () => {
    const [west, south] = boston;
    const corners = [0, 1, 2, 0].map((i) => [west! + (i % 2) * 1e-3, south! + (i >> 1) * 1e-3].join()).join(' ');
    const folder = (name: string, APN: string) =>
      `<Folder><name>${name}</name><Placemark><ExtendedData><Data name="APN"><value>${APN}</value></Data></ExtendedData><Polygon>` +
      `<outerBoundaryIs><LinearRing><coordinates>${corners}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Folder>`;
    const uploadId = await upload(`<kml><Document>${folder('parcels', '1-1')}${folder('zones', 'R-1')}</Document></kml>`, 'county.kml');
    await expect(previewOf(uploadId)).rejects.toMatchObject({ message: expect.stringContaining('parcels, zones') });
    expect(await previewOf(uploadId, { layer: 'parcels' })).toMatchObject({
      format: 'KML',
      sampledRows: 1,
      mapping: [{ field: 'apn', samples: ['1-1'] }],
      faults: [],
    });
  });

  it('counts over all rows of both files which of them a load would join, in whatever order they are, and the rows that come of it', async () => {
    const shapes = await upload(countyFile(boston, 1500));
    const rolled = Array.from({ length: 1500 }, (_, i) => `1-${1499 - i},OWNER ${i},0${i}\n`);
    const roll = await upload(`PARCEL,PAYER,ACCOUNT\n${rolled.join('')}9-1,SOMEBODY,8\n9-2,SOMEBODY,9\n`, 'roll.csv');
    const options = { joinUploadId: roll, joinOn: 'APN=PARCEL' };
    expect(await matchOf(shapes, options)).toEqual({
      shape: { rows: 1500, unmatched: 0, example: null },
      roll: { rows: 1502, unmatched: 2, example: '9-1' },
      spelling: [],
    });
    expect(await checkOf(shapes, options)).toMatchObject({ read: 1502, loaded: 1502, refusal: null });
    expect(await matchOf(shapes)).toBeNull();
    await expect(matchOf(shapes, { ...options, joinOn: 'NONE' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('NONE'),
    });
  });
});

describe('countyProfiles and importCountyProfile', () => {
  const nantucket = '25019';
  const profiles = `query ($fips: String!) { countyProfiles(fips: $fips) { part version isInUse options mapping file releaseId createdBy }
    countyReleases(fips: $fips) { id profileVersion } }`;
  const importing = `mutation ($fips: String!, $part: String, $file: String!) {
    importCountyProfile(fips: $fips, part: $part, file: $file) { part version isInUse createdBy options } }`;
  const roll = (column: string) =>
    `APN,OWNER,${column},LON,LAT\n1,A,HOUSE A,-70.1,41.28\n2,B,HOUSE B,-70.1,41.28\n3,C,HOUSE C,-70.1,41.28\n`;
  it('keep what an operator said of a county, and whose word it was; the next preview uses it', async () => {
    const told = { countyFips: nantucket, map: ['owner_name=TAXPAYER'], sourceName: 'Town of Nantucket', license: 'CC0' };
    const job = await start(await upload(roll('TAXPAYER'), 'roll.csv'), told);
    const { releaseId } = await finished(job.id);
    const { countyProfiles, countyReleases } = await operator.ask(profiles, { fips: nantucket });
    expect(countyProfiles).toEqual([
      {
        part: null,
        version: 1,
        isInUse: true,
        options: ['“Source” Town of Nantucket', '“License” CC0'],
        mapping: expect.arrayContaining(['apn=APN', 'owner_name=TAXPAYER']),
        file: expect.any(String),
        releaseId,
        createdBy: operator.email,
      },
    ]);
    expect(countyReleases).toEqual([{ id: releaseId, profileVersion: 1 }]);
    expect((await app.get(`/api/counties/${nantucket}`)).json.license).toBe('CC0');

    const uploadId = await upload(roll('PAYER'), 'roll.csv');
    const uploadPreview = await previewOf(uploadId, { countyFips: nantucket });
    expect(uploadPreview.profile).toEqual({ version: 1, options: countyProfiles[0].options });
    expect(uploadPreview.mapping).toContainEqual(
      expect.objectContaining({ field: 'owner_name', columns: ['PAYER'], why: 'as in profile 1' }),
    );
    expect(uploadPreview.warnings).toContainEqual(expect.stringMatching(/held \(columns:owner_name\): TAXPAYER.*is gone: PAYER is read/));
    expect(uploadPreview.columnSamples).toContainEqual({ name: 'PAYER', filled: 1, samples: ['HOUSE A', 'HOUSE B', 'HOUSE C'] });
    expect(uploadPreview.fields).toEqual(expect.arrayContaining(['apn', 'owner_name', 'situs_address']));
    const aside = await previewOf(uploadId, { countyFips: nantucket, profile: false });
    expect(aside.profile).toBeNull();
    expect(aside.mapping).toContainEqual(expect.objectContaining({ field: 'owner_name', columns: ['OWNER'] }));
  });

  it('take a file as an operator has it, name each faulty key of another, and are logged', async () => {
    const { countyProfiles } = await operator.ask(profiles, { fips: nantucket });
    const [{ file }] = countyProfiles;
    const { importCountyProfile } = await operator.ask(importing, { fips: nantucket, part: 'Siasconset', file });
    expect(importCountyProfile).toMatchObject({ part: 'siasconset', version: 1, isInUse: true, createdBy: operator.email });
    await expect(operator.ask(importing, { fips: suffolk, file })).rejects.toMatchObject({ message: expect.stringContaining('not 25025') });
    const odd = JSON.stringify({ ...JSON.parse(file), colour: 1 });
    await expect(operator.ask(importing, { fips: nantucket, file: odd })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('colour is not known'),
    });
    expect((await actionsOn(nantucket))[0]).toMatchObject({
      action: 'import county profile',
      actor: operator.id,
      after: { part: 'siasconset', version: 1 },
    });
  });
});

describe('startLoad', () => {
  it('of a part leaves the other parts of the county as they are, and says whose each is', async () => {
    const honoluluCounty = '15003';
    const load = async (part: string, parcels: number, sourceDate: string) => {
      const options = { countyFips: honoluluCounty, part, sourceName: `City of ${part}`, sourceDate };
      return finished((await start(await upload(countyFile(honolulu, parcels)), options)).id);
    };
    const kailua = await load('Kailua', 20, '2024-01-31');
    const waipahu = await load('Waipahu', 30, '2026-01-31');
    expect([kailua.state, waipahu.state]).toEqual(['published', 'published']);
    const parts = [
      { name: 'kailua', records: 20, source: 'City of Kailua', sourceDate: '2024-01-31' },
      { name: 'waipahu', records: 30, source: 'City of Waipahu', sourceDate: '2026-01-31' },
    ];
    const selection = 'parcelCount sourceDate release { records source sourceDate parts { name records source sourceDate } }';
    const release = { records: 50, source: 'City of Kailua, City of Waipahu', sourceDate: '2024-01-31', parts };
    expect(await countyOf(selection, honoluluCounty)).toEqual({ parcelCount: 50, sourceDate: '2024-01-31', release });
    const [newest] = await releasesOf(
      'id part rowsLoaded recordsKept parts { name loadedBy records sourceName sourceDate }',
      honoluluCounty,
    );
    expect(newest).toEqual({
      id: waipahu.releaseId,
      part: 'waipahu',
      rowsLoaded: 30,
      recordsKept: 20,
      parts: parts.map(({ source: sourceName, ...part }, i) => ({ ...part, sourceName, loadedBy: [kailua, waipahu][i].releaseId })),
    });
    const whole = await upload(countyFile(honolulu, 60));
    expect((await previewOf(whole, { countyFips: honoluluCounty })).warnings).toContainEqual(
      expect.stringMatching(/It would be held \(parts\).*kailua, waipahu/),
    );
    await expect(start(whole, { countyFips: honoluluCounty, part: '?' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('returns at once and publishes; the file is kept until all loads of it have ended, the action for good', async () => {
    const uploadId = await upload(countyFile(boston, 300));
    const told = { sourceName: 'City of Boston', sourceDate: '2026-01-31' };
    const [job, same] = [await start(uploadId, told), await start(uploadId, told)];
    expect(job).toMatchObject({ countyFips: suffolk, fileName: 'suffolk.geojson', state: 'waiting', startedBy: operator.email });
    const done = await finished(job.id);
    expect(done).toMatchObject({ state: 'published', rowsRead: 300, rowsLoaded: 300, rowsRejected: 0, releaseId: expect.any(Number) });
    expect(done.bytesRead).toBe(done.bytesTotal);
    expect(await countyOf('status parcelCount currentReleaseId')).toEqual({
      status: 'loaded',
      parcelCount: 300,
      currentReleaseId: done.releaseId,
    });
    expect(await finished(same.id)).toMatchObject({ state: 'unchanged', message: null });
    expect((await releasesOf('id state sourceName')).slice(1)).toEqual([
      { id: done.releaseId, state: 'current', sourceName: 'City of Boston' },
    ]);
    const { json: page } = await app.get(`/page-data/counties/${suffolk}`);
    const { fillRates, ...release } = page.county.release;
    expect(release).toEqual({
      checkedAt: expect.any(String), // by the load that changed nothing
      license: null,
      checkedSourceDate: '2026-01-31',
      records: 300,
      source: 'City of Boston',
      sourceUrl: null,
      sourceDate: '2026-01-31',
      publishedAt: expect.any(String),
    });
    expect(fillRates.filter(({ share }: { share: number }) => share === 1).map(({ field }: { field: string }) => field)).toEqual(
      expect.arrayContaining(['parcel_id', 'apn', 'geometry', 'source_date']),
    );
    expect(fillRates.find(({ field }: { field: string }) => field === 'land_value')).toEqual({ field: 'land_value', share: 0 });
    await eventually('the file is gone', async () => !(await kept()).includes(uploadId));
    expect(await actionsOn(suffolk)).toMatchObject(Array(2).fill({ action: 'start load', actor: operator.id }));
  });

  it('is among the loads of the command line, which tell no bytes and no options, and cannot be repeated from here', async () => {
    const plymouth = '25023';
    const parcels = 'apn,lon,lat,owner\n1,-70.67,41.96,A\n';
    const load = async (name: string, text: string) => {
      const file = join(await temporaryFolder(), name);
      await writeFile(file, text);
      return loadCounty({ database: app.database, county: plymouth, files: [file] });
    };
    const { releaseId } = await load('plymouth.csv', `${parcels},,,C\n`);
    await expect(load('broken.csv', `${parcels},,,C\n,,,D\n`)).rejects.toThrow('--max-rejects');
    const { loadJobs } = await operator.ask(
      `{ loadJobs(limit: 2) { total jobs { countyName countyState isRetriable ${jobFields.slice(2)} } }`,
    );
    const [broken, done] = loadJobs.jobs;
    expect(done).toEqual({
      id: `release-${releaseId}`,
      countyFips: plymouth,
      countyName: 'Plymouth County',
      countyState: 'MA',
      fileName: 'plymouth.csv',
      state: 'published',
      bytesRead: '0',
      bytesTotal: '0',
      rowsRead: 2,
      rowsLoaded: 1,
      rowsRejected: 1,
      message: null,
      releaseId,
      startedBy: 'command line',
      finishedAt: expect.any(String),
      isRetriable: false,
    });
    expect(broken).toMatchObject({ state: 'failed', isRetriable: false, message: expect.stringContaining('“Rejected rows allowed”') });
    const one = '{ id options }';
    const { loadJobOfRelease } = await operator.ask(`query ($id: Int!) { loadJobOfRelease(releaseId: $id) ${one} }`, { id: releaseId });
    expect(loadJobOfRelease).toEqual({ id: done.id, options: null });
    expect(await jobOf(done.id)).toMatchObject({ countyFips: plymouth, releaseId });
    await expect(retry(done.id)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('fails with the reason, and leaves the release before it current', async () => {
    const job = await start(await upload(countyFile(honolulu, 30)));
    expect(await finished(job.id)).toMatchObject({ state: 'failed', message: expect.stringContaining('Suffolk'), releaseId: null });
    expect(await countyOf('parcelCount')).toEqual({ parcelCount: 300 });
    const { loadJobs } = await operator.ask('{ loadJobs(limit: 1) { jobs { id state } } }');
    expect(loadJobs.jobs).toEqual([{ id: job.id, state: 'failed' }]);
    const again = await retry(job.id);
    expect(again).toEqual({ id: expect.not.stringMatching(job.id), fileName: job.fileName, state: 'waiting' });
    expect(await finished(again.id)).toMatchObject({ state: 'failed', message: expect.stringContaining('Suffolk') });
    for (const id of ['1', '0', 'x']) await expect(retry(id)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('holds a release that differs too much from the current one, for an operator to publish or to discard', async () => {
    const report = `query ($id: Int!) { countyRelease(releaseId: $id) { state report {
      findings { name message isAccepted } fields { field share shareBefore changed } comparison { releaseId records added gone unchanged changed goneNumbers } } } }`;
    const publish = 'mutation ($id: Int!, $accept: [String!]!) { publishRelease(releaseId: $id, accept: $accept) { parcelCount } }';
    const discard = 'mutation ($id: Int!) { discardRelease(releaseId: $id) { parcelCount } }';
    const load = async (options: object = {}) => finished((await start(await upload(countyFile(boston, 200)), options)).id);

    const held = await load();
    expect(held).toMatchObject({ state: 'held', rowsLoaded: 200, message: expect.stringContaining('200 records instead of 300') });
    const { countyRelease } = await operator.ask(report, { id: held.releaseId });
    expect(countyRelease.state).toBe('held');
    expect(countyRelease.report.findings).toEqual([
      { name: 'loss', message: '200 records instead of 300: 100 (33.3%) fewer', isAccepted: false },
    ]);
    expect(countyRelease.report.comparison).toMatchObject({ records: 300, added: 0, gone: 100, unchanged: 200, changed: 0 });
    expect(countyRelease.report.fields).toContainEqual({ field: 'geometry', share: 1, shareBefore: 1, changed: 0 });
    await expect(operator.ask(publish, { id: held.releaseId, accept: ['ids'] })).rejects.toMatchObject({ code: 'conflict' });
    expect((await operator.ask(discard, { id: held.releaseId })).discardRelease).toEqual({ parcelCount: 300 });
    await expect(operator.ask(publish, { id: held.releaseId, accept: ['loss'] })).rejects.toMatchObject({ code: 'conflict' });

    const again = await load();
    expect((await operator.ask(publish, { id: again.releaseId, accept: ['loss'] })).publishRelease).toEqual({ parcelCount: 200 });
    expect((await load()).state).toBe('unchanged');
    expect((await actionsOn(suffolk)).filter(({ action }: { action: string }) => / release$/.test(action))).toMatchObject([
      { action: 'publish release', after: expect.objectContaining({ accepted: ['loss'], currentReleaseId: again.releaseId }) },
      { action: 'discard release', after: expect.objectContaining({ discarded: held.releaseId }) },
    ]);
  });

  it('tells which rows became no record, and why', async () => {
    const job = await start(await upload(mixed, 'mixed.csv'));
    expect(await finished(job.id)).toMatchObject({ state: 'failed', message: expect.stringContaining('2 of 4') });
    const countyReleases = await releasesOf('id state rowsRejected');
    expect(countyReleases[0]).toMatchObject({ state: 'failed', rowsRejected: 2 });
    expect(await rejectsOf(countyReleases[0].id)).toEqual([
      { number: expect.any(Number), file: null, reason: expect.any(String), row: { apn: '', lon: '', lat: '', owner: 'C' } },
      { number: expect.any(Number), file: null, reason: expect.any(String), row: { apn: '', lon: '', lat: '', owner: 'D' } },
    ]);
    expect(await rejectsOf(countyReleases.at(-1).id)).toEqual([]);
    await expect(rejectsOf(999_999)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a killed server fails and says so; another server loads what waited, and shows and loads the same upload again', async () => {
    const db = await createTestDatabase();
    const env = { DATABASE_URL: db.url, AUTH_SECRET: app.config.authSecret! };
    const startServer = async () => ServiceProcess.start({ ...env, DATA_DIR: await temporaryFolder() });
    const killed = await startServer();
    const here = await Person.signUp(killed.url);
    await db.query(`update auth."user" set role = 'admin' where id = $1`, [here.id]);
    const partly = await start(await upload(mixed, 'mixed.csv', here), { maxRejectsPercent: 60 }, here);
    const { releaseId } = await finished(partly.id, here);
    const other = await startServer();
    const there = here.at(other.url);
    process.kill(other.pid, 'SIGSTOP'); // so that it takes no load yet
    // It waits where it would publish, however fast this machine is.
    await db.query(
      `create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(7); return new; end $$`,
    );
    await db.query('create trigger hold before update on county for each row when (new.status = $$loaded$$) execute function hold()');
    await db.query('select pg_advisory_lock(7)');
    const [largeId, mixedId] = [await upload(countyFile(boston, 3_000), 'large.geojson', here), await upload(mixed, 'mixed.csv', here)];
    const large = await start(largeId, { accept: ['ids', 'places'] }, here);
    const waits = await start(mixedId, { maxRejectsPercent: 60 }, here);
    const waiting = () => db.query(`select from pg_locks where locktype = 'advisory' and not granted and objid = 7`);
    await eventually('it is about to publish', async () => (await waiting()).length > 0);
    await killed.end('SIGKILL');
    await db.query('select pg_advisory_unlock(7)');
    // Half a minute passes: Postgres has noticed that the load's connection is gone, and its locks are due.
    const loading = () => db.query(`select from pg_stat_activity where datname = current_database() and application_name like '%load%'`);
    await eventually('its connection is gone', async () => (await loading()).length === 0);
    process.kill(other.pid, 'SIGCONT');
    for (const table of ['jobs', 'job_queues'])
      await db.query(`update graphile_worker._private_${table} set locked_at = locked_at - interval '31 seconds'`);
    expect(await finished(large.id, there)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('server that ran the load is gone'),
    });
    expect(await finished(waits.id, there)).toMatchObject({ state: 'unchanged', rowsRejected: 2 });
    const releases = () => releasesOf('state failure', suffolk, there);
    await eventually('its release is closed, too', async () => (await releases())[1].state !== 'loading');
    expect((await releases())[1]).toEqual({ state: 'failed', failure: expect.stringContaining('died') });
    expect(await previewOf(largeId, {}, there)).toMatchObject({ columns: ['APN', 'OWNER'], refusal: null });
    const again = await retry(large.id, there);
    expect(await finished(again.id, there)).toMatchObject({ state: 'published', rowsLoaded: 3_000 });
    expect(await rejectsOf(releaseId, there)).toMatchObject([{ row: { owner: 'C' } }, { row: { owner: 'D' } }]);
    const { stdout } = await runCli(['rejects', '--release', `${releaseId}`], env);
    expect(stdout).toMatch(/^{"number":4,.*\n{"number":5,.*\n$/);
    await other.end('SIGTERM');
  });

  it('gives up in good order when its server stops', async () => {
    const short = await startApp();
    const there = await short.signUpOperator();
    const { id } = await start(await upload(countyFile(boston, 60_000), 'large.geojson', there), {}, there);
    await eventually('rows arrive', async () => (await jobOf(id, there)).rowsRead > 0);
    await short.close();
    const states = () => short.db.query('select state, message from load_job where id = $1', [id]);
    await eventually('the job ends', async () => (await states())[0]!.state !== 'running');
    expect(await states()).toEqual([{ state: 'failed', message: expect.stringContaining('stopped') }]);
    expect(await short.db.query('select current_release_id from county where fips = $1', [suffolk])).toEqual([
      { current_release_id: null },
    ]);
  });

  it('publishes nothing of a load that was given up while it went on', async () => {
    // A load waits for the row of its county before it is published.
    const { release } = await app.db.hold('select from county where fips = $1 for no key update', [suffolk]);
    const job = await start(await upload(countyFile(boston, 20)));
    await eventually('it is about to end', async () => (await app.db.countWaiting()) > 0);
    await app.db.query(`update load_job set state = 'failed', message = 'given up', finished_at = service_now() where id = $1`, [job.id]);
    await release();
    const latest = async () => (await releasesOf('id state failure'))[0];
    await eventually('it ends', async () => (await latest()).state !== 'loading');
    expect(await latest()).toMatchObject({ state: 'failed', failure: expect.stringContaining('marked as failed') });
    expect(await jobOf(job.id)).toMatchObject({ state: 'failed', message: 'given up' });
    expect(await countyOf('parcelCount')).toEqual({ parcelCount: 200 });
  });

  it('refuses options that cannot be meant', async () => {
    const uploadId = await upload('x');
    for (const options of [
      { countyFips: '123' },
      ...['yesterday', '2026-02-31', '0000-01-01', '2999-01-01'].map((sourceDate) => ({ sourceDate })),
      { map: Array(101).fill('a=b') },
      { sourceUrl: 'javascript:alert(1)' },
    ]) {
      await expect(start(uploadId, options)).rejects.toMatchObject({ code: 'invalid_request' });
    }
    await expect(start(uploadId, { countyFips: '00000' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe("a load from the county's own service", () => {
  const norfolk = '25021';
  const quincy = [-71.0, 42.25] as const;
  const startFrom = (options: object) => start(null, { countyFips: norfolk, ...options });
  const sourceOf = async (fips: string) =>
    (await operator.ask('query ($fips: String!) { countySource(fips: $fips) { url from } }', { fips })).countySource;
  const check = async (url: string) =>
    (
      await operator.ask('mutation ($url: String!) { checkSource(fips: "25021", url: $url) { answers problem name records changedAt } }', {
        url,
      })
    ).checkSource;

  it('runs as a job, says what it fetched, and is what the next one is offered', async () => {
    expect(await sourceOf(norfolk)).toBeNull();
    const url = source.publish('/norfolk.geojson', countyFile(quincy, 60));
    expect(await check(url)).toEqual({ answers: true, problem: null, name: 'norfolk.geojson', records: null, changedAt: '2026-03-01' });
    const release = source.hold();
    const job = await startFrom({ sourceUrl: url });
    expect(job).toMatchObject({ countyFips: norfolk, fileName: url, startedBy: operator.email });
    await eventually('it asks the source', async () => source.asked.length > 1);
    release();
    const done = await finished(job.id);
    expect(done).toMatchObject({ state: 'published', rowsLoaded: 60, message: null });
    const { countyRelease } = await operator.ask(
      'query ($id: Int!) { countyRelease(releaseId: $id) { sourceUrl sourceDate report { fetched { url records bytes sha256 } } } }',
      { id: done.releaseId },
    );
    expect(countyRelease).toEqual({
      sourceUrl: url,
      sourceDate: '2026-03-01',
      report: {
        fetched: { url, records: null, bytes: String(countyFile(quincy, 60).length), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    });
    expect(await sourceOf(norfolk)).toEqual({ url, from: 'profile' });
    expect(await sourceOf('02020')).toMatchObject({ url: expect.stringContaining('MOA_Parcels'), from: 'catalogue' });
  });

  it('fails with the reason, without paths of the server, and can be tried again', async () => {
    const url = source.publish('/elsewhere.geojson', countyFile(honolulu, 30));
    const { refusal } = await previewOf(null, { countyFips: norfolk, sourceUrl: url });
    expect(refusal).toContain('Norfolk');
    expect(refusal).not.toContain(app.config.dataDir);
    const failed = await finished((await startFrom({ sourceUrl: url })).id);
    expect(failed).toMatchObject({ state: 'failed', message: expect.stringContaining('Norfolk') });
    expect(failed.message).not.toContain(app.config.dataDir);
    const again = await retry(failed.id);
    expect(again.fileName).toBe(url);
    expect(await finished(again.id)).toMatchObject({ state: 'failed', message: failed.message });
  });

  it('is for operators, and goes to no private address', async () => {
    const inside = 'http://127.0.0.2:5432/parcels.zip';
    expect(await check(inside)).toMatchObject({ answers: false, problem: expect.stringContaining('private address') });
    const refused = await finished((await startFrom({ sourceUrl: inside })).id);
    expect(refused).toMatchObject({ state: 'failed', message: expect.stringContaining('private address') });
    await expect(startFrom({ sourceUrl: 'file:///etc/passwd' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(startFrom({ countyFips: '53047' })).rejects.toMatchObject({ message: expect.stringContaining('only http and https') });
  });

  it('is started for counties whose data is older than REFRESH_OLDER_THAN_DAYS, once each, and is held as any load', async () => {
    source.publish('/norfolk.geojson', countyFile(quincy, 20), '2026-05-01');
    await app.db.moveClock('31 days');
    const nightly = await startApp({ SOURCE_PRIVATE_HOSTS: source.host, REFRESH_OLDER_THAN_DAYS: '30' }, app);
    const newest = async () => (await operator.ask(`{ loadJobs(limit: 1) { jobs ${jobFields} } }`)).loadJobs.jobs[0];
    const run = async () => {
      await addJob(app.database.controlPool, 'refresh-counties', {});
      await eventually('it has run', async () => {
        const jobs = await app.db.query(`select from graphile_worker.jobs where task_identifier = 'refresh-counties'`);
        return jobs.length === 0;
      });
    };
    await run();
    const { id } = await newest();
    const held = await finished(id);
    expect(held).toMatchObject({
      countyFips: norfolk,
      state: 'held',
      startedBy: 'nightly refresh',
      message: expect.stringContaining('20'),
    });
    await run();
    expect(await newest()).toEqual(held); // it waits for a decision
    await nightly.close();
  });
});
