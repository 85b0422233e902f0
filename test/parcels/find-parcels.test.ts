import { loadCounty } from '../../src/loader/load-county.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Json } from '../harness/caller.js';
import { cutMap } from '../harness/parcel-maps.js';
import type { Person } from '../harness/person.js';
import { collection, feature, scratch, square } from '../loader/files.js';

const middlesex = '25017';
const tower = 30;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await load([
    { APN: '12-3-4', SITUS: '7 NORTH MAIN STREET', CITY: 'CAMBRIDGE', ZIP: '02139', OWNER: 'ADA OWNER' },
    { APN: '12-3-5', SITUS: '7 MAIN AVE', CITY: 'SOMERVILLE', OWNER: 'BOB OWNER' },
    { APN: '0012-35', SITUS: '9 ELM CT', OWNER: 'EVE OWNER' },
    ...Array.from({ length: tower }, (_, i) => ({ APN: `T-${i}`, SITUS: `500 TOWER RD APT ${i}`, OWNER: `TENANT ${i}` })),
  ]);
  await cutMap(app, middlesex);
});
afterEach(async () => {
  expect(await app.brokenBooks()).toEqual([]);
});

async function load(rows: object[]): Promise<void> {
  const files = await scratch();
  const features = rows.map((row, i) => feature(row, i === 1 ? null : square(i)));
  await loadCounty({
    database: app.database,
    county: middlesex,
    files: [await files.write('parcels.geojson', collection(features))],
    options: {
      map: ['apn=APN', 'situs_address=SITUS', 'situs_city=CITY', 'situs_zip=ZIP', 'owner_name=OWNER'],
      force: true,
      profile: false,
      accept: ['loss', 'ids', 'places', 'spread', 'values', 'empty'],
    } as never,
  });
}

const findQuery = `query ($search: String!, $tokenId: ID, $county: String!) { findParcels(countyFips: $county, search: $search, tokenId: $tokenId) {
  parcels { apn latitude longitude cursor } hasMore } }`;

const find = async (person: Omit<Person, 'read'>, search: string, tokenId: string | null = null, county = middlesex): Promise<Json> =>
  (await person.ask(findQuery, { search, tokenId, county })).findParcels;

const numbersFound = async (person: Omit<Person, 'read'>, search: string): Promise<string[]> =>
  (await find(person, search)).parcels.map(({ apn }: { apn: string }) => apn);

/** A person with a token of each plan. */
async function buyer() {
  const person: Omit<Person, 'read'> = await app.signUp();
  const trial = await person.trialToken();
  const paid = await app.paidToken(person.id);
  const { tokens } = await person.ask('{ tokens { id plan } }');
  const idOf = (plan: string) => tokens.find((token: { plan: string }) => token.plan === plan).id as string;
  return { person, trial, paid, trialId: idOf('trial'), paidId: idOf('paid') };
}

const buyQuery = `query ($county: String!, $cursor: String!, $tokenId: ID!) { parcels(countyFips: $county, limit: 1, cursor: $cursor, tokenId: $tokenId) {
  records original { ledgerEntryId } metering { ledgerEntryId creditsCharged creditsRemaining } } }`;

/** Buys as the console does: the place is the key. */
async function buy(person: Omit<Person, 'read'>, cursor: string, tokenId: string): Promise<Json> {
  const body = { query: buyQuery, variables: { county: middlesex, cursor, tokenId } };
  const { json } = await person.post('/graphql', { body, headers: { 'idempotency-key': cursor } });
  return json.data ? json.data.parcels : json.errors[0].extensions;
}

const readsOf = async (person: Omit<Person, 'read'>): Promise<Json> =>
  (await person.ask('{ ledger(kind: "read") { total entries { id credits records } } }')).ledger;

describe('findParcels', () => {
  it.each([
    ['12-3-4', ['12-3-4']],
    ['1234', ['12-3-4']],
    // Another way to write two numbers of the county: both are found.
    ['12 3 5', ['12-3-5']],
    ['001235', ['0012-35']],
    ['7 n main st', ['12-3-4']],
    ['7 Main Street, Cambridge', ['12-3-4']],
    ['7 Main', ['12-3-4', '12-3-5']],
    ['7 main avenue', ['12-3-5']],
    ['500 Tower Road Apt 29', ['T-29']],
  ])('finds parcels by a number in any spelling, and by a house number with words of the address: %s', async (search, numbers) => {
    expect(await numbersFound(await app.signUp(), search)).toEqual(numbers);
  });

  it.each([
    '12',
    '123',
    '7',
    'Main',
    'Main Street',
    '7 Mai',
    '7 M',
    '17 Main',
    'Cambridge',
    '02139',
    'ADA OWNER',
    '7 Main Owner',
    '—',
    '%',
    '7 %',
  ])('finds nothing by a part of a number or of a word, by a street, or by another value of a record: %s', async (search) => {
    expect(await find(await app.signUp(), search)).toEqual({ parcels: [], hasMore: false });
  });

  it('shows the number and the middle of the shape of at most ten parcels', async () => {
    const person = await app.signUp();
    expect(await find(person, '12-3-4')).toEqual({
      parcels: [{ apn: '12-3-4', latitude: 42.3705, longitude: -71.1095, cursor: null }],
      hasMore: false,
    });
    expect((await find(person, '12-3-5')).parcels).toEqual([{ apn: '12-3-5', latitude: null, longitude: null, cursor: null }]);
    const { parcels, hasMore } = await find(person, '500 Tower');
    expect([parcels.length, hasMore]).toEqual([10, true]);
  });

  it('answers alike for a county that is unknown, has no records, or whose index is not made yet', async () => {
    const person = await app.signUp();
    for (const county of ['25025', '99999']) expect(await find(person, '12-3-4', null, county)).toBeNull();
  });

  it('is for sessions only, bounds its texts, and answers alike for a token that is unknown and one of somebody else', async () => {
    const [{ person }, other] = [await buyer(), await buyer()];
    for (const tokenId of ['nonsense', other.trialId])
      await expect(find(person, '1234', tokenId)).rejects.toMatchObject({ code: 'not_found' });
    await expect(find(person, 'x'.repeat(201))).rejects.toMatchObject({ code: 'invalid_request' });
    const body = { query: findQuery, variables: { search: '1234', county: middlesex } };
    expect((await app.post('/graphql', { body })).json.error).toBe('unauthenticated');
  });

  it('lets an account search twenty times at once and then fifteen times a minute, without delaying anybody else', async () => {
    const person = await app.signUp();
    const body = { query: findQuery, variables: { search: '7 Main', county: middlesex } };
    const startedAt = performance.now();
    const searches = Promise.all(Array.from({ length: 50 }, () => person.post('/graphql', { body })));
    const waits = (await searches).map(({ headers }) => Number(headers.get('retry-after')));
    // More become free while a slow machine is still asking.
    const freed = Math.ceil((performance.now() - startedAt) / 4_000);
    const served = waits.filter((seconds) => seconds === 0).length;
    expect(served).toBeGreaterThanOrEqual(20);
    expect(served).toBeLessThanOrEqual(20 + freed);
    expect([1, 2, 3, 4]).toContain(Math.max(...waits));
    expect(await numbersFound(await app.signUp(), '9 Elm')).toEqual(['0012-35']);
  });
});

describe('the record of a parcel that was found', () => {
  it('costs one credit of the token, by the same entry, receipt and download as any read', async () => {
    const { person, trial, trialId } = await buyer();
    const [{ cursor }] = (await find(person, '7 n main', trialId)).parcels;
    const bought = await buy(person, cursor, trialId);
    expect(bought).toMatchObject({ original: null, metering: { creditsCharged: 1, creditsRemaining: 49 } });
    expect(bought.records).toMatchObject([{ apn: '12-3-4', owner_name: 'ADA OWNER', situs_zip: '02139' }]);
    const { ledgerEntryId } = bought.metering;
    expect(await readsOf(person)).toMatchObject({ total: 1, entries: [{ id: ledgerEntryId, credits: -1, records: 1 }] });
    const { ledger } = (await app.get('/api/usage', { token: trial })).json;
    expect(ledger[0]).toMatchObject({ id: ledgerEntryId, kind: 'read', county_fips: middlesex });
    const shown = await person.ask('query ($id: ID!) { entryRecords(id: $id) { recordsJson total } }', { id: ledgerEntryId });
    expect(JSON.parse(shown.entryRecords.recordsJson)).toEqual(bought.records);
    const file = await person.get(`/page-data/records.ndjson?entryId=${ledgerEntryId}`);
    expect(JSON.parse(file.text)).toEqual(bought.records[0]);
  });

  it('is charged once by a double click, by clicks in several windows at several servers, and by a retry of an answer that was lost', async () => {
    const { person, paidId } = await buyer();
    const other = await startApp({}, app);
    const [{ cursor }] = (await find(person, '9 elm ct', paidId)).parcels;
    const there = person.copy(undefined, other.url);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => buy(i % 2 ? there : person, cursor, paidId)));
    await other.close();
    const ids = new Set(answers.map(({ original, metering }) => (original ?? metering).ledgerEntryId));
    expect(ids.size).toBe(1);
    expect(answers.map(({ records }) => records[0].apn)).toEqual(answers.map(() => '0012-35'));
    expect(await readsOf(person)).toMatchObject({ total: 1, entries: [{ credits: -1 }] });
    // The same place by another search, and by REST under the same key.
    const [again] = (await find(person, '0012-35', paidId)).parcels;
    expect(await buy(person, again.cursor, paidId)).toMatchObject({
      original: { ledgerEntryId: [...ids][0] },
      metering: { creditsCharged: 0 },
    });
  });

  // Its other ends, such as the death of a server, are those of any read: test/rest/delivery.test.ts.
  it('is not charged if it cannot be read after the spend, and charged once when the click is repeated', async () => {
    const { person, trialId } = await buyer();
    const [{ cursor }] = (await find(person, '500 tower rd apt 3', trialId)).parcels;
    await app.db.query('alter table parcel rename to parcel_away');
    const failed = await buy(person, cursor, trialId).finally(() => app.db.query('alter table parcel_away rename to parcel'));
    expect(failed.code).toBe('internal');
    expect(await buy(person, cursor, trialId)).toMatchObject({ metering: { creditsCharged: 1, creditsRemaining: 49 } });
    expect(await buy(person, cursor, trialId)).toMatchObject({ metering: { creditsCharged: 0, creditsRemaining: 49 } });
  });

  it('is refused without a charge for a revoked token, an exhausted one and one at its cap', async () => {
    const { person, trial, trialId, paidId } = await buyer();
    const [ofTrial] = (await find(person, '12-3-4', trialId)).parcels;
    const [ofPaid] = (await find(person, '12-3-4', paidId)).parcels;
    await app.get(`/api/parcels?limit=33`, { token: trial });
    await app.get(`/api/parcels?limit=17`, { token: trial });
    expect(await buy(person, ofTrial.cursor, trialId)).toMatchObject({ code: 'exhausted' });
    await person.ask('mutation ($id: ID!) { capToken(id: $id, periodCap: 1) { id } }', { id: paidId });
    const [within] = (await find(person, 'T-1', paidId)).parcels;
    expect(await buy(person, within.cursor, paidId)).toMatchObject({ metering: { creditsCharged: 1 } });
    expect(await buy(person, ofPaid.cursor, paidId)).toMatchObject({ code: 'exhausted' });
    await person.post(`/api/tokens/${paidId}/revoke`);
    expect(await buy(person, ofPaid.cursor, paidId)).toMatchObject({ code: 'revoked' });
    // A place that was found for one balance is none for another.
    expect(await buy(person, ofPaid.cursor, trialId)).toMatchObject({ code: expect.stringMatching(/invalid_request|exhausted/) });
    expect((await readsOf(person)).entries.map(({ records }: { records: number }) => records)).toEqual([1, 17, 33]);
  });

  it('is the one that was found, even if the county is loaded again before it is bought', async () => {
    const { person, trialId } = await buyer();
    const [{ cursor }] = (await find(person, '500 tower rd apt 5', trialId)).parcels;
    await load([{ APN: 'NEW-1', SITUS: '1 NEW ST', CITY: 'CAMBRIDGE', ZIP: '02139', OWNER: 'NEW OWNER' }]);
    expect((await buy(person, cursor, trialId)).records).toMatchObject([{ apn: 'T-5', owner_name: 'TENANT 5' }]);
    expect(await find(person, '1 new st')).toBeNull();
    await cutMap(app, middlesex);
    expect(await numbersFound(person, '1 new st')).toEqual(['NEW-1']);
  });
});
