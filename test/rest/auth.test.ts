import { createHook } from 'node:async_hooks';
import { jest } from '@jest/globals';
import { Client } from 'pg';
import { startApp, type TestApp } from '../harness/app.js';
import type { Answer, Json } from '../harness/caller.js';
import { contract } from '../harness/contract.js';
import { Person, sessionCookie } from '../harness/person.js';
import { rawRequest } from '../harness/raw-request.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const somebody = () => app.signUp();
const operationsWithBody = Object.entries(contract.paths).flatMap(([path, { post }]) =>
  post?.requestBody && path.startsWith('/api/auth/') ? [[path, post.requestBody.content['application/json']] as const] : [],
);
const operationsOfSession = Object.entries(contract.paths).flatMap(([path, { post }]) =>
  post && path.startsWith('/api/auth/') && post.security.some((credential) => 'session' in credential) ? [[path, post] as const] : [],
);
const cookieNamed = (headers: Headers, name: string) => headers.getSetCookie().find((cookie) => cookie.includes(`${name}=`)) ?? '';

describe('POST /api/auth/sign-up/email', () => {
  it('opens an account and a session, whose token is kept out of the body and of reach for scripts', async () => {
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

  it('calls who gives no name by the address', async () => {
    const answer = await app.post('/api/auth/sign-up/email', { body: { email: 'grace.hopper@example.com', password: 'correct horse' } });
    expect([answer.status, answer.json.user.name]).toEqual([200, 'grace.hopper']);
  });

  it('makes one account of 50 sign-ups of one address at once', async () => {
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

  it('takes an address in any case for the same', async () => {
    const { email } = await somebody();
    expect((await Object.assign(new Person(app.url), { email: email.toUpperCase() }).signUp()).status).toBe(422);
  });

  it.each([
    ['a role', { role: 'admin' }],
    ['a verified address', { emailVerified: true }],
    ['credits', { credits: 5000 }],
    ['an id', { id: 'admin' }],
    ['a ban of nobody', { banned: false }],
  ])('refuses %s among the fields', async (_, field) => {
    const visitor = new Person(app.url);
    const reply = await visitor.signUp(field);
    expect(reply).toMatchObject({ status: 400, json: { error: 'invalid_request', details: [{ parameter: Object.keys(field)[0] }] } });
    expect((await visitor.signIn()).status).toBe(401);
  });

  it.each(['__proto__', 'constructor', 'toString'])('refuses %s among the fields', async (field) => {
    const visitor = new Person(app.url);
    const body = `{"role":"admin","name":"A","email":"${visitor.email}","password":"${visitor.password}","${field}":{"role":"admin"}}`;
    expect((await visitor.post('/api/auth/sign-up/email', { body })).status).toBe(400);
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
  ])(
    'refuses an address that better-auth does not take, or that changes when it is normalised, as we refuse all others: %p',
    async (email) => {
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
    },
  );

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
  ])('refuses a password that attackers try first, in development, too: %s', async (_, password) => {
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
  ])('takes a password of 8 to 128 characters, of whatever kind: %s', async (_, password) => {
    const visitor = new Person(app.url);
    visitor.password = password;
    expect((await visitor.signUp()).status).toBe(200);
    expect((await visitor.elsewhere().signIn()).status).toBe(200);
    const change = (newPassword: string) => visitor.post('/api/auth/change-password', { body: { currentPassword: password, newPassword } });
    expect((await change(`${'😀'.repeat(128)}!`)).json.details).toMatchObject([{ parameter: 'newPassword' }]);
    expect((await change('😀'.repeat(127))).status).toBe(200);
  });

  it.each(['sign-up/email', 'sign-in/email', 'reset-password', 'revoke-session', 'passkey/delete-passkey', 'passkey/update-passkey'])(
    'says what is missing in words, not in signs: %s',
    async (operation) => {
      const { status, json } = await app.post(`/api/auth/${operation}`, { body: {} });
      expect([status, json.message]).toEqual([400, expect.not.stringMatching(/regular expression|\\p\{/)]);
    },
  );

  it.each(operationsWithBody)('refuses a field that it does not know, as the contract says: %s', async (path, { example }) => {
    const { status, json } = await (await somebody()).post(path, { body: { ...example, unknown: 1 } });
    expect([status, json.details]).toEqual([400, [{ parameter: 'unknown', message: 'is not accepted here' }]]);
  });

  it.each(operationsWithBody)('refuses null for each of its fields, as the contract says: %s', async (path, { example, schema }) => {
    for (const field of Object.keys(schema.properties ?? {})) {
      const { status, json } = await app.post(path, { body: { ...example, [field]: null } });
      expect([status, json.details]).toEqual([400, [expect.objectContaining({ parameter: field })]]);
    }
  });

  it.each([
    '/',
    '/console',
    '/console/',
    '/a-b/c_d?e=f#g',
    '/#',
    '',
    'console',
    '//evil.example',
    '/..//evil.example',
    '/a.html',
    '/a b',
    '/é',
    '/?a b',
  ])('takes a page to return to where the contract does: "%s"', async (callbackURL) => {
    const { status } = await app.get(`/api/auth/reset-password/none?${new URLSearchParams({ callbackURL })}`);
    const { pattern } = contract.components.schemas.OwnPage as Json;
    expect(status === 302).toBe(new RegExp(pattern).test(callbackURL));
  });

  it('refuses what is no JSON object', async () => {
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
  it('opens a session with another token, and ends the one that came along, but none on other devices', async () => {
    const visitor = await somebody();
    const [before, phone] = [visitor.copy(), visitor.elsewhere()];
    expect((await phone.signIn()).status).toBe(200);
    expect((await visitor.signIn()).status).toBe(200);
    expect(visitor.sessionToken).not.toBe(before.sessionToken);
    expect([await visitor.isSignedIn(), await phone.isSignedIn(), await before.isSignedIn()]).toEqual([true, true, false]);
  });

  it('answers an unknown address and a wrong password alike, and hashes once for both, so that the time tells nothing', async () => {
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
    ['none', {}],
  ])('makes the cookie useless, even a copy of it, with %s', async (_, options) => {
    const visitor = await somebody();
    const thief = visitor.copy();
    expect((await visitor.post('/api/auth/sign-out', options)).status).toBe(200);
    expect(await thief.isSignedIn()).toBe(false);
    expect(visitor.cookies.has(sessionCookie)).toBe(false);
  });
});

describe('GET /api/me', () => {
  it('costs two queries with a session, none without', async () => {
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

  it('knows nobody by a tampered, unsigned or foreign cookie', async () => {
    const visitor = await somebody();
    const real = visitor.cookies.get(sessionCookie)!;
    const token = visitor.sessionToken;
    for (const forged of [token, `${token}.`, `${token}.${'A'.repeat(43)}%3D`, `x${real}`, '%', '']) {
      visitor.cookies.set(sessionCookie, forged);
      expect((await visitor.get('/api/me')).status).toBe(401);
    }
  });
});

describe('sessions', () => {
  it('are listed without their tokens, and ended one by one by what the list shows, but by nobody else', async () => {
    const visitor = await somebody();
    const phone = visitor.elsewhere();
    await phone.signIn();
    const { json: sessions } = await visitor.get('/api/auth/list-sessions');
    expect(sessions).toHaveLength(2);
    expect(JSON.stringify(sessions)).not.toContain(phone.sessionToken);
    const mine = (await visitor.get('/api/auth/get-session')).json.session.id;
    const other = sessions.find(({ id }: { id: string }) => id !== mine);
    await (await somebody()).post('/api/auth/revoke-session', { body: { token: other.token } });
    expect(await phone.isSignedIn()).toBe(true);
    expect((await visitor.post('/api/auth/revoke-session', { body: { token: other.token } })).status).toBe(200);
    expect(await phone.isSignedIn()).toBe(false);
    expect(await visitor.isSignedIn()).toBe(true);
  });

  it('are listed also days after sign-in, to nobody else', async () => {
    const visitor = await somebody();
    await app.db.query(`update auth.session set "createdAt" = now() - interval '3 days' where "userId" = $1`, [visitor.id]);
    expect((await visitor.get('/api/auth/list-sessions')).json).toHaveLength(1);
    expect((await new Person(app.url).get('/api/auth/list-sessions')).status).toBe(401);
  });

  it('can be ended all at once, or all others', async () => {
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
    const [bounded] = await app.db.query<{ days: number }>(
      `update auth.session set "expiresAt" = "createdAt" + interval '1 year' where id = $1
       returning extract(day from "expiresAt" - "createdAt")::int as days`,
      [session.id],
    );
    expect(bounded!.days).toBe(30);
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
  ])('are prolonged by use, once a day, however many requests come at once at two servers: %s %s', async (method, path) => {
    const other = await startApp({}, app);
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
    await other.close();
  });

  it('of who comes every day last for the 30 days, and no longer', async () => {
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
    'ten minutes after sign-in is too old where the contract says so, and nowhere else: %s',
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

describe('POST /api/auth/update-user', () => {
  it.each([
    { role: 'admin' },
    { emailVerified: true },
    { banned: false },
    { email: 'other@example.com' },
    { image: 'https://evil.example/' },
  ])('changes the name, and refuses %p', async (field) => {
    const visitor = await somebody();
    await visitor.post('/api/auth/update-user', { body: { name: 'Grace Hopper' } });
    expect((await visitor.post('/api/auth/update-user', { body: { name: 'A', ...field } })).status).toBe(400);
    const { email } = visitor;
    expect((await visitor.get('/api/me')).json.user).toMatchObject({ name: 'Grace Hopper', role: 'user', email_verified: false, email });
  });
});

describe('POST /api/auth/change-password', () => {
  it('ends every other session and changes the token of this one', async () => {
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

  it('is not our own page, nor a program without a page', async () => {
    const visitor = await somebody();
    expect((await visitor.post('/api/auth/update-user', { body: { name: 'A' }, headers: { origin: app.config.baseUrl } })).status).toBe(
      200,
    );
    expect((await visitor.post('/api/auth/update-user', { body: { name: 'B' } })).status).toBe(200);
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

describe('a database that is away', () => {
  it('is 503, and nobody is told to be signed out who is not', async () => {
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
});

describe('a database that is away for one of the statements of', () => {
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

  it.each(operations)('%s says that it is done only where it is, and never that nobody is signed in', async (path, body, isDone) => {
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
  it.each(['list-accounts', 'ok', 'error', 'verify-email'])('%s is none behind `..\\` either', async (operation) => {
    const path = `/api/auth/reset-password/..\\${operation}?callbackURL=/console&token=x`;
    const { status, text } = await rawRequest(app.url, 'GET', path, { headers: { cookie: (await somebody()).cookie } });
    expect([status, JSON.parse(text).error]).toEqual([404, 'not_found']);
  });
});
