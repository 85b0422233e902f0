import { doors, routes } from '../../src/rest/doors.js';
import { startApp, type TestApp } from '../harness/app.js';
import { sessionCookie } from '../harness/person.js';
import { rawRequest } from '../harness/raw-request.js';

let app: TestApp;
let headersOf: Record<Caller, Record<string, string>>;

type Caller = 'nobody' | 'token' | 'user' | 'admin';
const callers: Caller[] = ['nobody', 'token', 'user', 'admin'];

beforeAll(async () => {
  app = await startApp();
  const [user, admin] = [await app.signUp(), await app.signUpOperator()];
  headersOf = {
    nobody: {},
    token: { authorization: `Bearer ${await app.trialToken()}` },
    user: { cookie: user.cookie },
    admin: { cookie: admin.cookie },
  };
});

const statusFor = async (caller: Caller, method: string, path: string) =>
  (await rawRequest(app.url, method, path, { headers: headersOf[caller] })).status;

/** A path that names a county or state that is there, and nothing else. */
const fill = (path: string) =>
  path.replace('{/}', '').replace(/:(\w+)/g, (_, name: string) => ({ fips: '25017', state: 'MA' })[name] ?? 'nobody-has-this');

/** Which status a door refuses a caller with. */
const refusalsOf: Record<string, Partial<Record<Caller, number>>> = {
  public: {},
  own: {},
  session: { nobody: 401, token: 401 },
  bearer: { nobody: 401, user: 401, admin: 401 },
  operator: { nobody: 401, token: 401, user: 403 },
  signature: { nobody: 400, token: 400, user: 400, admin: 400 },
  port: { nobody: 404, token: 404, user: 404, admin: 404 },
};

/** What the others get, if not 200: what they ask for is not there, or their body says nothing. */
const statusBehind: Record<string, number> = {
  ...{ 'post /api/tokens/trial': 201, 'post /graphql': 400, 'put /admin/uploads/:fileName': 400 },
  ...{ 'post /api/tokens/:id/revoke': 404, 'use /api/auth': 404, 'use /assets': 404 },
  ...{
    'get /page-data/parcel-tiles/:fips': 404,
    'get /page-data/parcel-tiles/:fips/:release/:z/:x/:y': 404,
    'get /ledger/:folder/*file': 404,
  },
};

const everyDoor = [...routes, ...doors].flatMap(({ method, path, credential }) =>
  [path].flat().map((one) => [method, one, credential] as const),
);

describe('each credential is accepted at its own doors only', () => {
  it.each(everyDoor)('%s %s (%s)', async (method, path, credential) => {
    const answers = await Promise.all(
      callers.map((caller) => statusFor(caller, method === 'use' ? 'GET' : method.toUpperCase(), fill(path))),
    );
    const behind = statusBehind[`${method} ${path}`] ?? 200;
    expect(answers).toEqual(callers.map((caller) => refusalsOf[credential]![caller] ?? behind));
  });

  it('looks at the path’s own credential when both are sent', async () => {
    const both = { ...headersOf.token, ...headersOf.user };
    expect((await app.get('/api/me', { headers: both })).status).toBe(200);
    expect((await app.get('/api/usage', { headers: both })).status).toBe(200);
    const halfWrong = { ...headersOf.user, authorization: 'Bearer wrong' };
    expect((await app.get('/api/me', { headers: halfWrong })).status).toBe(200);
    expect((await app.get('/api/usage', { headers: halfWrong })).json.error).toBe('invalid');
  });

  it('takes an API token for no session, and a session for no API token', async () => {
    const token = headersOf.token.authorization!.slice('Bearer '.length);
    expect((await app.get('/api/me', { cookie: `${sessionCookie}=${token}` })).status).toBe(401);
    const { sessionToken, cookies } = await app.signUp();
    for (const session of [sessionToken, cookies.get(sessionCookie)!]) {
      expect((await app.get('/api/usage', { token: session })).json.error).toBe('invalid');
    }
  });
});

describe.each(['/admin', '/admin/', '/admin/counties', '/admin/no/such/page', '/admin/..%2f', '/admin/%2e', '/admin/assets/x.js'])(
  '%s',
  (path) => {
    it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
      '401 or 403 for %s by anybody but an operator',
      async (method) => {
        expect(await statusFor('nobody', method, path)).toBe(401);
        expect(await statusFor('token', method, path)).toBe(401);
        expect(await statusFor('user', method, path)).toBe(403);
      },
    );
  },
);

describe('/admin', () => {
  it('200 for an operator, on every page', async () => {
    for (const path of ['/admin', '/admin/counties', '/admin/accounts?search=x']) expect(await statusFor('admin', 'GET', path)).toBe(200);
  });

  it('404 for an operator where there is no page, and 405 for what no page offers', async () => {
    for (const path of ['/admin/nowhere', '/admin/counties/25017/nowhere']) expect(await statusFor('admin', 'GET', path)).toBe(404);
    expect(await statusFor('admin', 'POST', '/admin/counties')).toBe(405);
  });

  it('is refused to a browser, too, whatever stands below', async () => {
    for (const path of ['/admin', '/admin/nowhere', '/admin/counties/99999', '/admin/counties/25017']) {
      const { status, text } = await rawRequest(app.url, 'GET', path, { headers: { accept: 'text/html' } });
      expect([path, status, /<title>(.*)</.exec(text)?.[1]]).toEqual([path, 401, 'Parcel Records']);
    }
  });

  it('says why not, and is kept by no cache', async () => {
    const refused = await app.get('/admin', { headers: headersOf.user });
    expect(refused.json.error).toBe('forbidden');
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect((await app.get('/admin')).json.error).toBe('unauthenticated');
  });

  it('closes with the next request when the role is taken away', async () => {
    const operator = await app.signUpOperator();
    expect((await operator.get('/admin')).status).toBe(200);
    await app.db.query(`update auth."user" set role = 'user' where id = $1`, [operator.id]);
    expect((await operator.get('/admin')).status).toBe(403);
  });

  it.each([
    '//admin',
    '/Admin',
    '/ADMIN/',
    '/admin%2f..',
    '/%61dmin',
    '/x/../admin',
    '/./admin',
    '/admin;x',
    '/admin%00',
    '/admin.html',
    '/console/../admin',
    '/console/..%2fadmin',
    '/\\admin',
  ])('has no other spelling that serves more than the public pages: %s', async (path) => {
    const { status, text } = await rawRequest(app.url, 'GET', path, { headers: headersOf.nobody });
    const isPublicPage = status === 200 && withoutNonce(text) === withoutNonce((await app.get('/console')).text);
    expect(isPublicPage || [400, 401, 404].includes(status)).toBe(true);
  });
});

const withoutNonce = (html: string) => html.replace(/[A-Za-z0-9+/]{22}==/g, 'nonce');

describe('a token that a server knows, and its database does not any more: a standby took over that had not heard of it', () => {
  const forget = `with gone as (delete from token_lookup where token_hash = sha256(convert_to($1, 'UTF8')) returning *),
                       token as (delete from api_token t using gone g where t.id = g.token_id)`;

  it.each([
    ['with its balance', `${forget} delete from credit_balance b using gone g where b.id = g.balance_id`],
    ['and its balance did', `${forget} select from gone`],
  ])('is 401 invalid, also under a key and without a body: %s', async (_, loseIt) => {
    const token = await app.trialToken();
    const read = (method = 'GET', headers = {}) => app.call(method, '/api/parcels?limit=1', { token, headers });
    expect([(await read()).status, (await read('GET', { 'idempotency-key': 'k' })).status]).toEqual([200, 200]);
    await app.db.query(loseIt, [token]);
    const answers = [await read(), await read('GET', { 'idempotency-key': 'k' }), await app.get('/api/usage', { token })];
    for (const { status, json } of answers) expect([status, json.error]).toEqual([401, 'invalid']);
    expect((await read('HEAD')).status).toBe(401);
  });
});
