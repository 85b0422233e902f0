import { createHook } from 'node:async_hooks';
import { Client } from 'pg';
import { readConfig } from '../../src/core/config.js';
import { TokenStore } from '../../src/tokens/token.store.js';
import { startApp, type TestApp } from '../harness/app.js';
import { Authenticator } from '../harness/authenticator.js';
import { type Answer, type Json, refusalOf } from '../harness/caller.js';
import { contract } from '../harness/contract.js';
import { eventually } from '../harness/eventually.js';
import { Person, sessionCookie } from '../harness/person.js';
import { rawRequest } from '../harness/raw-request.js';
import { publishRecords } from '../harness/records.js';
import { words } from '../harness/words.js';

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await startApp();
  other = await startApp({}, app);
  await publishRecords(app.db, '25017', 60);
});

const somebody = () => app.signUp();
const operationsOfSession = Object.entries(contract.paths).flatMap(([path, { post }]) =>
  post && path.startsWith('/api/auth/') && post.security.some((credential) => 'session' in credential) ? [[path, post] as const] : [],
);
const cookieNamed = (headers: Headers, name: string) => headers.getSetCookie().find((cookie) => cookie.includes(`${name}=`)) ?? '';

describe('POST /api/auth/sign-up/email', () => {
  it('opens an account and a session whose token neither the body nor a script can see', async () => {
    const visitor = new Person(app.url);
    const reply = await visitor.signUp();
    expect(cookieNamed(reply.headers, sessionCookie)).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(JSON.stringify(reply.json)).not.toContain(visitor.sessionToken);
    expect((await visitor.get('/api/me')).json).toEqual({
      user: {
        id: visitor.id,
        email: visitor.email,
        name: visitor.name,
        email_verified: false,
        role: 'user',
        created_at: expect.any(String),
      },
    });
  });

  it('takes the name from the address when none is given', async () => {
    const answer = await app.post('/api/auth/sign-up/email', { body: { email: 'grace.hopper@example.com', password: 'correct horse' } });
    expect([answer.status, answer.json.user.name]).toEqual([200, 'grace.hopper']);
  });

  it('opens one account when 50 sign-ups for one address arrive at once', async () => {
    const visitor = new Person(app.url);
    const replies = await Promise.all(Array.from({ length: 50 }, () => visitor.copy().signUp()));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const later = replies.filter(({ status }) => status === 422).map(({ json }) => json.error);
    expect(later).toEqual(Array(49).fill('user_already_exists_use_another_email'));
    const copy = visitor.copy();
    expect((await copy.signIn()).status).toBe(200);
    const accounts = await app.db.query(`select from auth."user" u join auth.account a on a."userId" = u.id where email like '%' || $1`, [
      visitor.email,
    ]);
    expect(accounts).toHaveLength(1);
  });

  it('treats an address as the same in upper and lower case', async () => {
    const { email } = await somebody();
    expect((await Object.assign(new Person(app.url), { email: email.toUpperCase() }).signUp()).status).toBe(422);
  });

  it.each([
    ['a password of 7 characters', { password: 'seven77' }],
    ['a password of 129 characters', { password: 'x'.repeat(129) }],
    ['no address', { email: 'nobody' }],
    ['a name with a NUL', { name: 'A\u0000' }],
    ['a name with a line break', { name: 'A\nBcc: everybody@example.com' }],
    ['a password that is no text', { password: { $ne: '' } }],
    ['an address with half a character', { email: 'a\ud800@example.com' }],
    ['a name of blanks', { name: '   ' }],
    ['a name of which nothing is seen', { name: '\u200b\u3164' }],
    ['a name that turns around what follows it', { name: '\u202eadA' }],
    ['a name with half a character', { name: 'A\udc00' }],
    ['a page that is no text', { callbackURL: { toString: 1 } }],
    ['a page of another site to return to', { callbackURL: 'https://evil.example/' }],
  ])('refuses %s', async (_, field) => {
    const reply = await new Person(app.url).signUp(field);
    expect(reply.status).toBe(400);
  });

  it.each([
    ...['adä@example.com', 'ada@exämple.com', 'ada@example.xn--p1ai', 'a!da@example.com', '"ada lovelace"@example.com'],
    ...['a＠example.com', 'a@ｅxample.com', 'a@example.com\u0000', 'a@example.com\n', 'a@b@example.com'],
  ])('refuses an address that is not ASCII or changes when normalized, in the same words as any other: %p', async (email) => {
    const visitor = await somebody();
    for (const [operation, body] of [
      ['sign-up/email', { email, password: 'correct horse battery' }],
      ['send-verification-email', { email }],
      ['request-password-reset', { email }],
      ['change-email', { newEmail: email }],
    ] as const) {
      const { status, json } = await visitor.post(`/api/auth/${operation}`, { body });
      const details = [{ parameter: expect.stringMatching(/email/i), message: 'must be an address in ASCII, such as ada@example.com' }];
      expect([operation, status, json]).toEqual([operation, 400, expect.objectContaining({ error: 'invalid_request', details })]);
    }
  });

  it.each(['Ada', '!', 'علی\u200cرضا', '👩\u200d💻', '王'])('accepts a name with a visible character: %s', async (name) => {
    const visitor = Object.assign(new Person(app.url), { name });
    expect(await visitor.signUp()).toMatchObject({ status: 200, json: { user: { name } } });
    expect((await visitor.post('/api/auth/update-user', { body: { name: ' ' } })).json.details).toMatchObject([{ parameter: 'name' }]);
  });

  it.each([
    ['one of the most common', 'password1'],
    ['one of them in capitals', 'PassWord1'],
    ['the name of the service and a digit', 'parcel-records 1'],
    ['the address of the account', 'grace.hopper@example.com'],
  ])('refuses passwords that attackers try first, even in development: %s', async (_, password) => {
    const visitor = Object.assign(new Person(app.url), { email: 'grace.hopper@example.com', password });
    const { status, json } = await visitor.signUp();
    expect([status, json.details]).toEqual([400, [{ parameter: 'password', message: expect.stringContaining('attackers try') }]]);
    const other = await somebody();
    const change = { currentPassword: other.password, newPassword: 'password1' };
    expect((await other.post('/api/auth/change-password', { body: change })).status).toBe(400);
  });

  it.each([
    ['8 blanks', ' '.repeat(8)],
    ['128 characters beyond the first 65,536', '😀'.repeat(128)],
    ['128 characters with their selectors', '🅰\ufe0f'.repeat(128)],
  ])('accepts a password of 8 to 128 characters of any kind: %s', async (_, password) => {
    const visitor = new Person(app.url);
    visitor.password = password;
    expect((await visitor.signUp()).status).toBe(200);
    expect((await visitor.elsewhere().signIn()).status).toBe(200);
    const change = (newPassword: string) => visitor.post('/api/auth/change-password', { body: { currentPassword: password, newPassword } });
    expect((await change(`${'😀'.repeat(128)}!`)).json.details).toMatchObject([{ parameter: 'newPassword' }]);
    expect((await change('😀'.repeat(127))).status).toBe(200);
  });

  it.each(['sign-up/email', 'sign-in/email', 'reset-password', 'revoke-session', 'passkey/delete-passkey', 'passkey/update-passkey'])(
    'says what is missing in words rather than in a pattern: %s',
    async (operation) => {
      const { status, json } = await app.post(`/api/auth/${operation}`, { body: {} });
      expect([status, json.message]).toEqual([400, expect.not.stringMatching(/regular expression|\\p\{/)]);
    },
  );

  it.each([
    ...words`
    / /console /console/ /a-b/c_d?e=f#g /# console //evil.example /..//evil.example /a.html /é
  `,
    '',
    '/a b',
    '/?a b',
  ])('accepts exactly the return pages that the contract accepts: "%s"', async (callbackURL) => {
    const { status } = await app.get(`/api/auth/reset-password/none?${new URLSearchParams({ callbackURL })}`);
    const { pattern } = contract.components.schemas.OwnPage as Json;
    expect(status === 302).toBe(new RegExp(pattern).test(callbackURL));
  });

  it('refuses anything but a JSON object', async () => {
    const visitor = new Person(app.url);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const path = '/api/auth/sign-up/email';
    expect((await visitor.post(path, { body: 'name=A&email=a@example.com&password=12345678', headers: form })).status).toBe(400);
    expect((await visitor.post(path, { body: '{"name":' })).status).toBe(400);
    expect((await visitor.post(path, { body: '[]' })).status).toBe(400);
    expect((await visitor.post(path, { body: `{"name":"${'x'.repeat(20_000)}"}` })).status).toBe(413);
  });
});

describe('POST /api/auth/sign-in/email', () => {
  it('opens a session with a new token and ends the one that was sent, but none on other devices', async () => {
    const visitor = await somebody();
    const [before, phone] = [visitor.copy(), visitor.elsewhere()];
    expect((await phone.signIn()).status).toBe(200);
    expect((await visitor.signIn()).status).toBe(200);
    expect(visitor.sessionToken).not.toBe(before.sessionToken);
    expect([await visitor.isSignedIn(), await phone.isSignedIn(), await before.isSignedIn()]).toEqual([true, true, false]);
  });

  it('answers an unknown address and a wrong password alike, hashing once for each so that the time reveals nothing', async () => {
    const person = await somebody();
    let hashes = 0;
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'SCRYPTREQUEST') hashes++;
      },
    }).enable();
    const wrong = await person.copy().signIn('wrong password');
    expect([wrong.status, hashes]).toEqual([401, 1]);
    const { request_id: _, ...said } = wrong.json;
    expect(await new Person(app.url).signIn('wrong password')).toMatchObject({ status: 401, json: said });
    expect(hashes).toBe(2);
    hook.disable();
  });
});

describe('POST /api/auth/sign-out', () => {
  it.each([
    ['a body', { body: {} }],
    ['no body', {}],
  ])('makes the cookie and every copy of it useless, with %s', async (_, options) => {
    const visitor = await somebody();
    const thief = visitor.copy();
    expect((await visitor.post('/api/auth/sign-out', options)).status).toBe(200);
    expect(await thief.isSignedIn()).toBe(false);
    expect(visitor.cookies.has(sessionCookie)).toBe(false);
  });
});

describe('GET /api/me', () => {
  it('costs two queries with a session and none without one', async () => {
    const visitor = await somebody();
    const query = jest.spyOn(Client.prototype, 'query');
    const queriesOf = async (who: Person) => {
      query.mockClear();
      await who.get('/api/me');
      return query.mock.calls.filter(([sent]) => /"auth"\./.test((sent as { text?: string }).text ?? String(sent))).length;
    };
    expect(await queriesOf(visitor)).toBe(2);
    expect(await queriesOf(new Person(app.url))).toBe(0);
    query.mockRestore();
  });

  it.each<[what: string, value: string | null | ((token: string, whole: string) => string)]>([
    ['no cookie', null],
    ['an empty one', ''],
    ['a made-up one', 'abc.def'],
    ['one that cannot be decoded', '%E0%A4%A'],
    ['a NUL character in it', '%00.%00'],
    ['one without a signature', (token) => token],
    ['one with an empty signature', (token) => `${token}.`],
    ['one with another signature', (token) => `${token}.${'A'.repeat(43)}%3D`],
    ['one of another token', (_, whole) => `x${whole}`],
  ])('answers 401 with exactly {"user":null}, never to be cached, for %s', async (_what, value) => {
    const visitor = await somebody();
    const forged = typeof value === 'function' ? value(visitor.sessionToken, visitor.cookies.get(sessionCookie)!) : value;
    const { status, text, headers } = await app.get('/api/me', { cookie: forged === null ? '' : `${sessionCookie}=${forged}` });
    expect([status, text, headers.get('cache-control')]).toEqual([401, '{"user":null}', 'no-store']);
  });
});

describe('sessions', () => {
  it('are listed without their tokens, even days after sign-in, and can be ended one by one by their owner alone', async () => {
    const visitor = await somebody();
    const phone = visitor.elsewhere();
    await phone.signIn();
    expect((await new Person(app.url).get('/api/auth/list-sessions')).status).toBe(401);
    const { json: sessions } = await visitor.get('/api/auth/list-sessions');
    expect(sessions).toHaveLength(2);
    expect(JSON.stringify(sessions)).not.toContain(phone.sessionToken);
    const mine = (await visitor.get('/api/auth/get-session')).json.session.id;
    const other = sessions.find(({ id }: { id: string }) => id !== mine);
    await (await somebody()).post('/api/auth/revoke-session', { body: { token: other.token } });
    expect(await phone.isSignedIn()).toBe(true);
    expect((await visitor.post('/api/auth/revoke-session', { body: { token: other.token } })).status).toBe(200);
    expect(await phone.isSignedIn()).toBe(false);
    await app.db.query(`update auth.session set "createdAt" = now() - interval '3 days' where "userId" = $1`, [visitor.id]);
    expect((await visitor.get('/api/auth/list-sessions')).json).toHaveLength(1);
  });

  it('can be ended all at once, with or without the current one', async () => {
    const visitor = await somebody();
    const phone = visitor.elsewhere();
    await phone.signIn();
    await visitor.post('/api/auth/revoke-other-sessions', { body: {} });
    expect([await visitor.isSignedIn(), await phone.isSignedIn()]).toEqual([true, false]);
    await visitor.post('/api/auth/revoke-sessions', { body: {} });
    expect(await visitor.isSignedIn()).toBe(false);
  });

  it('end after a week without use, and 30 days after sign-in in any case', async () => {
    const visitor = await somebody();
    const { session } = (await visitor.get('/api/auth/get-session')).json;
    // better-auth looks at its clock twice
    expect(Math.round((Date.parse(session.expiresAt) - Date.parse(session.createdAt)) / 1000)).toBe(7 * 86_400);
    const setTo = `update auth.session set "expiresAt" = "createdAt" + interval '1 year' where id = $1`;
    expect(await app.db.value(`${setTo} returning extract(day from "expiresAt" - "createdAt")::int`, [session.id])).toBe(30);
    await app.db.query(`update auth.session set "expiresAt" = now() - interval '1 second' where id = $1`, [session.id]);
    expect(await visitor.isSignedIn()).toBe(false);
  });

  /** As if the person had done what she did so much earlier. */
  const letPass = (time: string, { id }: Person) =>
    app.db.query(
      `update auth.session
          set "createdAt" = "createdAt" - $2::interval, "updatedAt" = "updatedAt" - $2::interval, "expiresAt" = "expiresAt" - $2::interval
        where "userId" = $1`,
      [id, time],
    );

  it.each([
    ['GET', '/api/auth/get-session'],
    ['GET', '/api/auth/list-sessions'],
    ['GET', '/api/me'],
    ['GET', '/api/tokens?limit=0'],
    ['POST', '/graphql'],
  ])('are prolonged by use once a day, however many requests reach two servers at once: %s %s', async (method, path) => {
    const visitor = await somebody();
    await letPass('2 days', visitor);
    const tabs = Array.from({ length: 8 }, (_, i) => visitor.at((i % 2 ? app : other).url));
    const replies = await Promise.all(
      tabs.map((tab) => tab.call(method, path, method === 'POST' ? { body: { query: '{ me { id } }' } } : {})),
    );
    const cookies = replies.map(({ headers }) => cookieNamed(headers, sessionCookie)).filter(Boolean);
    expect(cookies).toEqual([expect.stringMatching(/Max-Age=604800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/)]);
    expect(tabs.map((tab) => tab.sessionToken)).toEqual(Array(8).fill(visitor.sessionToken));
    const { session } = (await visitor.get('/api/auth/get-session')).json;
    expect(Date.parse(session.expiresAt)).toBeGreaterThan(Date.now() + 6.9 * 86_400_000);
  });

  it('last 30 days for somebody who comes every day, and no longer', async () => {
    const visitor = await somebody();
    for (let day = 1; day < 30; day++) {
      await letPass('24 hours 1 second', visitor);
      expect([day, await visitor.isSignedIn()]).toEqual([day, true]);
    }
    await letPass('24 hours 1 second', visitor);
    expect(await visitor.isSignedIn()).toBe(false);
  });

  it('that end with the browser are not prolonged', async () => {
    const visitor = await somebody();
    await visitor.post('/api/auth/sign-in/email', { body: { email: visitor.email, password: visitor.password, rememberMe: false } });
    await letPass('23 hours 59 minutes', visitor);
    const { headers } = await visitor.get('/api/me');
    expect(cookieNamed(headers, sessionCookie)).toBe('');
    await letPass('1 minute', visitor);
    expect(await visitor.isSignedIn()).toBe(false);
  });

  it.each(operationsOfSession)(
    'are too old ten minutes after sign-in where the contract says so, and nowhere else: %s',
    async (path, said) => {
      const visitor = await somebody();
      await letPass('10 minutes', visitor);
      // With a password it is deleted at any time.
      const body = path.endsWith('/delete-user') ? {} : said.requestBody!.content['application/json'].example;
      const { status } = await visitor.post(path, { body });
      expect([path, status === 403]).toEqual([
        path,
        said.description!.replaceAll(/\s+/g, ' ').includes('session that is at most ten minutes old'),
      ]);
    },
  );
});

it('POST /api/auth/change-password ends every other session and changes the token of this one', async () => {
  const visitor = await somebody();
  const thief = visitor.copy();
  const phone = visitor.elsewhere();
  await phone.signIn();
  const reply = await visitor.post('/api/auth/change-password', {
    body: { currentPassword: visitor.password, newPassword: 'a better password', revokeOtherSessions: false },
  });
  expect(reply.status).toBe(200);
  expect([await visitor.isSignedIn(), await phone.isSignedIn(), await thief.isSignedIn()]).toEqual([true, false, false]);
  expect((await phone.signIn()).status).toBe(401);
  expect((await phone.signIn('a better password')).status).toBe(200);
});

describe('another site', () => {
  const evil = { origin: 'https://evil.example' };

  it.each([
    ['/api/auth/sign-in/email', { email: 'a@example.com', password: 'a password' }],
    ['/api/auth/sign-up/email', { name: 'A', email: 'a@example.com', password: 'a password' }],
    ['/api/auth/sign-out', {}],
    ['/api/auth/update-user', { name: 'Mallory' }],
    ['/api/auth/delete-user', {}],
    ['/api/tokens/trial', {}],
    ['/api/tokens/019c21df-2c58-7b7e-9c55-0d2f6f3a7b11/revoke', {}],
    ['/graphql', { query: '{ me { id } }' }],
  ])('cannot send %s', async (path, body) => {
    const visitor = await somebody();
    for (const headers of [
      evil,
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: `${app.config.baseUrl}.evil.example` },
      { origin: 'http://localhost:1' },
    ]) {
      expect(await visitor.post(path, { body, headers: headers as Record<string, string> })).toMatchObject({
        status: 403,
        json: { error: 'forbidden_origin' },
      });
    }
    expect((await visitor.get('/api/me')).json.user.name).toBe(visitor.name);
  });

  it('does not mean our own pages or programs that send no origin', async () => {
    const visitor = await somebody();
    for (const [name, headers] of Object.entries<Record<string, string>>({ Grace: { origin: app.config.baseUrl }, Ada: {} })) {
      expect((await visitor.post('/api/auth/update-user', { body: { name }, headers })).status).toBe(200);
      expect((await visitor.get('/api/me')).json.user.name).toBe(name);
    }
  });
});

/** Fails the connections that are to be away. @returns ends that */
function failConnections(code: string, isAway: () => boolean): () => void {
  const { controlPool } = app.database;
  const connect = controlPool.connect.bind(controlPool) as (done?: (error: Error) => void) => unknown;
  const away = Object.assign(new Error('gone'), { code });
  const spy = jest.spyOn(controlPool, 'connect').mockImplementation(((done?: (error: Error) => void) => {
    if (!isAway()) return connect(done);
    return done ? done(away) : Promise.reject(away);
  }) as typeof controlPool.connect);
  return () => spy.mockRestore();
}

it('answers 503 while the database is away, and never tells somebody who is signed in that they are not', async () => {
  const visitor = await somebody();
  const mend = failConnections('ECONNREFUSED', () => true);
  const replies = [
    await visitor.get('/api/me'),
    await visitor.get('/api/auth/get-session'),
    await visitor.get('/api/auth/list-sessions'),
    await visitor.get('/api/auth/passkey/list-user-passkeys'),
    await visitor.post('/api/auth/sign-out', { body: {} }),
    await visitor.post('/api/auth/update-user', { body: { name: 'A' } }),
    await visitor.copy().signIn(),
  ];
  mend();
  for (const { status, headers } of replies) expect([status, headers.get('retry-after')]).toEqual([503, '2']);
  expect(await visitor.isSignedIn()).toBe(true);
});

describe('a database that fails one statement', () => {
  /** Fails the statement of this number, counted from now on. @returns whether there was one */
  async function breakAt(number: number, work: () => Promise<unknown>): Promise<boolean> {
    let count = 0;
    const mend = failConnections('ECONNRESET', () => ++count === number);
    await work();
    mend();
    return count >= number;
  }

  const operations: [path: string, body: object, isDone: (visitor: Person, phone: Person, token: string) => Promise<boolean>][] = [
    ['/api/auth/sign-out', {}, async (visitor) => !(await visitor.isSignedIn())],
    ['/api/auth/revoke-sessions', {}, async (visitor, phone) => !(await visitor.isSignedIn()) && !(await phone.isSignedIn())],
    ['/api/auth/revoke-other-sessions', {}, async (_, phone) => !(await phone.isSignedIn())],
    ['/api/auth/update-user', { name: 'Eve' }, async (visitor) => (await visitor.get('/api/me')).json.user.name === 'Eve'],
    [
      '/api/auth/change-password',
      { currentPassword: 'correct horse battery', newPassword: 'correct horse battery' },
      async (visitor, phone) => !(await visitor.isSignedIn()) && !(await phone.isSignedIn()),
    ],
    [
      '/api/auth/delete-user',
      { password: 'correct horse battery' },
      async (visitor, phone, token) =>
        (await visitor.get('/api/usage', { token })).status === 403 && !(await phone.isSignedIn()) && !(await visitor.isSignedIn()),
    ],
  ];

  it.each(operations)('lets %s claim to be done only when it is, and never that nobody is signed in', async (path, body, isDone) => {
    let visitor = new Person(app.url);
    let phone = visitor;
    let token = '';
    for (let number = 1, isReached = true; isReached; number++) {
      if (!(await visitor.isSignedIn())) {
        visitor = await somebody();
        token = await visitor.trialToken();
      }
      if (!(await phone.isSignedIn())) {
        phone = visitor.elsewhere();
        await phone.signIn();
      }
      const before = visitor.copy();
      let answer: Answer | undefined;
      isReached = await breakAt(number, async () => {
        answer = await visitor.post(path, { body });
      });
      const { status } = answer!;
      if (status === 200) expect([number, await isDone(before, phone, token)]).toEqual([number, true]);
      else expect([number, status]).toEqual([number, 503]);
    }
  });
});

describe('a path of /api/auth that is not offered', () => {
  it.each([
    ...['sign-in/email/', 'Sign-In/email', '%73ign-in/email', 'sign-in/social', 'link-social', 'set-password', 'verify-password'],
    ...['admin/set-role', 'update-session'],
    // GHSA-x732-6j76-qmhm: past limits and disabled paths
    ...['/sign-in/email', 'sign-in//email', '//sign-in/email', './sign-in/email/', 'sign-in%2Femail', '%2e%2e/auth//sign-in/email'],
  ])('/api/auth/%s is 404', async (path) => {
    const { email, password } = await somebody();
    const sent = { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ email, password }) };
    expect((await rawRequest(app.url, 'POST', `/api/auth/${path}`, sent)).status).toBe(404);
  });

  // `fetch` would tidy these.
  it.each(['list-accounts', 'ok', 'error', 'verify-email'])('%s is not reached through `..\\` either', async (operation) => {
    const path = `/api/auth/reset-password/..\\${operation}?callbackURL=/console&token=x`;
    const { status, text } = await rawRequest(app.url, 'GET', path, { headers: { cookie: (await somebody()).cookie } });
    expect([status, JSON.parse(text).error]).toEqual([404, 'not_found']);
  });
});

const device = () => new Authenticator(app.config.baseUrl);
const registerOptions = async (visitor: Person) => (await visitor.get('/api/auth/passkey/generate-register-options')).json;
const signInOptions = async (visitor: Person) => (await visitor.get('/api/auth/passkey/generate-authenticate-options')).json;
const register = async (visitor: Person, authenticator: Authenticator, name = 'My phone') =>
  visitor.post('/api/auth/passkey/verify-registration', {
    body: { response: authenticator.register(await registerOptions(visitor)), name },
  });
/** An account with a passkey, and the same person at another device. */
const withPasskey = async () => {
  const [visitor, authenticator] = [await somebody(), device()];
  await register(visitor, authenticator);
  return { visitor, authenticator, later: visitor.elsewhere() };
};
const present = (visitor: Person, response: object) => visitor.post('/api/auth/passkey/verify-authentication', { body: { response } });
const signInBy = async (authenticator: Authenticator, visitor: Person, twist = {}) =>
  present(visitor, authenticator.signIn(await signInOptions(visitor), twist));
const listOf = async (visitor: Person) => (await visitor.get('/api/auth/passkey/list-user-passkeys')).json;

describe('a passkey', () => {
  it('is registered with a session and signs its owner in without a password, ending the session that was sent', async () => {
    const [visitor, authenticator] = [await somebody(), device()];
    expect((await new Person(app.url).get('/api/auth/passkey/generate-register-options')).status).toBe(401);
    expect(await register(visitor, authenticator)).toMatchObject({ status: 200, json: { name: 'My phone', userId: visitor.id } });
    const later = visitor.elsewhere();
    const reply = await signInBy(authenticator, later);
    expect(reply).toMatchObject({ status: 200, json: { user: { id: visitor.id } } });
    expect((await later.get('/api/me')).json.user.id).toBe(visitor.id);
    expect(JSON.stringify(reply.json)).not.toContain(later.sessionToken);
    const before = later.copy();
    await signInBy(authenticator, later);
    expect([await later.isSignedIn(), await before.isSignedIn()]).toEqual([true, false]);
  });

  it('can be renamed and removed by its owner, and opens nothing once removed', async () => {
    const [visitor, authenticator] = [await somebody(), device()];
    const { id } = (await register(visitor, authenticator)).json;
    expect((await visitor.post('/api/auth/passkey/update-passkey', { body: { id, name: 'Old phone' } })).status).toBe(200);
    expect(await listOf(visitor)).toMatchObject([{ id, name: 'Old phone' }]);
    expect((await visitor.post('/api/auth/passkey/delete-passkey', { body: { id } })).status).toBe(200);
    expect(await listOf(visitor)).toEqual([]);
    const later = visitor.elsewhere();
    expect((await signInBy(authenticator, later)).status).toBe(401);
  });

  it('of somebody else cannot be listed, and cannot be renamed or removed any more than an unknown one (GHSA-4vcf-q4xf-f48m)', async () => {
    const [owner, stranger] = [await somebody(), await somebody()];
    const { id } = (await register(owner, device())).json;
    for (const [operation, more] of [
      ['update-passkey', { name: 'Mine' }],
      ['delete-passkey', {}],
    ] as const) {
      const ask = (id: string) => stranger.post(`/api/auth/passkey/${operation}`, { body: { id, ...more } });
      const [foreign, unknown] = [await ask(id), await ask('nobody has this')];
      const { request_id: _, ...body } = unknown.json;
      expect([unknown.status, body.error]).toEqual([404, 'passkey_not_found']);
      expect([foreign.status, foreign.json]).toEqual([404, expect.objectContaining(body)]);
    }
    expect(await listOf(stranger)).toEqual([]);
    expect(await listOf(owner)).toMatchObject([{ id, name: 'My phone' }]);
  });

  it('opens only one account', async () => {
    const [owner, thief, authenticator] = [await somebody(), await somebody(), device()];
    await register(owner, authenticator);
    expect((await register(thief, authenticator)).status).toBe(400);
    expect(await listOf(thief)).toEqual([]);
  });
});

const twists: [string, object][] = [
  ['made on another site', { origin: 'https://evil.example' }],
  ['made for another site', { rpId: 'evil.example' }],
  ['whose user the device did not verify', { isVerified: false }],
  ['of another challenge', { challenge: Buffer.from('another challenge').toString('base64url') }],
];

describe('a registration', () => {
  it.each(twists)('%s is refused', async (_, twist) => {
    const visitor = await somebody();
    const response = device().register(await registerOptions(visitor), twist);
    expect((await visitor.post('/api/auth/passkey/verify-registration', { body: { response } })).status).toBe(400);
    expect(await listOf(visitor)).toEqual([]);
  });

  it('is accepted only once', async () => {
    const visitor = await somebody();
    const response = device().register(await registerOptions(visitor));
    const cookies = new Map(visitor.cookies);
    expect((await visitor.post('/api/auth/passkey/verify-registration', { body: { response } })).status).toBe(200);
    for (const [name, value] of cookies) visitor.cookies.set(name, value);
    expect((await visitor.post('/api/auth/passkey/verify-registration', { body: { response } })).status).toBe(400);
  });

  it('made for one person is not accepted for another', async () => {
    const [visitor, other] = [await somebody(), await somebody()];
    const response = device().register(await registerOptions(visitor));
    other.cookies.set('parcel.passkey_challenge', visitor.cookies.get('parcel.passkey_challenge')!);
    expect((await other.post('/api/auth/passkey/verify-registration', { body: { response } })).status).toBe(401);
    expect(await listOf(other)).toEqual([]);
  });
});

describe('a sign-in by passkey', () => {
  it.each([...twists, ['with a credential that nobody has', { credentialId: Buffer.from('nobody has this').toString('base64url') }]])(
    '%s is refused',
    async (_, twist) => {
      const { authenticator, later } = await withPasskey();
      const reply = await signInBy(authenticator, later, twist);
      expect([400, 401]).toContain(reply.status);
      expect(await later.isSignedIn()).toBe(false);
    },
  );

  it.each([
    ['of somebody else', (other: Person) => other.id],
    ['of nobody', () => 'nobody'],
    ['cut short', (_: Person, own: Person) => own.id.slice(0, -1)],
  ])('with a user handle %s is refused like one that another device signed, and succeeds with its own', async (_, handleOf) => {
    const [visitor, other, authenticator] = [await somebody(), await somebody(), device()];
    await register(visitor, authenticator);
    const later = visitor.elsewhere();
    const userHandle = Buffer.from(handleOf(other, visitor)).toString('base64url');
    const refused = await signInBy(authenticator, later, { userHandle });
    const unsigned = await present(later, device().signIn(await signInOptions(later), { credentialId: authenticator.credentialId }));
    expect(await later.isSignedIn()).toBe(false);
    for (const answer of [refused, unsigned]) expect(await refusalOf(answer)).toBe('401 authentication_failed');
    expect((await signInBy(authenticator, later)).status).toBe(200);
  });

  it('without a user handle is accepted, since some devices keep none', async () => {
    const { authenticator, later } = await withPasskey();
    const { response, ...answer } = authenticator.signIn(await signInOptions(later));
    expect((await present(later, { ...answer, response: { ...response, userHandle: undefined } })).status).toBe(200);
  });

  it('is accepted only once', async () => {
    const { authenticator, later } = await withPasskey();
    const response = authenticator.signIn(await signInOptions(later));
    const cookies = new Map(later.cookies);
    expect((await present(later, response)).status).toBe(200);
    const thief = Object.assign(new Person(app.url), { cookies });
    expect((await present(thief, response)).status).toBe(400);
  });

  it('is accepted for five minutes after its challenge, as the contract says', async () => {
    const { visitor, authenticator } = await withPasskey();
    const answerLater = async (seconds: number) => {
      const later = visitor.elsewhere();
      const { headers, json } = await later.get('/api/auth/passkey/generate-authenticate-options');
      expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^parcel\.passkey_challenge=[^;]+; Max-Age=300;/)]);
      await app.db.query(`update auth.verification set "expiresAt" = "expiresAt" - make_interval(secs => $1)`, [seconds]);
      return (await present(later, authenticator.signIn(json))).status;
    };
    expect([await answerLater(240), await answerLater(300)]).toEqual([200, 400]);
    const { responses } = contract.paths['/api/auth/passkey/generate-authenticate-options']!.get!;
    expect(responses['200']).toMatchObject({ description: expect.stringContaining('five minutes') });
  });

  it('is not accepted for the challenge of a registration', async () => {
    const { visitor, authenticator } = await withPasskey();
    const options = await registerOptions(visitor);
    const reply = await present(visitor, authenticator.signIn({ ...options, rpId: options.rp.id }));
    expect(reply.status).toBe(400);
  });

  it('is refused when the counter of the device went back, as that of a copy does', async () => {
    const { visitor, authenticator, later } = await withPasskey();
    await signInBy(authenticator, later);
    await app.db.query(`update auth.passkey set counter = 10 where "userId" = $1`, [visitor.id]);
    expect((await signInBy(authenticator, later)).status).toBe(400);
  });

  it('to a banned account is refused', async () => {
    const { visitor, authenticator, later } = await withPasskey();
    await app.db.query(`update auth."user" set banned = true where id = $1`, [visitor.id]);
    expect((await signInBy(authenticator, later)).status).toBe(403);
    expect(await later.isSignedIn()).toBe(false);
  });
});

const issueTrial = async (person: Person) => (await person.post('/api/tokens/trial')).json;

describe('POST /api/tokens/trial', () => {
  it('issues a token of 50 credits and 30 days that reads at once, whatever the body says', async () => {
    const person = await somebody();
    const { status, json } = await person.post('/api/tokens/trial', { body: { credits: 5000, plan: 'paid', name: 'x'.repeat(500) } });
    expect(status).toBe(201);
    expect(json.token).toMatchObject({ plan: 'trial', state: 'active', credits_remaining: 50, revoked_at: null, last_used_at: null });
    expect(Date.parse(json.token.expires_at) - Date.parse(json.token.issued_at)).toBe(30 * 24 * 60 * 60 * 1000);
    expect((await app.get('/api/usage', { token: json.raw_token })).status).toBe(200);
  });

  it('issues one token when fifty requests ask at the same moment on two servers', async () => {
    const person = await somebody();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => person.at((i % 2 ? app : other).url).post('/api/tokens/trial')));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect((await person.get('/api/tokens')).json.tokens).toHaveLength(1);
  });

  it.each([
    ['revoked', (person: Person, id: string) => person.post(`/api/tokens/${id}/revoke`)],
    ['exhausted', (person: Person, _id: string, token: string) => person.get('/api/parcels', { token })],
    ['expired', () => app.db.moveClock('30 days')],
  ])('issues another once the previous one is %s', async (state, end) => {
    const person = await somebody();
    const { raw_token: raw, token } = await issueTrial(person);
    await end(person, token.id, raw);
    expect((await person.get('/api/tokens')).json.tokens).toMatchObject([{ id: token.id, state }]);
    expect((await person.post('/api/tokens/trial')).status).toBe(201);
  });
});

describe('trials one after the other', () => {
  /** Takes trials, reads as many records with each, and revokes them; the statuses. */
  const takeTrials = async (person: Person, ...counts: number[]) => {
    const statuses: number[] = [];
    for (const records of counts) {
      const { status, json } = await person.post('/api/tokens/trial');
      statuses.push(status);
      if (status !== 201) continue;
      if (records > 0) await app.get(`/api/parcels?limit=${records}`, { token: json.raw_token });
      await person.post(`/api/tokens/${json.token.id}/revoke`);
    }
    return statuses;
  };

  it('are never refused to somebody who reads nothing with them', async () => {
    const { trialsPerAccount, trialsPerAddress } = readConfig({});
    expect([50 * trialsPerAccount, 50 * trialsPerAddress]).toEqual([250, 1500]);
    expect(await takeTrials(await somebody(), ...Array(40).fill(0))).toEqual(Array(40).fill(201));
  });

  it('give a person 250 records in 30 days, however they are split and even if the account was deleted; then 429 says until when', async () => {
    let person = await somebody();
    expect(await takeTrials(person, 50, 50, 1, 50, 49, 50)).toEqual([201, 201, 201, 201, 201, 201]);
    await app.db.moveClock('10 days');
    person = person.elsewhere();
    await person.signIn();
    const again = () => takeTrials(person, 0);
    expect(await again()).toEqual([429]);
    await person.post('/api/auth/delete-user', { body: { password: person.password } });
    expect((await person.signUp()).status).toBe(200);
    const { status, headers, json } = await person.post('/api/tokens/trial');
    expect([status, json.error]).toEqual([429, 'too_many_requests']);
    expect(json.message).toMatch(/250 records from trials within 30 days.* paid plan/);
    const waitSeconds = Number(headers.get('retry-after'));
    expect(Math.abs(waitSeconds - 20 * 24 * 60 * 60)).toBeLessThan(120);
    const [, day, time] = /on (\d{4}-\d\d-\d\d) at (\d\d:\d\d) UTC/.exec(json.message)!;
    const at = await app.db.value<Date>(`select service_now() + interval '20 days'`);
    expect(Math.abs(Date.parse(`${day}T${time}Z`) - at.getTime())).toBeLessThan(120_000);
    await app.db.moveClock(`${waitSeconds} seconds`);
    await person.signIn();
    expect(await again()).toEqual([201]);
    await app.db.moveClock(`-${waitSeconds} seconds`);
    await app.db.moveClock('-10 days');
  });

  it('give an address 1,500 records a day, all credits of open ones included, however many ask at once; operators see which addresses', async () => {
    const bounded = await startApp({ TRIALS_PER_ADDRESS: '5', TRUST_PROXY: 'loopback' }, app);
    const headers = { 'x-forwarded-for': '203.0.113.79' };
    const people = await Promise.all(Array.from({ length: 12 }, () => Person.signUp(bounded.url, headers)));
    const ask = (person: Person) => person.post('/api/tokens/trial');
    const answers = await Promise.all(people.map(ask));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(201), ...Array(7).fill(429)]);
    const refused = answers.findIndex(({ status }) => status === 429);
    expect(answers[refused]!.json.message).toMatch(/250 records from trials a day.* on \d{4}-\d\d-\d\d at \d\d:\d\d UTC.* paid plan/);
    expect(Number(answers[refused]!.headers.get('retry-after'))).toBeLessThanOrEqual(24 * 60 * 60);
    const served = answers.findIndex(({ status }) => status === 201);
    expect((await ask(people[served]!)).status).toBe(409);

    // A trial that is revoked unread makes room for another, and one that was read does not.
    await people[served]!.post(`/api/tokens/${answers[served]!.json.token.id}/revoke`);
    expect(await takeTrials(people[refused]!, 50, 0)).toEqual([201, 429]);
    const operator = (await app.signUpOperator()).at(bounded.url);
    const { trialTakers } = await operator.ask('{ trialTakers { addresses { address trials } } }');
    expect(trialTakers.addresses).toContainEqual({ address: '203.0.113.79', trials: 6 });
    const [elsewhere, here] = [await Person.signUp(bounded.url, { 'x-forwarded-for': '203.0.113.78' }), await Person.signUp(bounded.url)];
    expect([await takeTrials(elsewhere, 0), await takeTrials(here, 0)]).toEqual([[201], [201]]);
    await bounded.db.moveClock('1 day');
    expect(await takeTrials(people[refused]!, 0)).toEqual([201]);
    await bounded.db.moveClock('-1 day');
    await bounded.close();
  });

  it('have no limit for an account whose limit an operator lifted, even at a crowded address, until it is restored', async () => {
    const bounded = await startApp({ TRIALS_PER_ACCOUNT: '1', TRIALS_PER_ADDRESS: '1', TRUST_PROXY: 'loopback' }, app);
    const headers = { 'x-forwarded-for': '203.0.113.81' };
    const [partner, neighbor] = [await Person.signUp(bounded.url, headers), await Person.signUp(bounded.url, headers)];
    expect(await takeTrials(partner, 50, 50)).toEqual([201, 429]);
    const operator = await app.signUpOperator();
    const change = (what: string) =>
      operator.ask(`mutation ($id: ID!) { changeAccount(id: $id, change: ${what}, reason: "evaluates for a year") { trialLimitLifted } }`, {
        id: partner.id,
      });
    expect(await change('liftTrialLimit')).toEqual({ changeAccount: { trialLimitLifted: true } });
    expect(await takeTrials(partner, 50, 50)).toEqual([201, 201]);
    expect(await takeTrials(neighbor, 0)).toEqual([429]);
    expect(await change('restoreTrialLimit')).toEqual({ changeAccount: { trialLimitLifted: false } });
    expect(await takeTrials(partner, 0)).toEqual([429]);
    await bounded.close();
  });
});

describe('paid tokens', () => {
  it('are limited to a hundred a day per account, however many are asked for at once', async () => {
    const { id: account } = await somebody();
    const store = new TokenStore(app.database.controlDataSource);
    const { token } = await store.issuePaidByOperator(account, 'first');
    const balance = await app.db.value<string>('select balance_id from api_token where id = $1', [token.id]);
    await app.db.query(
      `select add_token($1, $2, 'more', sha256(convert_to($2 || n, 'UTF8')), service_now()) from generate_series(2, 95) n`,
      [balance, account],
    );
    const asked = await Promise.allSettled(Array.from({ length: 40 }, () => store.issuePaid(account, balance, 'more')));
    const refusals = asked.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code);
    expect(refusals).toEqual(Array(35).fill('too_many_requests'));
    expect(await app.db.value('select count(*)::integer from api_token where account_id = $1', [account])).toBe(100);
  });

  it('share one balance, however many an operator issues at the same moment', async () => {
    const { id: account } = await somebody();
    const store = new TokenStore(app.database.controlDataSource);
    const { second } = await app.database.controlDataSource.transaction(async (manager) => {
      await store.issuePaidByOperator(account, 'first', manager);
      const second = store.issuePaidByOperator(account, 'second');
      const waiting = `select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
                        where l.locktype = 'advisory' and not l.granted`;
      await eventually('the second waits for the first', async () => (await app.db.query(waiting)).length === 1);
      return { second };
    });
    await second;
    const balances = await app.db.query('select plan, remaining from credit_balance where account_id = $1', [account]);
    expect(balances).toEqual([{ plan: 'paid', remaining: 4000 }]);
  });
});

describe('GET /api/tokens', () => {
  it('lists only the tokens of the caller, newest first', async () => {
    const person = await somebody();
    const first = (await issueTrial(person)).token.id;
    await person.post(`/api/tokens/${first}/revoke`);
    const second = (await issueTrial(person)).token.id;
    const { tokens } = (await person.get('/api/tokens')).json;
    expect(tokens.map(({ id, state }: Json) => `${id} ${state}`)).toEqual([`${second} active`, `${first} revoked`]);
    expect((await (await somebody()).get('/api/tokens')).json).toEqual({ tokens: [] });
  });

  it('lists all tokens, even more than a hundred', async () => {
    const person = await somebody();
    const { token } = await new TokenStore(app.database.controlDataSource).issuePaidByOperator(person.id, 'first');
    await app.db.query(
      `select add_token(balance_id, $1, 'more', sha256(convert_to($1 || n, 'UTF8')), service_now())
         from api_token cross join generate_series(2, 102) n where id = $2`,
      [person.id, token.id],
    );
    expect((await person.get('/api/tokens')).json.tokens).toHaveLength(102);
  });

  it('shows neither raw values nor hashes, in any encoding', async () => {
    const person = await somebody();
    const raw: string = (await issueTrial(person)).raw_token;
    const { text } = await person.get('/api/tokens');
    const hash = await app.db.value<Buffer>(`select token_hash from token_lookup where token_hash = sha256(convert_to($1, 'UTF8'))`, [raw]);
    for (const writing of ['hex', 'base64', 'base64url'] as const) expect(text).not.toContain(hash.toString(writing));
    expect(text).not.toContain(raw);
    // Six characters in a row: fewer can be in an id by chance.
    for (let from = 'pk_trial_'.length; from <= raw.length - 6; from++) expect(text).not.toContain(raw.slice(from, from + 6));
  });

  it('says when a token last read records or repeated a read under a key', async () => {
    const person = await somebody();
    const { raw_token: token } = await issueTrial(person);
    const lastUsed = async () => (await person.get('/api/tokens')).json.tokens[0].last_used_at;
    const read = async (key: string) => {
      const { json } = await app.get('/api/parcels?limit=1', { token, headers: { 'Idempotency-Key': key } });
      return (await app.db.value<Date>('select at from ledger_entry where id = $1', [json.metering.ledger_entry_id])).toISOString();
    };
    const first = await read('one-key');
    expect(await lastUsed()).toBe(first);
    const repeated = await read('one-key');
    expect(repeated).not.toBe(first);
    expect(await lastUsed()).toBe(repeated);
  });

  it('does not count it as use when the account looks at records or a read is taken back', async () => {
    const person = await somebody();
    const { raw_token: token } = await issueTrial(person);
    const read = async () => (await app.get('/api/parcels?limit=1', { token })).json.metering.ledger_entry_id;
    const [first, second] = [await read(), await read()];
    await person.ask('query ($id: ID!) { entryRecords(id: $id) { total } }', { id: second });
    await app.db.query(`select reverse_entry(balance_id, id, 'by a test', null) from ledger_entry where id = $1`, [first]);
    const entries = await app.db.query<{ kind: string; at: Date }>(
      `select l.kind, l.at from ledger_entry r join ledger_entry l on l.token_id = r.token_id where r.id = $1 and l.kind <> 'token' order by l.sequence`,
      [second],
    );
    expect(entries.map(({ kind }) => kind)).toEqual(['read', 'read', 'replay', 'reversal']);
    expect((await person.get('/api/tokens')).json.tokens[0].last_used_at).toBe(entries[1]!.at.toISOString());
  });
});

describe('POST /api/tokens/:id/revoke', () => {
  it('takes effect with the next request, and changes nothing when repeated with the id in upper case', async () => {
    const person = await somebody();
    const { raw_token: token, token: issued } = await issueTrial(person);
    const first = await person.post(`/api/tokens/${issued.id}/revoke`);
    expect(first.status).toBe(200);
    expect(first.json.token).toMatchObject({ id: issued.id, state: 'revoked', revoked_at: expect.any(String) });
    expect((await app.get('/api/usage', { token })).json.error).toBe('revoked');
    const again = await person.post(`/api/tokens/${issued.id.toUpperCase()}/revoke`);
    expect([again.status, again.json]).toEqual([200, first.json]);
  });

  it('answers 404 for another account’s token as for an unknown one, and leaves it active', async () => {
    const [owner, stranger] = [await somebody(), await somebody()];
    const { raw_token: token, token: issued } = await issueTrial(owner);
    const foreign = await stranger.post(`/api/tokens/${issued.id}/revoke`);
    const unknown = await stranger.post('/api/tokens/00000000-0000-4000-8000-000000000000/revoke');
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
  ])('answers 404 when the id is %s', async (_what, id) => {
    expect(await refusalOf((await somebody()).post(`/api/tokens/${id}/revoke`))).toBe('404 not_found');
  });
});

describe.each([
  ['change-password', { currentPassword: 'one of before', newPassword: 'a long enough password' }],
  ['delete-user', {}],
  ['delete-user', { password: 'one of before' }],
  ['update-user', { name: 'Ada' }],
  ['change-email', { newEmail: 'ada@example.com' }],
  ['revoke-other-sessions', {}],
  ['passkey/delete-passkey', { id: 'some' }],
])('POST /api/auth/%s', (operation, body) => {
  it('answers 401 unauthenticated without a session or with the cookie of an ended one, which it removes', async () => {
    const person = await somebody();
    await person.copy().post('/api/auth/sign-out', { body: {} });
    for (const caller of [app, person]) {
      const { status, json } = await caller.post(`/api/auth/${operation}`, { body });
      expect([status, json.error, json.message]).toEqual([401, 'unauthenticated', 'Sign in first.']);
    }
    expect(person.cookies.has(sessionCookie)).toBe(false);
  });
});
