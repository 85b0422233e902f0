import { parse } from 'csv-parse/sync';
import { setCountyStatus } from '../../src/releases/lifecycle/change-county.js';
import { pruneReleases } from '../../src/releases/lifecycle/prune.js';
import { recordFields } from '../../src/releases/record-fields/record-fields.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Json } from '../harness/caller.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';

const middlesex = '25017';
const suffolk = '25025';
// Longer than a read may be reversed.
const minutesLater = '7 minutes';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await publishRecords(app.db, middlesex, 4100);
  await publishRecords(app.db, suffolk, 30);
});

interface Customer extends Omit<Person, 'read'> {
  token: string;
  read(limit: number, county?: string): Promise<{ id: string; parcels: Json[] }>;
  file(query: object, format?: string): Promise<{ status: number; text: string; json: Json; headers: Headers }>;
  search(variables?: object): Promise<Json>;
}

/** Somebody with a paid token (4,000 records included). */
async function somebody(): Promise<Customer> {
  const person: Omit<Person, 'read'> = await app.signUp();
  const token = await app.paidToken(person.id);
  return Object.assign(person, {
    token,
    read: async (limit: number, county = middlesex) => {
      const page = `/api/parcels?limit=${limit}&county_fips=${county}`;
      let json: Json;
      await eventually('the server knows the release', async () => {
        ({ json } = await app.get(page, { token }));
        return json.parcels.length > 0;
      });
      return { id: json.metering.ledger_entry_id, parcels: json.parcels };
    },
    file: (query: object, format = 'ndjson') => person.get(`/page-data/records.${format}?${new URLSearchParams({ ...query })}`),
    search: async (variables: object = {}) => {
      const { boughtRecords: found }: Json = await person.ask(
        `query ($search: String, $entryId: ID, $tokenId: ID, $countyFips: String, $from: DateTimeISO, $to: DateTimeISO, $releases: String, $after: String, $limit: Int! = 25) {
          boughtRecords(search: $search, entryId: $entryId, tokenId: $tokenId, countyFips: $countyFips, from: $from, to: $to, releases: $releases, after: $after, limit: $limit) {
            recordsJson reads { entryId at } next searched total olderRecords recentRecords
            notKept { countyFips countyName state releaseId firstOrdinal count } counties { fips name state records }
          }
        }`,
        variables,
      );
      return { ...found, records: JSON.parse(found.recordsJson) };
    },
  });
}

const lines = (text: string): Json[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const numbers = (records: Json[]): string[] => records.map(({ apn }) => apn);
const booksOf = (person: Customer): Promise<Json> =>
  person.ask('{ ledger { entries { id } } balances { creditsRemaining overageRecords } }');

/** Gives a record of a release other values. */
const change = (releaseId: number, ordinal: number, values: object) =>
  app.db.query(
    `update parcel set apn = coalesce($3::json ->> 'apn', apn), record = (
       select '{' || string_agg(to_json(key) || ':' || coalesce($3::json -> key, value)::text, ',' order by n) || '}'
         from json_each(record::json) with ordinality o (key, value, n))
      where release_id = $1 and ordinal = $2`,
    [releaseId, ordinal, JSON.stringify(values)],
  );

describe('a file of the records that a read returned', () => {
  it('has them as the API returned them, in three formats', async () => {
    const fips = '25001';
    const release = await publishRecords(app.db, fips, 5);
    const geometry = {
      type: 'Polygon',
      coordinates: [
        [
          [-71.5, 42.25],
          [-71.4, 42.25],
          [-71.4, 42.3],
          [-71.5, 42.25],
        ],
      ],
    }; // prettier-ignore
    await change(release, 2, { geometry, latitude: 42.27, longitude: -71.43, owner_name: 'Öz "The Owl",\nInc.' });
    const ada = await somebody();
    const { id, parcels } = await ada.read(5, fips);
    expect(parcels[1]).toMatchObject({ geometry, owner_name: 'Öz "The Owl",\nInc.' });
    await app.db.moveClock(minutesLater);

    const ndjson = await ada.file({ entryId: id });
    expect([ndjson.status, lines(ndjson.text)]).toEqual([200, parcels]);

    const csv = await ada.file({ entryId: id }, 'csv');
    expect(csv.text.startsWith(`${recordFields.join(',')}\r\n`)).toBe(true);
    const asText = (value: Json) => (value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value));
    expect(parse(csv.text, { columns: true })).toEqual(
      parcels.map((parcel) => Object.fromEntries(Object.entries(parcel).map(([field, value]) => [field, asText(value)]))),
    );

    const geojson = JSON.parse((await ada.file({ entryId: id }, 'geojson')).text);
    expect(geojson).toEqual({
      type: 'FeatureCollection',
      features: parcels.map(({ geometry: shape, ...properties }) => ({
        type: 'Feature',
        id: properties.parcel_id,
        geometry: shape,
        properties,
      })),
    });
  });

  it('comes as an attachment that no cache keeps and no other site may load', async () => {
    const ada = await somebody();
    const { id } = await ada.read(1);
    await app.db.moveClock(minutesLater);
    for (const [format, type] of [
      ['csv', 'text/csv; charset=utf-8; header=present'],
      ['ndjson', 'application/x-ndjson; charset=utf-8'],
      ['geojson', 'application/geo+json; charset=utf-8'],
    ] as const) {
      const { headers } = await ada.file({ entryId: id }, format);
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('content-disposition')).toBe(`attachment; filename="records-${id}.${format}"`);
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
    const head = await ada.call('HEAD', `/page-data/records.csv?entryId=${id}`);
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await ada.post('/page-data/records.csv')).status).toBe(405);
  });

  it('is free and leaves no trace in the ledger', async () => {
    const ada = await somebody();
    const { id } = await ada.read(3);
    await app.db.moveClock(minutesLater);
    const before = await booksOf(ada);
    expect(lines((await ada.file({ entryId: id })).text)).toHaveLength(3);
    await ada.search({ search: 'APN-2' });
    expect(await booksOf(ada)).toEqual(before);
  });

  it('lets no spreadsheet run a value as a formula', async () => {
    const fips = '25003';
    await change(await publishRecords(app.db, fips, 1), 1, { owner_name: '=1+1', situs_city: '@SUM(A1)', longitude: -71.5, apn: '-1-2' });
    const ada = await somebody();
    const { id } = await ada.read(1, fips);
    await app.db.moveClock(minutesLater);
    const [record] = parse<Json>((await ada.file({ entryId: id }, 'csv')).text, { columns: true });
    expect(record).toMatchObject({ owner_name: "'=1+1", situs_city: "'@SUM(A1)", longitude: '-71.5', apn: "'-1-2" });
  });

  it('is of own reads only, and so is a search: a foreign read is answered like an unknown one, and nobody else gets any', async () => {
    const [ada, eve] = [await somebody(), await somebody()];
    const { id } = await ada.read(2);
    await app.db.moveClock(minutesLater);
    const unknown = '00000000-0000-7000-8000-000000000000';
    const answers: Awaited<ReturnType<Customer['file']>>[] = [];
    for (const entryId of [id, unknown, "' or true --"]) answers.push(await eve.file({ entryId }));
    expect(answers.map(({ status, json }) => [status, json.error, json.message])).toEqual(
      answers.map(() => [404, 'not_found', 'There is no such read in this account, or it was taken back.']),
    );
    expect((await eve.file({})).text).toBe('');
    expect(await eve.search({ search: 'APN-1' })).toMatchObject({ records: [], total: 0, counties: [] });
    for (const options of [{}, { token: ada.token }]) {
      const { status, json } = await app.get(`/page-data/records.csv?entryId=${id}`, options);
      expect([status, json.error]).toEqual([401, 'unauthenticated']);
    }
    const operator = await app.signUpOperator();
    expect((await operator.get(`/page-data/records.csv?entryId=${id}`)).status).toBe(404);
  });

  it.each([
    ['entryId=a&entryId=b', 'entryId'],
    ['from=yesterday', 'from'],
    ['from=-271821-04-20T00:00:00Z', 'from'],
    ['to=%2B275760-09-13T00:00:00Z', 'to'],
    ['countyFips=2501', 'countyFips'],
    ['releases=some', 'releases'],
    ['accountId=1', 'accountId'],
    ['search=a%00b', 'search'],
  ])('refuses %s', async (query, parameter) => {
    const { status, json } = await (await app.signUp()).get(`/page-data/records.csv?${query}`);
    expect([status, json.error, json.details?.[0].parameter]).toEqual([400, 'invalid_request', parameter]);
  });

  it('has no records that were not paid for: those of a read that was reversed, or still may be', async () => {
    const ada = await somebody();
    const { id } = await ada.read(3);
    const recent = await ada.file({ entryId: id });
    expect([recent.status, recent.json.error]).toEqual([409, 'conflict']);
    expect(await ada.search()).toMatchObject({ total: 0, recentRecords: 3, records: [] });
    const [row] = await app.db.query<{ balance_id: string; request_id: string }>(
      'select balance_id, request_id from ledger_entry where id = $1',
      [id],
    );
    await app.db.query(`select reverse_spent($1, $2, null, interval '1 minute', 'a test')`, [row!.balance_id, row!.request_id]);
    await app.db.moveClock(minutesLater);
    expect((await ada.file({ entryId: id })).status).toBe(404);
    expect((await ada.file({})).text).toBe('');
    expect(await ada.search()).toMatchObject({ total: 0, recentRecords: 0, records: [] });
  });

  it('is there at once if the console has shown the records, which makes the read final', async () => {
    const ada = await somebody();
    const { id, parcels } = await ada.read(3);
    await ada.ask('query ($id: ID!) { entryRecords(id: $id) { total } }', { id });
    expect(lines((await ada.file({ entryId: id })).text)).toEqual(parcels);
  });

  it('is of a replay what the replay returned', async () => {
    const ada = await somebody();
    const again = () =>
      app.get(`/api/parcels?limit=2&county_fips=${middlesex}`, { token: ada.token, headers: { 'idempotency-key': 'once' } });
    const [first, replay] = [(await again()).json, (await again()).json];
    expect(replay.metering.ledger_entry_id).not.toBe(first.metering.ledger_entry_id);
    expect(lines((await ada.file({ entryId: replay.metering.ledger_entry_id })).text)).toEqual(first.parcels);
  });
});

describe('a file of the records of a time', () => {
  it('has each record once, however often it was read, and only those of the time, the county and the token', async () => {
    const ada = await somebody();
    await ada.read(3);
    await ada.read(5);
    await app.db.moveClock('1 day');
    const [{ now }] = (await app.db.query<{ now: Date }>('select service_now() as now')) as [{ now: Date }];
    const { id } = await ada.read(2, suffolk);
    await app.db.moveClock(minutesLater);
    const of = async (query: object) => numbers(lines((await ada.file(query)).text));
    const first = ['APN-1', 'APN-2', 'APN-3', 'APN-4', 'APN-5'];
    expect(await of({})).toEqual([...first, 'APN-1', 'APN-2']);
    expect(await of({ to: now.toISOString() })).toEqual(first);
    expect(await of({ from: now.toISOString() })).toEqual(['APN-1', 'APN-2']);
    expect(await of({ countyFips: middlesex })).toEqual(first);
    expect(await of({ countyFips: suffolk, to: now.toISOString() })).toEqual([]);
    const { tokens } = await ada.ask<Json>('{ tokens { id } }');
    expect(await of({ tokenId: tokens[0].id })).toHaveLength(7);
    expect(await of({ tokenId: '00000000-0000-7000-8000-000000000000' })).toEqual([]);
    expect((await ada.search({ countyFips: suffolk })).reads).toEqual([1, 2].map(() => ({ entryId: id, at: expect.any(String) })));
    expect((await ada.search()).counties).toEqual([
      { fips: middlesex, name: 'Middlesex County', state: 'MA', records: 5 },
      { fips: suffolk, name: 'Suffolk County', state: 'MA', records: 2 },
    ]);
  });

  it('has a parcel of two releases once, from the newest, or each of them if asked', async () => {
    const fips = '25005';
    const old = await publishRecords(app.db, fips, 4);
    const ada = await somebody();
    await ada.read(4, fips);
    const current = await publishRecords(app.db, fips, 4);
    await eventually('the new release is served', async () => (await ada.read(2, fips)).parcels[0].release_id === current);
    await app.db.moveClock(minutesLater);
    const releasesIn = async (query: object) => lines((await ada.file(query)).text).map(({ release_id, apn }) => [release_id, apn]);
    const newest = [
      [current, 'APN-1'],
      [current, 'APN-2'],
      [old, 'APN-3'],
      [old, 'APN-4'],
    ];
    expect(await releasesIn({})).toEqual(newest);
    expect(await releasesIn({ releases: 'all' })).toEqual([...newest.slice(0, 2), [old, 'APN-1'], [old, 'APN-2'], ...newest.slice(2)]);
    expect(await ada.search()).toMatchObject({ total: 4, olderRecords: 2 });
    expect(await ada.search({ releases: 'all' })).toMatchObject({ total: 6, olderRecords: 0 });
  });

  it('keeps the records of a withdrawn county until they are deleted, and then names what is missing', async () => {
    const fips = '25009';
    const release = await publishRecords(app.db, fips, 4);
    const ada = await somebody();
    const { id } = await ada.read(3, fips);
    await ada.read(1, suffolk);
    await app.database.controlDataSource.transaction((manager) => setCountyStatus(manager, fips, 'unavailable', null));
    await app.db.moveClock('6 days');
    await pruneReleases(app.database.controlPool);
    expect(lines((await ada.file({ entryId: id })).text)).toHaveLength(3);
    await app.db.moveClock('2 days');
    await pruneReleases(app.database.controlPool);

    const missing = { county_fips: fips, release_id: release, first_ordinal: 1, count: 3 };
    const [{ apn }, last] = lines((await ada.file({})).text) as [Json, Json];
    expect([apn, last]).toEqual(['APN-1', { not_available: [missing] }]);
    const geojson = JSON.parse((await ada.file({}, 'geojson')).text);
    expect([geojson.features.length, geojson.not_available]).toEqual([1, [missing]]);
    const [, row] = parse<Json>((await ada.file({}, 'csv')).text, { columns: true });
    expect(row).toMatchObject({
      county_fips: fips,
      release_id: String(release),
      parcel_id: '',
      not_available: '3 records from ordinal 1 on',
    });
    expect(await ada.search()).toMatchObject({
      total: 1,
      notKept: [{ countyFips: fips, countyName: 'Essex County', state: 'MA', releaseId: release, firstOrdinal: 1, count: 3 }],
    });
  });

  it('is one at a time for an account: another waits until it has ended, or its caller has gone', async () => {
    const fips = '25021';
    await publishRecords(app.db, fips, 20_000);
    const ada = await somebody();
    await ada.read(1, fips);
    // As if all of it had been read. A reader without haste gets no more than its connection holds.
    await app.db.query('alter table ledger_entry disable trigger user');
    await app.db.query(
      `update ledger_entry set segments[3] = 20000 where kind = 'read' and balance_id in (select id from credit_balance where account_id = $1)`,
      [ada.id],
    );
    await app.db.query('alter table ledger_entry enable trigger user');
    await app.db.moveClock(minutesLater);
    const leaving = new AbortController();
    const path = '/page-data/records.ndjson';
    const slow = await fetch(app.url + path, { headers: { cookie: ada.cookie }, signal: leaving.signal });
    expect(slow.status).toBe(200);
    const refused = await ada.get(path);
    expect([refused.status, refused.json.error, refused.headers.get('retry-after')]).toEqual([429, 'too_many_requests', '10']);
    const eve = await somebody();
    expect((await eve.get(path)).status).toBe(200);
    leaving.abort();
    let whole = '';
    await eventually('the account may download again', async () => {
      const answer = await ada.get(path);
      whole = answer.text;
      return answer.status === 200;
    });
    expect(new Set(numbers(lines(whole))).size).toBe(20_000);
  });

  it('ends the connection rather than leave out records that are deleted meanwhile', async () => {
    const fips = '25023';
    const release = await publishRecords(app.db, fips, 1_000);
    const ada = await somebody();
    await ada.read(1_000, fips);
    await app.db.moveClock(minutesLater);
    await app.db.query('delete from parcel where release_id = $1 and ordinal > 900', [release]);
    await expect(ada.file({})).rejects.toThrow();
  });
});

it('leaves a connection to everybody else, however often an account asks for its long ledger', async () => {
  const [busy, other] = [await somebody(), await somebody()];
  const waiting = `select from pg_stat_activity where application_name = 'parcel-records downloads' and wait_event_type = 'Lock'`;
  const holder = await app.database.reportPool.connect();
  await holder.query('begin; lock table ledger_entry in access exclusive mode');
  const searches = [busy, busy, busy, other].map((person) => person.search());
  await eventually('one search of each runs', async () => (await app.db.query(`${waiting} and datname = current_database()`)).length === 2);
  expect(app.database.downloadPool.waitingCount).toBe(0);
  await holder.query('rollback');
  holder.release();
  expect((await Promise.all(searches)).map(({ total }) => total)).toEqual([0, 0, 0, 0]);
});

describe('a search among the records that were read', () => {
  let ada: Customer;
  beforeAll(async () => {
    const fips = '25027';
    const release = await publishRecords(app.db, fips, 60);
    const values = {
      apn: '12-34.5 A',
      situs_address: '1 Elm St',
      situs_city: 'Worcester',
      situs_zip: '01602',
      latitude: 42.26,
      longitude: -71.8,
    };
    await change(release, 40, values);
    await change(release, 41, { ...values, apn: null, situs_address: '100% Oak_Way', latitude: 42.3 });
    ada = await somebody();
    await ada.read(50, fips);
    await app.db.moveClock(minutesLater);
  });

  it.each([
    ['a parcel number, however it is written', '12345a', ['12-34.5 A']],
    ['a part of one', '12-34', ['12-34.5 A']],
    ['words of an address in any order', 'worcester ELM', ['12-34.5 A']],
    ['a ZIP code', '01602', ['12-34.5 A', null]],
    ['signs as they are', '100% oak_way', [null]],
    ['a box', '-72,42.2,-71,42.27', ['12-34.5 A']],
    ['a larger box', '-72, 42.2, -71, 42.3', ['12-34.5 A', null]],
    ['nothing that was not read', 'APN-55', []],
    ['nothing that is not there', 'situs_city', []],
    ['a sign of patterns as it is', '%', [null]],
  ])('finds %s', async (_, search, found) => {
    expect(numbers((await ada.search({ search })).records)).toEqual(found);
    expect(numbers(lines((await ada.file({ search })).text))).toEqual(found);
  });

  it('goes on page by page, with each record once, and says how many of how many it has searched', async () => {
    for (const search of [null, 'main street']) {
      const found: string[] = [];
      for (let after: string | null = null; ; ) {
        const page: Json = await ada.search({ search, after, limit: 7 });
        found.push(...numbers(page.records));
        after = page.next;
        if (after === null) break;
      }
      expect(found.length).toBe(search === null ? 50 : 48);
      expect(new Set(found).size).toBe(found.length);
    }
    expect(await ada.search({ search: 'nowhere at all' })).toMatchObject({ searched: 50, total: 50, next: null });
  });
});
