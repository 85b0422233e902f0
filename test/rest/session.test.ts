import { startApp, type TestApp } from '../harness/app.js';
import type { Person } from '../harness/caller.js';
import { eventually } from '../harness/eventually.js';
import { publishRecords } from '../harness/records.js';

const unknownToken = '00000000-0000-4000-8000-000000000000';

let app: TestApp;
let stranger: Person;
beforeAll(async () => {
  app = await startApp();
  await publishRecords(app.db, '25017', 60);
  const token = await app.trialToken();
  await eventually(
    'the server knows the records',
    async () => (await app.get('/api/parcels?limit=1', { token })).json.parcels.length === 1,
  );
  stranger = await app.signUp();
});
afterAll(() => app.close());

const issueTrial = async (cookie: string) => (await app.post('/api/tokens/trial', { cookie })).json;

describe('GET /api/me', () => {
  it('200 with the person who is signed in', async () => {
    const { email, cookie } = await app.signUp();
    const { status, json } = await app.get('/api/me', { cookie });
    expect(status).toBe(200);
    expect(json.user).toMatchObject({ email, name: 'Ada Example', email_verified: false, role: 'user' });
  });

  it.each([
    ['no cookie', ''],
    ['an empty cookie', 'better-auth.session_token='],
    ['a made-up cookie', 'better-auth.session_token=abc.def'],
    ['a cookie that cannot be decoded', 'better-auth.session_token=%E0%A4%A'],
    ['a NUL character in the cookie', 'better-auth.session_token=%00.%00'],
  ])('401 and exactly {"user":null} with %s', async (_what, cookie) => {
    const { status, text } = await app.get('/api/me', { headers: { cookie } });
    expect([status, text]).toEqual([401, '{"user":null}']);
  });

  it('401 after signing out', async () => {
    const { cookie } = await app.signUp();
    await app.post('/api/auth/sign-out', { cookie, body: {} });
    expect((await app.get('/api/me', { cookie })).text).toBe('{"user":null}');
  });

  it('is never kept by a cache', async () => {
    expect((await app.get('/api/me')).headers.get('cache-control')).toBe('no-store');
  });
});

describe('POST /api/tokens/trial', () => {
  it('201 with a token of 50 credits and 30 days that reads at once', async () => {
    const { cookie } = await app.signUp();
    const { status, json } = await app.post('/api/tokens/trial', { cookie });
    expect(status).toBe(201);
    expect(json.token).toMatchObject({ plan: 'trial', state: 'active', credits_remaining: 50, revoked_at: null, last_used_at: null });
    expect(Date.parse(json.token.expires_at) - Date.parse(json.token.issued_at)).toBe(30 * 24 * 60 * 60 * 1000);
    expect((await app.get('/api/usage', { token: json.raw_token })).status).toBe(200);
  });

  it('needs no body, and ignores one', async () => {
    const { cookie } = await app.signUp();
    const { status, json } = await app.post('/api/tokens/trial', { cookie, body: { credits: 5000, plan: 'paid', name: 'x'.repeat(500) } });
    expect(status).toBe(201);
    expect(json.token).toMatchObject({ plan: 'trial', credits_remaining: 50 });
  });

  it('409 while one is active', async () => {
    const { cookie } = await app.signUp();
    await issueTrial(cookie);
    const { status, json } = await app.post('/api/tokens/trial', { cookie });
    expect([status, json.error]).toEqual([409, 'trial_active']);
  });

  it('issues one when fifty ask at the same moment on two servers', async () => {
    const other = await startApp({}, app);
    const { cookie } = await app.signUp();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? app : other).post('/api/tokens/trial', { cookie })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect((await app.get('/api/tokens', { cookie })).json.tokens).toHaveLength(1);
    await other.close();
  });

  it.each([
    ['revoked', (id: string, cookie: string) => app.post(`/api/tokens/${id}/revoke`, { cookie })],
    ['exhausted', (_id: string, _cookie: string, token: string) => app.get('/api/parcels', { token })],
    ['expired', () => app.db.moveClock('30 days')],
  ])('issues another when the one before is %s', async (state, end) => {
    const { cookie } = await app.signUp();
    const { raw_token: raw, token } = await issueTrial(cookie);
    await end(token.id, cookie, raw);
    expect((await app.get('/api/tokens', { cookie })).json.tokens).toMatchObject([{ id: token.id, state }]);
    expect((await app.post('/api/tokens/trial', { cookie })).status).toBe(201);
  });
});

describe('GET /api/tokens', () => {
  it('lists newest first', async () => {
    const { cookie } = await app.signUp();
    const first = (await issueTrial(cookie)).token.id;
    await app.post(`/api/tokens/${first}/revoke`, { cookie });
    const second = (await issueTrial(cookie)).token.id;
    const { tokens } = (await app.get('/api/tokens', { cookie })).json;
    expect(tokens.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [second, 'active'],
      [first, 'revoked'],
    ]);
  });

  it('shows no raw value and no hash, in whatever writing', async () => {
    const { cookie } = await app.signUp();
    const raw: string = (await issueTrial(cookie)).raw_token;
    const { text } = await app.get('/api/tokens', { cookie });
    const [row] = await app.db.query<{ token_hash: Buffer }>(
      `select token_hash from api_token where token_hash = sha256(convert_to($1, 'UTF8'))`,
      [raw],
    );
    for (const writing of ['hex', 'base64', 'base64url'] as const) expect(text).not.toContain(row!.token_hash.toString(writing));
    expect(text).not.toContain(raw);
    expect(text).not.toContain(raw.slice('pk_trial_'.length, -4));
  });

  it('shows nobody else’s', async () => {
    const [one, other] = [await app.signUp(), await app.signUp()];
    await issueTrial(one.cookie);
    expect((await app.get('/api/tokens', { cookie: other.cookie })).json).toEqual({ tokens: [] });
  });

  it('tells when a token last read records', async () => {
    const { cookie } = await app.signUp();
    const { raw_token: token } = await issueTrial(cookie);
    await app.get('/api/parcels', { token });
    expect((await app.get('/api/tokens', { cookie })).json.tokens[0].last_used_at).toEqual(expect.any(String));
  });
});

describe('POST /api/tokens/:id/revoke', () => {
  it('takes effect with the next request, and changes nothing the second time', async () => {
    const { cookie } = await app.signUp();
    const { raw_token: token, token: issued } = await issueTrial(cookie);
    const first = await app.post(`/api/tokens/${issued.id}/revoke`, { cookie });
    expect(first.status).toBe(200);
    expect(first.json.token).toMatchObject({ id: issued.id, state: 'revoked', revoked_at: expect.any(String) });
    expect((await app.get('/api/usage', { token })).json.error).toBe('revoked');
    const again = await app.post(`/api/tokens/${issued.id}/revoke`, { cookie });
    expect([again.status, again.json]).toEqual([200, first.json]);
  });

  it('knows an identifier in upper case', async () => {
    const { cookie } = await app.signUp();
    const { token } = await issueTrial(cookie);
    expect((await app.post(`/api/tokens/${token.id.toUpperCase()}/revoke`, { cookie })).status).toBe(200);
  });

  it('404 alike for another account’s token and for none, and leaves it active', async () => {
    const owner = await app.signUp();
    const { raw_token: token, token: issued } = await issueTrial(owner.cookie);
    const foreign = await app.post(`/api/tokens/${issued.id}/revoke`, { cookie: stranger.cookie });
    const unknown = await app.post(`/api/tokens/${unknownToken}/revoke`, { cookie: stranger.cookie });
    expect([foreign.status, foreign.json.error, foreign.json.message]).toEqual([404, 'not_found', unknown.json.message]);
    expect(unknown.status).toBe(404);
    expect((await app.get('/api/usage', { token })).status).toBe(200);
  });

  it.each([
    ['a number', '1'],
    ['a word', 'trial'],
    ['a NUL character', '%00'],
    ['a very long text', '0'.repeat(3000)],
    ['a picture', '%F0%9F%92%A9'],
    ['SQL', encodeURIComponent("' or true --")],
    ['a path', '..%2F..%2Fme'],
  ])('404 for %s as identifier', async (_what, id) => {
    const { status, json } = await app.post(`/api/tokens/${id}/revoke`, { cookie: stranger.cookie });
    expect([status, json.error]).toEqual([404, 'not_found']);
  });
});

describe.each([
  ['POST', '/api/tokens/trial'],
  ['GET', '/api/tokens'],
  ['POST', `/api/tokens/${unknownToken}/revoke`],
])('%s %s', (method, path) => {
  it('401 unauthenticated without a session', async () => {
    for (const cookie of ['', 'better-auth.session_token=abc.def']) {
      const { status, json } = await app.call(method, path, { headers: { cookie } });
      expect([status, json.error]).toEqual([401, 'unauthenticated']);
    }
  });
});

describe.each(['/api/tokens/trial', `/api/tokens/${unknownToken}/revoke`])('a request to POST %s that another site makes', (path) => {
  it.each([
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['the Origin of a file or sandbox', { origin: 'null' }],
    ['our host under another port', { origin: 'http://localhost:1' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
  ] as [string, Record<string, string>][])('403 forbidden_origin with %s', async (_what, headers) => {
    const { cookie } = stranger;
    const { status, json } = await app.post(path, { cookie, headers });
    expect([status, json.error]).toEqual([403, 'forbidden_origin']);
    expect((await app.get('/api/tokens', { cookie })).json.tokens).toEqual([]);
  });

  it('is welcome with our own Origin', async () => {
    const { cookie } = await app.signUp();
    expect((await app.post(path, { cookie, headers: { origin: app.config.baseUrl } })).status).not.toBe(403);
  });
});
