import { randomUUID } from 'node:crypto';
import { createLog } from '../../src/core/log.js';
import { requestLimits } from '../../src/database/limits.js';
import { TokenLookup } from '../../src/ledger/token-lookup.js';
import type { RequestsArgs } from '../../src/requests/request.args.js';
import { type Call, RequestLog } from '../../src/requests/request-log.js';
import { hashToken, newTokenSecret } from '../../src/tokens/token-secret.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Json } from '../harness/caller.js';
import { closeAtEnd } from '../harness/closing.js';
import { eventually } from '../harness/eventually.js';
import { FaultProxy } from '../harness/fault-proxy.js';
import type { Person } from '../harness/person.js';
import { rawRequest } from '../harness/raw-request.js';
import { publishRecords } from '../harness/records.js';
import { words } from '../harness/words.js';

const middlesex = '25017';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await publishRecords(app.db, middlesex, 500);
});

type Filter = { [Name in keyof RequestsArgs]?: string | number };

interface Customer {
  person: Person;
  token: string;
  tokenId: string;
}

async function newCustomer(at = app): Promise<Customer> {
  const person = await at.signUp();
  const { raw_token: token, token: shown } = (await person.post('/api/tokens/trial')).json;
  return { person, token, tokenId: shown.id };
}

const fields = `requests { id at method url status latencyMs tokenId tokenName countyFips records entryId error { code meaning cure } } older`;
const list = async (person: Person, args: Filter = {}): Promise<{ requests: Json[]; older: string | null }> => {
  const named = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return (await person.ask(`{ requests${named.length > 0 ? `(${named.join(', ')})` : ''} { ${fields} } }`)).requests;
};
const outcomes = async (person: Person, args = ''): Promise<Json[]> =>
  (await person.ask(`{ requestOutcomes${args} { date calls unlisted error { code } } }`)).requestOutcomes;

/** The calls, newest first, when as many are recorded. */
async function recorded(person: Person, count: number, result = ''): Promise<Json[]> {
  const of = result && `, result: "${result}"`;
  const isRecorded = async () =>
    (await person.ask(`{ requests(limit: ${count}${of}) { requests { id } } }`)).requests.requests.length === count;
  await eventually(`${count} calls are recorded`, isRecorded);
  const { requests } = await list(person, result ? { result } : {});
  expect(requests).toHaveLength(count);
  return requests;
}

const read = (token: string, query = '?limit=1', headers: Record<string, string> = {}, at = app) =>
  at.get(`/api/parcels${query}`, { token, headers });

describe('the list of calls', () => {
  it('has a served call with its time, token, latency, county and records, and the ledger entry that it led to', async () => {
    const { person, token, tokenId } = await newCustomer();
    const before = Date.now();
    const { json, headers } = await read(token, `?county_fips=${middlesex}&limit=2`);
    const [call] = await recorded(person, 1);
    expect(call).toMatchObject({
      id: headers.get('x-request-id'),
      method: 'GET',
      url: `/api/parcels?county_fips=${middlesex}&limit=2`,
      status: 200,
      error: null,
      tokenId,
      tokenName: 'Trial',
      countyFips: middlesex,
      records: 2,
      entryId: json.metering.ledger_entry_id,
    });
    expect(call.latencyMs).toBeGreaterThan(0);
    expect(Math.abs(Date.parse(call.at) - before)).toBeLessThan(60_000);
  });

  it('has calls that cost nothing: usage, HEAD, 304 and replays', async () => {
    const { person, token } = await newCustomer();
    const { headers } = await read(token, '?limit=3', { 'idempotency-key': 'k' });
    await read(token, '?limit=3', { 'idempotency-key': 'k' });
    await read(token, '?limit=3', { 'if-none-match': headers.get('etag')! });
    await app.call('HEAD', '/api/parcels?limit=3', { token });
    await app.get('/api/usage', { token });
    const calls = await recorded(person, 5);
    expect(calls.map(({ method, url, status, records, entryId }) => [method, url, status, records, entryId !== null]).reverse()).toEqual([
      ['GET', '/api/parcels?limit=3', 200, 3, true],
      ['GET', '/api/parcels?limit=3', 200, 3, true],
      ['GET', '/api/parcels?limit=3', 304, 0, false],
      ['HEAD', '/api/parcels?limit=3', 200, 0, false],
      ['GET', '/api/usage', 200, 0, false],
    ]);
    expect(calls[3].entryId).not.toBe(calls[4].entryId);
  });

  it('gives for each refusal its code, what it means and what to do about it', async () => {
    const { person, token, tokenId } = await newCustomer();
    await read(token, '?limit=0');
    await read(token, '?limit=1', { 'idempotency-key': 'k' });
    await read(token, '?limit=2', { 'idempotency-key': 'k' });
    await app.get('/api/parcel', { token });
    await app.post('/api/parcels', { token });
    await app.get('/api/tokens', { token });
    await Promise.all(Array.from({ length: 121 }, (_, i) => read(token, `?county_fips=${99_000 + i}`)));
    await app.db.query('begin');
    await app.db.query('select from credit_balance where account_id = $1 for update', [person.id]);
    await read(token, '?limit=1', {}, await startApp({}, app, requestLimits));
    await app.db.query('rollback');
    await read(token, '?limit=1000');
    await read(token);
    await app.db.query('update credit_balance set ends_at = service_now() where account_id = $1', [person.id]);
    await read(token);
    await person.post(`/api/tokens/${tokenId}/revoke`);
    await read(token);
    const refused = await recorded(person, 10, 'refused');
    const expected = words`
      400:invalid_request 422:idempotency_key_reused 404:not_found 405:method_not_allowed 401:unauthenticated 429:too_many_requests
      503:unavailable 402:exhausted 401:expired 403:revoked
    `;
    expect(new Set(refused.map(({ status, error }) => `${status}:${error.code}`))).toEqual(new Set(expected));
    for (const { error, records, entryId } of refused) {
      expect([error.meaning, error.cure]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
      expect([records, entryId]).toEqual([0, null]);
    }
  });

  it('has a call whose caller left before the answer', async () => {
    const { person, token } = await newCustomer();
    await read(token);
    await app.db.query('begin');
    await app.db.query('select from credit_balance where account_id = $1 for update', [person.id]);
    const leaving = new AbortController();
    const call = fetch(`${app.url}/api/parcels?limit=1`, { headers: { authorization: `Bearer ${token}` }, signal: leaving.signal });
    await eventually(
      'the read waits for its balance',
      async () => (await app.db.query('select from pg_locks where not granted')).length > 0,
    );
    leaving.abort();
    await expect(call).rejects.toThrow();
    await app.db.query('rollback');
    expect((await recorded(person, 1, 'caller_gone'))[0]).toMatchObject({ status: 499, error: { code: 'caller_gone' } });
  });

  it('has no calls without a token of ours', async () => {
    const { person, token } = await newCustomer();
    const neverIssued = newTokenSecret('trial').raw;
    await app.get('/api/parcels');
    await app.get('/api/parcels', { token: 'garbage' });
    await app.get('/api/parcels', { token: neverIssued });
    await app.get('/api/no-such-path', { token: neverIssued });
    await app.get('/api/coverage', { token });
    await app.get('/api/usage', { token });
    await recorded(person, 1);
    expect(await app.db.value(`select count(*)::integer from request_count where error in ('missing', 'invalid')`)).toBe(0);
  });

  it('has a call that was refused before this server had looked for its token', async () => {
    const other = await startApp({}, app);
    const { person, token, tokenId } = await newCustomer();
    await other.get('/api/parcel', { token });
    expect((await recorded(person, 1))[0]).toMatchObject({ status: 404, url: '/api/parcel', tokenId });
    await other.close();
  });

  it.each([
    ['as it is', (token: string) => token],
    ['encoded', (token: string) => encodeURIComponent(token).replaceAll('_', '%5F')],
    ['encoded twice', (token: string) => token.replaceAll('_', '%255f').replace('p', '%70')],
  ])('never has a token that a caller put into the URL, %s', async (_, written) => {
    const { person, token } = await newCustomer();
    await app.get(`/api/usage?token=${written(token)}`, { token });
    const [call] = await recorded(person, 1);
    expect(call.url).toBe('/api/usage?token=[redacted]');
    expect(await app.db.value(`select string_agg(b::text, '') from request_batch b`)).not.toContain(token.slice(-20));
  });

  it('has the URL as it came, up to 500 characters', async () => {
    const { person, token } = await newCustomer();
    const url = `/api/usage?x="\\'{},%00%ff%&y=${'z'.repeat(1000)}`;
    await rawRequest(app.url, 'GET', url, { headers: { authorization: `Bearer ${token}` } });
    const [call] = await recorded(person, 1);
    expect(call.url).toHaveLength(500);
    expect(call.url).toContain(`"\\'{},%00%ff%`);
  });
});

describe('whose calls', () => {
  it("are the caller's own; those of others are never shown, by token, id or account", async () => {
    const [ada, bob] = [await newCustomer(), await newCustomer()];
    const { headers } = await read(ada.token);
    await recorded(ada.person, 1);
    for (const args of [{}, { tokenId: ada.tokenId }, { id: headers.get('x-request-id')! }]) {
      expect(await list(bob.person, args)).toEqual({ requests: [], older: null });
    }
    expect(await outcomes(bob.person, `(tokenId: "${ada.tokenId}")`)).toEqual([]);
    for (const field of ['requests', 'requestOutcomes']) {
      const ask = bob.person.ask(`{ ${field}(accountId: "${ada.person.id}") { __typename } }`);
      await expect(ask).rejects.toMatchObject({ code: 'forbidden' });
    }
  });

  it('can be seen by operators, account by account', async () => {
    const { person, token } = await newCustomer();
    await read(token);
    const [own] = await recorded(person, 1);
    const operator = await app.signUpOperator();
    expect((await list(operator, { accountId: person.id })).requests).toEqual([own]);
    expect((await list(operator)).requests).toEqual([]);
  });
});

describe('a filter', () => {
  let ada: Customer;
  let second: string;
  beforeAll(async () => {
    ada = await newCustomer();
    await read(ada.token, `?county_fips=${middlesex}&limit=1`);
    await read(ada.token, '?county_fips=25021&limit=1');
    second = (await read(ada.token, '?limit=2000')).headers.get('x-request-id')!;
    await app.get('/api/parcel', { token: ada.token });
    await recorded(ada.person, 4);
  });

  it.each([
    ['of the result', () => ({ result: 'served' }), 2],
    ['of refusals', () => ({ result: 'refused' }), 2],
    ['of an error', () => ({ result: 'invalid_request' }), 1],
    ['of a county', () => ({ countyFips: middlesex }), 1],
    ['of a request id', () => ({ id: second }), 1],
    ['of a token', () => ({ tokenId: ada.tokenId }), 4],
    ['of another token', () => ({ tokenId: randomUUID() }), 0],
    ['of text that is no id', () => ({ id: 'x', tokenId: 'y' }), 0],
    ['of what came from now on', () => ({ from: new Date(Date.now() + 3_600_000).toISOString() }), 0],
    ['of what came before', () => ({ to: new Date(Date.now() - 3_600_000).toISOString() }), 0],
    [
      'of a time that they came in',
      () => ({ from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date(Date.now() + 60_000).toISOString() }),
      4,
    ],
  ])('%s finds what it names', async (_, argsOf, count) => {
    expect((await list(ada.person, argsOf())).requests).toHaveLength(count);
  });

  it('is validated', async () => {
    for (const args of [{ result: 'Not A Code' }, { countyFips: '1' }, { limit: 501 }, { limit: 0 }]) {
      await expect(list(ada.person, args)).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });

  it('applies from page to page, which new calls do not shift', async () => {
    const first = await list(ada.person, { limit: 2 });
    await app.get('/api/usage', { token: ada.token });
    await recorded(ada.person, 5);
    const rest = await list(ada.person, { limit: 2, before: first.older! });
    expect(rest.older).toBeNull();
    const all = (await list(ada.person)).requests.slice(1);
    expect([...first.requests, ...rest.requests]).toEqual(all);
    expect(await list(ada.person, { before: 'made up' })).toEqual({ requests: [], older: null });
  });
});

it('counts the calls of each day by their outcome', async () => {
  const { person, token } = await newCustomer();
  await read(token);
  await read(token);
  await read(token, '?limit=0');
  await recorded(person, 3);
  const counts = (await outcomes(person)).map(({ calls, unlisted, error }) => `${error?.code ?? 'served'} ${calls} ${unlisted}`);
  expect(counts).toEqual(['served 2 0', 'invalid_request 1 0']);
  expect(await outcomes(person, '(result: "refused", timeZone: "Asia/Kolkata")')).toMatchObject([{ calls: 1 }]);
  await expect(outcomes(person, '(timeZone: "Mars/Olympus")')).rejects.toMatchObject({ code: 'invalid_request' });
});

describe('what is kept', () => {
  const prune = () => app.db.query('select prune_requests()');
  const stored = async (person: Person) => {
    const [row] = await app.db.query<{ batches: number; counts: number }>(
      `select (select count(*)::integer from request_batch where account_id = $1) as batches,
              (select count(*)::integer from request_count where account_id = $1) as counts`,
      [person.id],
    );
    return row;
  };

  it('is shown for 30 days and deleted a day later', async () => {
    const { person, token } = await newCustomer();
    await read(token);
    await recorded(person, 1);
    await app.db.moveClock('29 days 23 hours');
    await prune();
    expect((await list(person)).requests).toHaveLength(1);
    await app.db.moveClock('2 hours');
    expect((await list(person)).requests).toHaveLength(0);
    expect(await outcomes(person)).toEqual([]);
    await app.db.moveClock('23 hours');
    await prune();
    expect(await stored(person)).toEqual({ batches: 0, counts: 0 });
    await app.db.moveClock('-31 days');
  });

  it('survives a cleanup at midnight, when today’s calls take the place of the oldest', async () => {
    const { person, token } = await newCustomer();
    await app.db.moveClock('1 day');
    await read(token);
    await recorded(person, 1);
    await app.db.moveClock('-1 day');
    await prune();
    expect(await stored(person)).toEqual({ batches: 1, counts: 1 });
  });

  it('is deleted with its account, and calls of the deleted account are not recorded', async () => {
    const { person, token } = await newCustomer();
    await read(token);
    await recorded(person, 1);
    const { id, password } = person;
    expect((await person.post('/api/auth/delete-user', { body: { password } })).status).toBe(200);
    expect((await read(token)).status).toBe(403);
    const bob = await newCustomer();
    await read(bob.token);
    await recorded(bob.person, 1);
    await eventually('all is deleted', async () => (await stored({ id } as Person))!.batches === 0);
    expect(await stored({ id } as Person)).toEqual({ batches: 0, counts: 0 });
  });

  it('is written by two servers side by side, and before a server stops', async () => {
    const other = await startApp({}, app);
    const { person, token } = await newCustomer();
    await Promise.all(Array.from({ length: 20 }, () => app.get('/api/usage', { token })));
    await Promise.all(Array.from({ length: 20 }, () => other.get('/api/usage', { token })));
    await other.close();
    await recorded(person, 40);
    expect((await outcomes(person))[0]).toMatchObject({ calls: 40, unlisted: 0 });
  });
});

describe('a database that is away', () => {
  let proxy: FaultProxy;
  let other: TestApp;
  beforeAll(async () => {
    proxy = await FaultProxy.open(app.db.url);
    closeAtEnd(() => proxy.close());
    other = await startApp({ DATABASE_URL: proxy.url }, app);
  });
  afterEach(() => proxy.mend());

  it('delays recording, and its refusals are recorded when it is back', async () => {
    const { person, token } = await newCustomer();
    await read(token, '?limit=1', {}, other);
    await recorded(person, 1);
    proxy.cut();
    expect((await read(token, '?limit=1', {}, other)).status).toBe(503);
    proxy.mend();
    expect((await recorded(person, 2))[0]).toMatchObject({ status: 503, error: { code: 'unavailable' } });
  });

  it('in the middle of a write costs the details of these calls but not their number, and lists nothing twice', async () => {
    const { person, token } = await newCustomer();
    await read(token, '?limit=1', {}, other);
    await recorded(person, 1);
    proxy.lose('answer', 'record_requests');
    await read(token, '?limit=1', {}, other);
    await eventually('the write has failed', async () => !proxy.isArmed);
    await eventually('the call is counted as not listed', async () => (await outcomes(person))[0].unlisted === 1);
    const ids = (await list(person)).requests.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a flood', () => {
  const call = (over: Partial<Call> = {}): Call => ({
    requestId: randomUUID(),
    method: 'GET',
    url: '/api/parcels',
    receivedMs: performance.now(),
    latencyMs: 1,
    status: 200,
    error: '',
    records: 1,
    entryId: null,
    address: null,
    ...over,
  });
  const many = { account: 9999, address: 9999, total: 9999 };

  it.each<[what: string, calls: Partial<Call>[], bounds: { waiting: number; listedADay: typeof many }, outcomes: [number, number][]]>([
    [
      'of one account is listed up to a daily number, separately for served and refused calls; all are counted',
      [...Array(30).fill({}), ...Array(5).fill({ status: 429, error: 'too_many_requests' })],
      { waiting: 1000, listedADay: { ...many, account: 10 } },
      [
        [30, 20],
        [5, 0],
      ],
    ],
    [
      'of calls without records is listed up to a number per address and in total, which calls with records do not use up',
      ['203.0.113.1', '203.0.113.2', '203.0.113.3', null].flatMap((address) => Array(20).fill({ address })),
      { waiting: 1000, listedADay: { account: 99, address: 10, total: 25 } },
      [[80, 35]],
    ],
    [
      'of refused calls whose token the server has not looked up is counted in full',
      Array(6000).fill({ status: 404, error: 'not_found', records: 0, address: '203.0.113.1' }),
      { waiting: 1000, listedADay: many },
      [[6000, 5000]],
    ],
    ['takes no more memory than the calls that may wait', Array(100).fill({}), { waiting: 10, listedADay: many }, [[100, 90]]],
  ])('%s', async (what, calls, bounds, expected) => {
    const { person, token } = await newCustomer();
    const tokens = new TokenLookup(app.database.controlPool);
    const hash = hashToken(token)!;
    const principal = { kind: 'token', tokenHash: hash };
    if (!what.includes('has not looked up')) await tokens.ofCaller({ principal } as Parameters<TokenLookup['ofCaller']>[0]);
    const log = new RequestLog(app.database.controlPool, tokens, createLog({ logLevel: 'silent' }), bounds);
    for (const over of calls) log.record(hash, call(over));
    await log.stop();
    expect((await outcomes(person)).map(({ calls, unlisted }) => [calls, unlisted])).toEqual(expected);
    const listed = expected.reduce((sum, [calls, unlisted]) => sum + calls - unlisted, 0);
    expect((await list(person, { limit: 500 })).requests).toHaveLength(Math.min(500, listed));
  });
});
