import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import type { CliServices } from '../../src/database/cli-services.js';
import { type LoadRequest, type LoadSummary, loadCounty } from '../../src/loader/load-county.js';
import { previewLoad } from '../../src/loader/preview-load.js';
import { discardHeld, publishHeld } from '../../src/releases/lifecycle/publish-release.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { collection, feature, type Scratch, scratch, square } from './files.js';
import { dataSourceOf, recordsOf, runLoader } from './loads.js';

// A county publishes its roll every year. What an operator said of it once is known in the next.

const middlesex = '25017';

interface Service {
  db: TestDatabase;
  dataSource: DataSource;
  load(name: string, options?: LoadRequest['options']): Promise<LoadSummary>;
  run(...args: string[]): Promise<string>;
  records(releaseId: number): Promise<Record<string, unknown>[]>;
}

let files: Scratch;
const path = (name: string) => join(files.folder, name);

async function openService(): Promise<Service> {
  const db = await createTestDatabase();
  const dataSource = await dataSourceOf(db);
  const pool = openPool(db);
  const servicesOf = (json: boolean) =>
    ({ json, database: async () => ({ controlDataSource: dataSource, controlPool: pool }) }) as unknown as CliServices;
  return {
    db,
    dataSource,
    load: (name, options = {}) =>
      loadCounty({ database: db, county: middlesex, files: [path(name)], options: { republish: true, ...options } }),
    run: (...args) =>
      runLoader(
        servicesOf(args.includes('--json')),
        args.filter((arg) => arg !== '--json'),
      ),
    records: async (releaseId) => (await recordsOf(db, { releaseId })).map((record) => ({ ...record, release_id: null })),
  };
}

interface Row {
  [column: string]: string | number | null;
}

/** The roll as published first: the owner is the taxpayer, and OWNER is a number of a table. */
const firstYear = (i: number): Row => ({
  PIN: `10-${i}`,
  OWNER: `PERSON ${i}`,
  TAXPAYER: `HOUSE ${i} TRUST`,
  SITE: `${i + 1} MAIN ST`,
  LANDVAL: 1000 + i,
  BLDG_YR: null,
  USE_DESC: i % 2 ? 'HOUSE' : 'SHOP',
});

const writeRoll = (name: string, row: (i: number) => Row, count = 60) =>
  writeFile(path(name), collection(Array.from({ length: count }, (_, i) => feature(row(i), square(i)))));

/** The next year: TAXPAYER is called TAXPAYR_NM, years are filled in, values have grown, and there is a new column. */
const nextYear = (i: number): Row => {
  const { TAXPAYER, BLDG_YR, ...same } = firstYear(i);
  return { ...same, TAXPAYR_NM: TAXPAYER!, BLDG_YR: 1900 + i, LANDVAL: 5000 + i, ZONING: `R-${i % 4}` };
};

let service: Service;
beforeAll(async () => {
  files = await scratch();
  service = await openService();
  await Promise.all([writeRoll('2024.geojson', firstYear), writeRoll('2025.geojson', nextYear)]);
});

const corrected = ['owner_name=TAXPAYER', 'use_description=USE_DESC'];
const profileOf = async (releaseId: number, { db }: Service = service) =>
  (await db.query<{ version: number | null }>('select profile_version as version from parcel_release where id = $1', [releaseId]))[0]!
    .version;
const shown = async (...args: string[]) => JSON.parse(await service.run('profile', 'show', '--county', middlesex, '--json', ...args));

describe("a county's profile", () => {
  test('is proposed by the first load, corrected by an operator once, and used by every later load without being told', async () => {
    const first = await service.load('2024.geojson', { source: 'City of Example', license: 'CC0' });
    expect([first.state, await profileOf(first.releaseId)]).toEqual(['published', 1]);
    expect((await service.records(first.releaseId))[0]!.owner_name).toBe('PERSON 0');

    const second = await service.load('2024.geojson', { map: corrected });
    expect(await profileOf(second.releaseId)).toBe(2);
    const records = await service.records(second.releaseId);
    expect(records[0]).toMatchObject({ owner_name: 'HOUSE 0 TRUST', source: 'City of Example' });

    const third = await service.load('2024.geojson');
    expect(await profileOf(third.releaseId)).toBe(2);
    expect(third.warnings.filter((warning) => warning.includes('profile'))).toEqual([]);
    expect(await service.records(third.releaseId)).toEqual(records);

    const { version, profile } = await shown();
    expect(version).toBe(2);
    expect(profile).toMatchObject({
      county: middlesex,
      map: { apn: { columns: ['PIN'] }, owner_name: { columns: ['TAXPAYER'] } },
      source: 'City of Example',
      license: 'CC0',
      seen: {
        format: 'GeoJSON',
        columns: { LANDVAL: { filled: 1, distinct: 60, range: { low: 1000, high: 1059 } }, BLDG_YR: { filled: 0 } },
      },
    });
  });

  test('holds a load of which a mapped column is gone, reads the new one with like values, and a new one for a field that was empty, and says all that has changed', async () => {
    const preview = await previewLoad({ db: openPool(service.db), county: middlesex, files: [path('2025.geojson')] });
    expect(preview.profile).toEqual({ version: 2, options: ['--source City of Example', '--license CC0'] });
    expect(preview.warnings.join('\n')).toContain('It would be held (columns:owner_name)');

    const held = await service.load('2025.geojson', { accept: ['values'] });
    expect(held.state).toBe('held');
    expect(held.report.findings.filter(({ name }) => name.startsWith('columns'))).toEqual([
      {
        name: 'columns:owner_name',
        message: 'TAXPAYER, which profile 2 reads as owner_name, is gone: TAXPAYR_NM is read instead, because its values are similar',
      },
    ]);
    expect((await service.records(held.releaseId))[0]!.owner_name).toBe('HOUSE 0 TRUST');
    const said = held.warnings.join('\n');
    expect(said).toContain('Since profile 2: gone: TAXPAYER.');
    expect(said).toMatch(/Since profile 2: new: .*ZONING/);
    expect(said).toContain('BLDG_YR was empty, now 100.0% of the sampled rows have it');
    expect(said).toContain('LANDVAL was 1000 to 1059, mostly about 1030, now it is 5000 to 5059');
    expect((await service.records(held.releaseId))[0]!.zoning).not.toBeNull();

    // Not yet: nobody has accepted it.
    expect((await shown()).version).toBe(2);
    await service.dataSource.transaction((manager) => discardHeld(manager, held.releaseId));
    expect((await shown()).version).toBe(2);
  });

  test('of a held release is in use once that is published', async () => {
    const held = await service.load('2025.geojson', { accept: ['values'], map: ['zoning=ZONING'] });
    expect(held.report.findings.map(({ name }) => name)).toContain('columns:owner_name');
    await service.dataSource.transaction((manager) => publishHeld(manager, held.releaseId, ['columns', 'values']));
    const { version, profile } = await shown();
    expect(version).toBe(await profileOf(held.releaseId));
    expect(profile.map).toMatchObject({ owner_name: { columns: ['TAXPAYR_NM'] }, zoning: { columns: ['ZONING'] } });
    const again = await service.load('2025.geojson');
    expect([again.state, await profileOf(again.releaseId)]).toEqual(['published', version]);
  });

  test('never leaves a field silently empty: a mapped column that is gone without a like one holds the release', async () => {
    await writeRoll('bare.geojson', (i) => ({ PIN: `10-${i}`, OWNER: `PERSON ${i}`, SITE: `${i + 1} MAIN ST`, BLDG_YR: 1900 + i }));
    const held = await service.load('bare.geojson', { accept: ['values', 'empty'] });
    expect(held.state).toBe('held');
    expect(held.report.findings).toContainEqual({
      name: 'columns:land_value',
      message: expect.stringMatching(/^LANDVAL, which profile \d+ reads as land_value, is gone: the field is empty$/),
    });
    const told = await service.load('bare.geojson', {
      accept: ['values', 'empty'],
      map: ['land_value=', 'owner_name=OWNER', 'use_description=', 'zoning='],
    });
    expect(told.report.findings.filter(({ name }) => name.startsWith('columns'))).toEqual([]);
    await service.load('2025.geojson', {
      accept: ['values', 'empty'],
      map: ['land_value=LANDVAL', 'owner_name=TAXPAYR_NM', 'use_description=USE_DESC'],
    });
  });

  test('refuses a load whose filter or join it cannot repeat, and says how to go on without it', async () => {
    await service.load('2025.geojson', { where: ['ZONING=R-1'], accept: ['loss', 'ids', 'spread'] });
    await expect(service.load('bare.geojson')).rejects.toThrow(
      /ZONING: there is no such column.*This load used profile \d+\. To propose a new mapping, add --no-profile/,
    );
  });

  test('forgets an option that no longer holds, for this load and for later ones', async () => {
    const other = await openService();
    const load = (options: LoadRequest['options'] = {}) => other.load('2024.geojson', options);
    const inUse = async () => JSON.parse(await other.run('profile', 'show', '--county', middlesex, '--json'));
    expect((await load({ where: ['PIN=10-1'], license: 'CC0' })).loaded).toBe(1);
    expect((await inUse()).profile).toMatchObject({ where: ['PIN=10-1'], license: 'CC0' });
    const all = await load({ unset: ['where', 'license'] });
    expect([all.state, all.loaded]).toEqual(['published', 60]);
    const { version, profile } = await inUse();
    expect([version, profile.where, profile.license]).toEqual([2, undefined, undefined]);
    expect((await load()).loaded).toBe(60);
    await expect(other.run('load', '--county', middlesex, '--unset', 'where,size', 'x.geojson')).rejects.toThrow(
      /size is not one of where, layer, crs/,
    );
  });

  test('is left aside by --no-profile, which proposes anew', async () => {
    const anew = await service.load('2024.geojson', { profile: false, accept: ['loss', 'ids', 'spread', 'values', 'empty'] });
    expect((await service.records(anew.releaseId))[0]!.owner_name).toBe('PERSON 0');
    expect(await profileOf(anew.releaseId)).toBe((await shown()).version);
    expect((await shown()).profile.where).toBeUndefined();
  });

  test('of a part is its own', async () => {
    const fips = '25009';
    await writeFile(
      path('town.geojson'),
      collection([feature({ PIN: '1', OWNER: 'A', TAXPAYER: 'B' }, { type: 'Point', coordinates: [-70.9, 42.6] })]),
    );
    const load = (part: string, map: string[] = []) =>
      loadCounty({
        database: service.db,
        county: fips,
        files: [path('town.geojson')],
        options: { part, map, republish: true },
      });
    const [salem, lynn] = [await load('Salem', ['owner_name=TAXPAYER']), await load('Lynn')];
    const owners = async (releaseId: number) => (await service.records(releaseId)).map(({ owner_name }) => owner_name);
    expect(await owners(lynn.releaseId)).toEqual(['B', 'A']);
    expect(await owners((await load('Salem')).releaseId)).toEqual(['B', 'A']);
    expect(salem.state).toBe('published');
    await expect(service.run('profile', 'show', '--county', fips)).rejects.toThrow('Its parts with a profile: lynn, salem.');
  });
});

test('the unit of a column is kept: dates stay day first in a file whose days cannot tell', async () => {
  const other = await openService();
  await writeRoll('dates.geojson', (i) => ({ PIN: `10-${i}`, SALE_DATE: `${13 + (i % 15)}/02/2020` }));
  await writeRoll('dates-next.geojson', (i) => ({ PIN: `10-${i}`, SALE_DATE: '03/02/2021' }));
  const dayOf = async (releaseId: number) => (await other.records(releaseId))[0]!.sale_date;
  expect(await dayOf((await other.load('dates.geojson')).releaseId)).toBe('2020-02-13');
  expect(await dayOf((await other.load('dates-next.geojson')).releaseId)).toBe('2021-02-03');
});

test('the join columns are kept for the next roll, and a load without a roll is told that it lacks one', async () => {
  const other = await openService();
  await writeRoll('shapes.geojson', (i) => ({ MAPNO: i + 1, LOTNO: 60 - i }), 60);
  const rollOf = (shift: number) => `ACCT,HOLDER\n${Array.from({ length: 60 }, (_, i) => `${60 - i},OWNER ${i + shift}`).join('\n')}\n`;
  await writeFile(path('roll.csv'), rollOf(0));
  await writeFile(path('roll-next.csv'), rollOf(1));
  const join = { join: path('roll.csv'), on: 'LOTNO=ACCT', map: ['owner_name=HOLDER', 'apn=LOTNO'] };
  await other.load('shapes.geojson', join);
  const next = await other.load('shapes.geojson', { join: path('roll-next.csv') });
  expect((await other.records(next.releaseId))[0]).toMatchObject({ apn: '60', owner_name: 'OWNER 1' });
  const without = await other.load('shapes.geojson');
  expect(without.state).toBe('held');
  expect(without.report.findings.map(({ name }) => name)).toContain('columns:owner_name');
  expect(without.warnings.join('\n')).toContain('earlier loads joined a tax roll, but this load has none');
});

describe('profile export and import', () => {
  test('give the same release on another service, also where the dictionary would map otherwise', async () => {
    const one = await service.load('2024.geojson', { map: [...corrected, 'situs_address='], accept: ['empty', 'values', 'ids'] });
    await writeFile(path('profile.json'), await service.run('profile', 'export', '--county', middlesex));
    const other = await openService();
    await other.run('profile', 'import', path('profile.json'), '--county', middlesex);
    const same = await other.load('2024.geojson');
    expect([same.state, await profileOf(same.releaseId, other)]).toEqual(['published', 1]);
    expect(await other.records(same.releaseId)).toEqual(await service.records(one.releaseId));
    expect((await other.records(same.releaseId))[0]).toMatchObject({ owner_name: 'HOUSE 0 TRUST', situs_address: null });
    const [action] = await other.db.query(
      "select actor, target, after ->> 'version' as version from admin_action where action = 'import county profile'",
    );
    expect(action).toEqual({ actor: 'command line', target: middlesex, version: '1' });
    expect(JSON.parse(await other.run('profile', 'history', '--county', middlesex, '--json')).versions).toEqual([
      { part: null, version: 1, created_at: expect.any(String), created_by: 'command line', release_id: null, is_in_use: true },
    ]);
  });

  test('name every key and field of a file that is wrong, and take nothing of it', async () => {
    const file = JSON.parse(await service.run('profile', 'export', '--county', middlesex));
    const wrong = {
      ...file,
      county: '25025',
      colour: 'red',
      where: ['ZONING'],
      map: { ...file.map, owner: { columns: ['A'] }, apn: { columns: 'PIN' }, acres: { columns: ['A'], unit: 'roods' } },
      seen: { ...file.seen, columns: { PIN: { filled: 2 } } },
    };
    await writeFile(path('wrong.json'), JSON.stringify(wrong));
    const before = await shown();
    const message = await service.run('profile', 'import', path('wrong.json'), '--county', middlesex).then(
      () => '',
      (error: Error) => error.message,
    );
    for (const key of ['county', 'colour', 'where', 'map.owner', 'map.apn.columns', 'map.acres.unit', 'seen.columns.PIN'])
      expect(message).toMatch(new RegExp(`(^|; )${key.replaceAll('.', '\\.')} `));
    await writeFile(path('list.json'), '[1]');
    await expect(service.run('profile', 'import', path('list.json'), '--county', middlesex)).rejects.toThrow('not a profile');
    expect(await shown()).toEqual(before);
  });

  test('are refused while a load of the county runs', async () => {
    await writeFile(path('meanwhile.json'), await service.run('profile', 'export', '--county', middlesex));
    let refusal: unknown;
    await loadCounty({
      database: service.db,
      county: middlesex,
      files: [path('2024.geojson')],
      options: { accept: ['ids', 'loss', 'values', 'empty', 'spread', 'places'] },
      onDone: async () => {
        refusal = await service.run('profile', 'import', path('meanwhile.json'), '--county', middlesex).catch((error: unknown) => error);
      },
    });
    expect(refusal).toMatchObject({ code: 'conflict' });
  });

  test('are refused for a county that does not exist', async () => {
    const file = JSON.parse(await service.run('profile', 'export', '--county', middlesex));
    await writeFile(path('nowhere.json'), JSON.stringify({ ...file, county: '99999' }));
    await expect(service.run('profile', 'import', path('nowhere.json'), '--county', '99999')).rejects.toThrow('no county');
  });
});

test('a file of another source, which has less than a third of the mapped columns, is proposed anew, and this is said', async () => {
  const service = await openService();
  await writeFile(path('own.csv'), 'PIN,OWNER,SITUS_ADDRESS,ACRES\n12-1,DOE JANE,1 OAK ST,1\n12-2,ROE ANN,2 OAK ST,2\n');
  await writeFile(path('other.csv'), 'PIN,TAXPAYER_NAME,PROPERTY_ADDRESS,ZONING\n12-1,DOE JANE,1 OAK ST,R-1\n12-2,ROE ANN,2 OAK ST,R-1\n');
  await service.load('own.csv', { force: true });
  const { warnings, releaseId } = await service.load('other.csv', { force: true });
  expect(warnings).toContainEqual(
    expect.stringMatching(/less than a third of the columns of profile 1, so its columns were mapped from scratch/),
  );
  expect((await service.records(releaseId))[0]).toMatchObject({ owner_name: 'DOE JANE', situs_address: '1 OAK ST', zoning: 'R-1' });
});

test('the spelling of join keys that a load was told is kept, and used where nothing could be proposed', async () => {
  const other = await openService();
  await writeRoll('keys.geojson', (i) => ({ PIN: `000${120 + i}` }), 20);
  const lines = (key: (i: number) => string) =>
    `ACCOUNT,HOLDER\n${Array.from({ length: 18 }, (_, i) => `${key(i)},OWNER ${i}`).join('\n')}\n`;
  await writeFile(
    path('keys.csv'),
    lines((i) => `R-000${120 + i}`),
  );
  // Two in three have no shape, so that nothing could be proposed.
  await writeFile(
    path('keys-next.csv'),
    lines((i) => (i < 6 ? `R-000${120 + i}` : `R-9${i}`)),
  );
  const join = { join: path('keys.csv'), on: 'PIN=ACCOUNT', map: ['owner_name=HOLDER', 'apn=PIN'], force: true };
  const spelling = ['roll=strip:punctuation', 'roll=strip:R'];
  await other.load('keys.geojson', { ...join, joinKey: spelling });
  const { version, profile } = JSON.parse(await other.run('profile', 'show', '--county', middlesex, '--json'));
  expect([version, profile.join_key]).toEqual([1, spelling]);
  const next = await other.load('keys.geojson', { join: path('keys-next.csv'), force: true });
  expect((await other.records(next.releaseId)).slice(0, 6)).toMatchObject(
    Array.from({ length: 6 }, (_, i) => ({ apn: `000${120 + i}`, owner_name: `OWNER ${i}` })),
  );
});
