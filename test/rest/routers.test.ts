import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import fc from 'fast-check';
import { paths as addressesOfClient } from '../../src/console/paths.js';
import { serveRequests } from '../../src/rest/connections/http-server.js';
import { allowSlowBody, closeSlowBody } from '../../src/rest/connections/slow-body.js';
import { doors, routes } from '../../src/rest/doors.js';
import { assignRequestId } from '../../src/rest/request-context.js';
import { listen, startApp, type TestApp, urlOf } from '../harness/app.js';
import { Caller, refusalOf } from '../harness/caller.js';
import { contract, methodsOf } from '../harness/contract.js';
import { eventually } from '../harness/eventually.js';
import { type Person, sessionCookie } from '../harness/person.js';
import { rawRequest, sendBytes } from '../harness/raw-request.js';
import { words } from '../harness/words.js';

const insides = /node_modules|\bat .+:\d+|select |insert |pg_|\.ts:|\.js:/;

let app: TestApp;
let cookie: string;
let operator: Person;
let headersOf: Record<Credential, Record<string, string>>;
beforeAll(async () => {
  app = await startApp({ STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests' });
  cookie = (await app.signUp()).cookie;
  operator = await app.signUpOperator();
  headersOf = {
    nobody: {},
    token: { authorization: `Bearer ${await app.trialToken()}` },
    user: { cookie: (await app.signUp()).cookie }, // the other session may end: random calls are made in it
    admin: { cookie: operator.cookie },
  };
});

const uuid = '00000000-0000-4000-8000-000000000000';
// What scripts of any site may read.
const open = ['/health', '/openapi.json', '/api/coverage', '/api/counties', '/api/counties/{fips}'];
const fill = (template: string) => template.replace('{fips}', '25017').replace(/\{(id|token)\}/, uuid);
const paths = Object.keys(contract.paths);

describe('a path that does not exist', () => {
  it.each([
    ...words`
    /api /api/parcel /api/parcels/ /api/auth/get-session/ /api/parcels/1 /API/parcels /api//parcels //api/parcels
    /api/parcels%2F /api/counties/25017/parcels /metrics /.env /../package.json /assets/..%2f..%2f..%2fpackage.json /constructor
    /index.html //index.html /docs/nowhere /console/nowhere /console/sign-in/nowhere /x/../index.html /.vite/manifest.json /%00
  `,
    '/'.padEnd(80, 'x'),
  ])('is answered with 404 not_found as JSON with the request’s id: %s', async (path) => {
    const { status, headers, text } = await rawRequest(app.url, 'GET', path, { headers: { cookie } });
    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toEqual({ error: 'not_found', message: expect.any(String), request_id: headers['x-request-id'] });
  });

  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  it.each(words`
    /nowhere /api /Console /docs.html /docs/nowhere /console/nowhere /index.html /favicon.ico /%ZZ /counties/%ZZ
  `)('is answered with a page when a browser asks: %s', async (path) => {
    const { status, headers, text } = await rawRequest(app.url, 'GET', path, { headers: browser });
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([404, 'text/html; charset=utf-8', 'no-store']);
    expect(text).toContain('<div id="root">');
    const head = await rawRequest(app.url, 'HEAD', path, { headers: browser });
    expect([head.status, head.headers['content-type'], head.text]).toEqual([status, headers['content-type'], '']);
  });

  it.each([
    ['/favicon.svg', 'image/svg+xml'],
    ['/og.png', 'image/png'],
    ['/robots.txt', 'text/plain; charset=utf-8'],
  ])('is not taken for a file beside the pages, which is served: %s', async (path, type) => {
    const { status, headers } = await rawRequest(app.url, 'GET', path, { headers: browser });
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, 'public, max-age=3600']);
  });

  it.each(['/api/parcel', '/api/counties/25017/parcels', '/assets/gone-1a2b3c4d.js'])(
    'is answered with JSON below /api and /assets even when a browser asks: %s',
    async (path) => {
      const { status, text } = await rawRequest(app.url, 'GET', path, { headers: browser });
      expect([status, JSON.parse(text).error]).toEqual([404, 'not_found']);
    },
  );

  it.each(['%', '%ZZ', '%ff', '%E0%A4%A'])('is answered with 404 not_found when an id cannot be decoded: %s', async (id) => {
    for (const [method, path] of [
      ['GET', `/api/counties/${id}`],
      ['POST', `/api/tokens/${id}/revoke`],
      ['GET', `/api/auth/reset-password/${id}`],
      ['GET', `/${id}`],
    ] as const) {
      const { status, text } = await rawRequest(app.url, method, path, { headers: { cookie } });
      expect([path, status, JSON.parse(text).error]).toEqual([path, 404, 'not_found']);
    }
  });
});

describe('a request for a whole address', () => {
  it.each(words`
    http://parcels.example http://name:word@x http://x:99999 http://1.2.3.4.5 http://[x http://x'y other://x http://
  `)('is answered by its path, whatever precedes it: %s', async (start) => {
    const gets = ['/api/me', '/api/counties/25017?x=/', '/api/auth/get-session', '/api//me', '/', '?x=/api/me', ''];
    for (const [method, path] of [['POST', '/api/auth/sign-out'] as const, ...gets.map((path) => ['GET', path] as const)]) {
      const whole = await rawRequest(app.url, method, start + path);
      const short = await rawRequest(app.url, method, path.startsWith('/') ? path : `/${path}`);
      expect([path, whole.status, whole.headers['content-type']]).toEqual([path, short.status, short.headers['content-type']]);
      expect(whole.headers['x-request-id']).toMatch(versionSeven);
    }
  });
});

const versionSeven = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a page', () => {
  const pages = new Set(
    Object.values(addressesOfClient).map((address) =>
      (typeof address === 'string' ? address : address('25017' as never, {} as never)).replace(/[?#].*/, ''),
    ),
  );

  it.each([...pages])('of the client is served by the server: %s', async (path) => {
    expect((await operator.get(path)).status).toBe(200);
  });

  it.each(['/', '/docs', '/console', '/counties/25017', '/graphql', '/favicon.svg', '/og.png', '/robots.txt'])(
    'or a file beside it names the allowed methods in its 204 to OPTIONS and its 405 to others: %s',
    async (path) => {
      for (const [method, status] of [
        ['OPTIONS', 204],
        [path === '/graphql' ? 'GET' : 'POST', 405],
        ['DELETE', 405],
      ] as const) {
        const answer = await rawRequest(app.url, method, path);
        const methods = path === '/graphql' ? ['OPTIONS', 'POST'] : ['GET', 'HEAD', 'OPTIONS'];
        expect([method, answer.status, allowed(answer.headers)]).toEqual([method, status, methods]);
      }
    },
  );

  it.each(['/nowhere', '/api/nowhere', '/api/auth/nowhere', '/assets/nowhere.js', '/nowhere.png', '/robots.txt/'])(
    'that does not exist is not found by any other method: %s',
    async (path) => {
      for (const method of ['OPTIONS', 'POST']) expect((await rawRequest(app.url, method, path)).status).toBe(404);
    },
  );
});

it('begins the id of a request with its time, however the request is answered', async () => {
  const path = '/api/counties/25017';
  const answers = [await rawRequest(app.url, 'GET', path), await rawRequest(app.url, 'GET', path), await rawRequest(app.url, 'GET', '/x')];
  for (const { headers } of answers) expect(headers['x-request-id']).toMatch(versionSeven);
  const [, malformed] = /x-request-id: (\S+)/i.exec(await sendBytes(app.url, 'nonsense\r\n\r\n'))!;
  expect(malformed).toMatch(versionSeven);
});

const crossOriginOf = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control')));
const readable = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Coverage-Version, ETag, Retry-After, X-Request-Id',
};

const allowed = ({ allow }: Record<string, unknown>) => String(allow).split(', ').toSorted();

describe.each(paths)('%s', (template) => {
  const offered = methodsOf(template).map((method) => method.toUpperCase());
  const path = fill(template);

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter((method) => !offered.includes(method)))(
    'answers %s with 405 method_not_allowed and names what is allowed',
    async (method) => {
      const { status, headers, text } = await rawRequest(app.url, method, path, { headers: { cookie } });
      expect([status, JSON.parse(text).error, allowed(headers)]).toEqual([405, 'method_not_allowed', [...offered, 'OPTIONS'].toSorted()]);
    },
  );

  it(`tells OPTIONS what is allowed, and ${open.includes(template) ? 'every site that it may read' : 'other sites nothing'}`, async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
    const answer = await rawRequest(app.url, 'OPTIONS', path, { headers });
    expect([answer.status, allowed(answer.headers), answer.text]).toEqual([204, [...offered, 'OPTIONS'].toSorted(), '']);
    expect(crossOriginOf(answer.headers)).toEqual(
      open.includes(template) ? { ...readable, 'access-control-allow-headers': 'If-None-Match' } : {},
    );
    expect(answer.headers).toMatchObject({ 'x-request-id': expect.stringMatching(versionSeven), 'x-content-type-options': 'nosniff' });
  });

  // To look at this link without using it up is not what GET does.
  if (offered.includes('GET') && template !== '/api/auth/verify-email') {
    it('answers HEAD like GET, without a body', async () => {
      const [head, get] = await Promise.all([
        rawRequest(app.url, 'HEAD', path, { headers: { cookie } }),
        rawRequest(app.url, 'GET', path, { headers: { cookie } }),
      ]);
      expect([head.status, head.headers['content-type'], head.text]).toEqual([get.status, get.headers['content-type'], '']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
      await app.call('HEAD', path, { cookie }); // held against the contract, with the headers that only one of them may have
    });
  }
});

describe('every answer', () => {
  it.each([
    ...['/health', '/openapi.json', '/api/coverage', '/api/counties?limit=1', '/api/counties/25017'].map((path) => [path, 200] as const),
    ['/api/counties?limit=0', 400],
    ['/api/counties/99999', 404],
  ] as const)('may be read by scripts of every site without a cookie: %s, %i', async (path, status) => {
    // Asked twice, since the second is answered from memory.
    for (const method of ['GET', 'GET', 'HEAD']) {
      const { headers, ...answer } = await app.call(method, path, { headers: { origin: 'https://map.example' } });
      expect([answer.status, crossOriginOf(Object.fromEntries(headers))]).toEqual([status, readable]);
    }
  });

  it('may be read by scripts of every site if it is 304, or 405 to a request that would change something', async () => {
    const tag = (await app.get('/api/coverage')).headers.get('etag')!;
    const unchanged = await rawRequest(app.url, 'GET', '/api/coverage', { headers: { 'if-none-match': tag } });
    const refused = await rawRequest(app.url, 'POST', '/api/coverage', {});
    expect([unchanged, refused].map(({ status, headers }) => [status, crossOriginOf(headers)])).toEqual([
      [304, readable],
      [405, readable],
    ]);
  });

  it.each([
    ...['/', '/ready', '/page-data/home', '/api/me', '/api/tokens', '/api/parcels', '/api/usage', '/nowhere', '/admin'],
    ...['/health', '/api/counties?limit=1', '/openapi.json'],
  ])('carries the security headers, names no software, and shows scripts of other sites only what they may read: %s', async (path) => {
    const { headers } = await app.get(path, { cookie, headers: { origin: 'https://evil.example' } });
    expect(crossOriginOf(Object.fromEntries(headers))).toEqual(open.includes(path.split('?')[0]!) ? readable : {});
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';script-src 'self'( 'nonce-[^']{24}')?;/);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).not.toMatch(/script-src[^;]*unsafe|undefined/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    for (const name of ['x-powered-by', 'server', 'access-control-allow-credentials']) {
      expect(headers.has(name)).toBe(false);
    }
  });

  it.each(['/api/auth/get-session', '/api/auth/list-sessions', '/openapi.json', '/', '/docs', '/console', '/counties/06001', '/ready'])(
    'without a tag is sent in full, whatever If-None-Match says: %s',
    async (path) => {
      const { status, headers, text } = await rawRequest(app.url, 'GET', path, { headers: { cookie, 'if-none-match': '*' } });
      expect([status, headers.etag, text]).toEqual([200, undefined, expect.stringMatching(/./)]);
    },
  );

  it('with a tag is not sent again, such as a file of the pages', async () => {
    const tag = (await app.get('/favicon.svg')).headers.get('etag')!;
    for (const known of [tag, '*']) {
      const { status, headers } = await rawRequest(app.url, 'GET', '/favicon.svg', { headers: { 'if-none-match': known } });
      expect([status, headers.etag]).toEqual([304, tag]);
    }
  });

  it('demands https of a browser once BASE_URL is https', async () => {
    const secure = await startApp({ BASE_URL: 'https://parcels.example' }, app);
    expect((await app.get('/health')).headers.has('strict-transport-security')).toBe(false);
    const { headers } = await secure.get('/health');
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
    await secure.close();
  });
});

describe('a body', () => {
  it.each([
    ['/api/auth/sign-in/email', 17_000],
    ['/graphql', 300_000],
  ])('is refused with 413 payload_too_large beyond the limit of %s', async (path, bytes) => {
    const body = JSON.stringify({ query: 'x'.repeat(bytes) });
    const { status, text } = await rawRequest(app.url, 'POST', path, { headers: { cookie, 'content-type': 'application/json' }, body });
    expect([status, JSON.parse(text).error]).toEqual([413, 'payload_too_large']);
  });

  it.each(['/api/auth/sign-in/email', '/graphql'])('is refused with 400 invalid_request when it is not JSON: %s', async (path) => {
    for (const body of ['{', '{"a":}', 'query=x', '\0', '"text"']) {
      const answer = app.post(path, { cookie, headers: { 'content-type': 'application/json' }, body });
      expect(await refusalOf(answer)).toBe('400 invalid_request');
    }
  });

  it('is refused with 400 when it is not compressed as it says, or in an unknown way', async () => {
    for (const encoding of ['gzip', 'x-unknown']) {
      const headers = { 'content-encoding': encoding, 'content-type': 'application/json' };
      const { status } = await app.post('/graphql', { cookie, headers, body: '{}' });
      expect(status).toBe(400);
    }
  });
});

describe('a request whose body does not arrive', () => {
  const patienceMs = 100;
  let url: string;
  beforeAll(async () => {
    const slow = express();
    slow.use((request, response, next) => {
      assignRequestId(response);
      closeSlowBody(request, response, patienceMs, []);
      next();
    });
    slow.put('/uploads/county.zip', allowSlowBody);
    slow.get('/early', (_request, response) => {
      response.end('answered');
    });
    slow.use((request, response) => {
      request.resume().once('end', () => setTimeout(() => response.end('done'), 2 * patienceMs));
    });
    const server = await listen();
    server.keepAliveTimeout = 60_000;
    server.on('request', slow);
    url = urlOf(server);
  });

  const dial = () => connect(Number(new URL(url).port), '127.0.0.1');

  /** Sends half a body, and the rest after longer than the server's patience; what came back until the connection ended. */
  function sendSlowly(path: string): Promise<string> {
    return new Promise((resolve) => {
      let answer = '';
      const socket = dial();
      socket.on('error', () => {});
      socket.on('data', (data) => (answer += data));
      socket.on('close', () => resolve(answer));
      socket.write(`PUT ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 8\r\n\r\nhalf`);
      setTimeout(() => socket.write('half'), 2 * patienceMs);
    });
  }

  it('is answered with 408 request_timeout, and its connection is closed', async () => {
    const answer = await sendSlowly('/graphql');
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!).error).toBe('request_timeout');
  });

  it('is cut off even when it was answered already', async () => {
    const socket = dial();
    const received = socket.setEncoding('latin1').toArray();
    socket.write('GET /early HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\nhalf');
    expect((await received).join('')).toContain('answered');
  });

  it('may take longer where that is allowed, which is only behind the check for operators', async () =>
    expect(await sendSlowly('/uploads/county.zip')).toContain('200 OK'));

  it('is not confused with one that is answered slowly', async () => {
    expect((await new Caller(url).post('/graphql', { body: 'whole' })).status).toBe(200);
  });
});

describe('what is not even HTTP', () => {
  const errorOf: Record<string, string> = {
    400: 'invalid_request',
    405: 'method_not_allowed',
    417: 'expectation_failed',
    431: 'headers_too_large',
  };
  const head = 'GET /api/coverage HTTP/1.1\r\nHost: x\r\n';
  it.each([
    ['417', 'an expectation that nobody can meet', `${head}Expect: miracles\r\n\r\n`],
    ['400', 'a body in impossible chunks', 'POST /graphql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['431', 'headers beyond 16 KB', `${head}X-Long: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['400', 'two ways of saying how long the body is', `${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['400', 'a NUL character in a header', `${head}X-Nul: a\0b\r\n\r\n`],
    ['400', 'a method that HTTP does not have', 'FOO /api/coverage HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['400', 'a method in small letters', 'get /api/coverage HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['400', 'no Host', 'GET /api/coverage HTTP/1.1\r\n\r\n'],
    ['400', 'two Hosts', 'GET /api/coverage HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nhost: x\r\n\r\n'],
    ['400', 'two Hosts without a version that needs one', 'GET /api/coverage HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['405', 'a call for a proxy', 'CONNECT parcels.example:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['400', 'noise', '\x16\x03\x01\x02\0\r\n\r\n'],
  ])('is answered with %s for %s, with our body and the request’s id', async (status, _what, bytes) => {
    const [head = '', body = ''] = (await sendBytes(app.url, bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain("Content-Security-Policy: default-src 'none'");
    expect(JSON.parse(body)).toEqual({
      error: errorOf[status],
      message: expect.any(String),
      request_id: /X-Request-Id: (\S+)/.exec(head)![1],
    });
  });
});

describe('a complete request followed by bytes that are not HTTP', () => {
  const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  it('gets its own answer, such as a token, and then hears what is wrong', async () => {
    const person = await app.signUp();
    const head = `POST /api/tokens/trial HTTP/1.1\r\nHost: x\r\nCookie: ${person.cookie}\r\nContent-Length: 2\r\n\r\n`;
    const answers = await sendBytes(app.url, `${head}{"name":"x"}`);
    expect(statusesIn(answers)).toEqual([201, 400]);
    const token = /pk_trial_\w+/.exec(answers)?.[0];
    expect((await app.get('/api/usage', { token })).status).toBe(200);
  });

  it.each(['/health', '/api/counties/48329', '/api/me', '/nowhere'])(
    'is answered as usual, and so are those before it: %s',
    async (path) => {
      const { status } = await app.get(path);
      const answers = await sendBytes(app.url, `${get(path).repeat(3)}nonsense\r\n\r\n`);
      expect(statusesIn(answers)).toEqual([status, status, status, 400]);
      expect(answers).toMatch(/Connection: close[\s\S]*invalid_request/);
    },
  );

  it('gets its answer without interruption while more of them arrive', async () => {
    const server = await listen();
    const begun: ServerResponse[] = [];
    serveRequests(server, (_request, response) => void begun.push(response), []);
    const refused = jest.fn();
    server.on('clientError', refused);
    const socket = connect(Number(new URL(urlOf(server)).port), '127.0.0.1');
    const received = socket.setEncoding('latin1').toArray();
    socket.write(`${get('/')}nonsense`);
    await eventually('some arrived', async () => refused.mock.calls.length === 1);
    begun[0]!.write('the first half, ');
    socket.write('more');
    await eventually('more arrived', async () => refused.mock.calls.length === 2);
    begun[0]!.end('the second');
    const answers = (await received).join('');
    expect(statusesIn(answers)).toEqual([200, 400]);
    expect(answers.indexOf('the second')).toBeLessThan(answers.indexOf('HTTP/1.1 400'));
  });
});

describe('a call for a proxy', () => {
  const call = 'CONNECT parcels.example:443 HTTP/1.1\r\nHost: x\r\n\r\n';

  it('is answered with a 405 that allows no method, after the answers that come first', async () => {
    const answers = await sendBytes(app.url, `GET /api/me HTTP/1.1\r\nHost: x\r\n\r\n${call}`);
    expect(answers).toMatch(/^HTTP\/1\.1 401 [\s\S]*HTTP\/1\.1 405 [\s\S]*Allow: \r\n/);
  });

  it('does no harm when its caller has left', async () => {
    const server = await listen();
    serveRequests(server, () => {}, []);
    const closed = new Promise((resolve) => {
      server.on('connect', (_request, socket) => socket.on('close', resolve).destroy(new Error('read ECONNRESET')));
    });
    connect(Number(new URL(urlOf(server)).port), '127.0.0.1')
      .on('error', () => {})
      .write(call);
    expect(await closed).toBe(true);
  });
});

describe('garbage', () => {
  const oneOf = (words: string) => fc.constantFrom(...words.split(' '));
  const text = (maxLength: number) => fc.string({ unit: 'binary', maxLength });
  const segment = fc.oneof(
    oneOf(
      'api auth parcels counties tokens trial revoke usage me coverage stripe webhook admin console docs assets .. . %2e%2e % %00 %ff *',
    ),
    text(12).map(encodeURIComponent),
  );
  const path = fc.oneof(
    fc.constantFrom(...paths.map(fill), '/graphql', '/api/auth/sign-in/email', '/api/auth/sign-up/email', '/api/auth/reset-password'),
    fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`),
  );
  const parameter = fc.tuple(
    oneOf('limit offset state status county_fips cursor limit[] limit[a] __proto__[x] token'),
    fc.oneof(text(20), fc.bigInt().map(String), fc.double().map(String)),
  );
  const call = fc.record({
    method: oneOf('GET GET POST POST HEAD PUT DELETE OPTIONS'),
    path,
    query: fc.array(parameter, { maxLength: 3 }),
    authorization: fc.option(fc.string({ maxLength: 40 }).map((token) => `Bearer ${token}`)),
    isSignedIn: fc.boolean(),
    type: oneOf('application/json application/json text/plain application/x-www-form-urlencoded nonsense'),
    body: fc.oneof(
      fc.json(),
      text(40),
      text(20).map((value) =>
        JSON.stringify({ email: value, password: `${value}12345678`, name: value, query: '{ me { id } }', token: value }),
      ),
    ),
  });

  it('never causes an internal error, and is told nothing of our internals', async () => {
    await fc.assert(
      fc.asyncProperty(call, async ({ method, path, query, authorization, isSignedIn, type, body }) => {
        const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
        const headers = {
          'content-type': type,
          'content-length': String(Buffer.byteLength(body)),
          ...(isSignedIn && { cookie }),
          ...(authorization && { authorization }),
        };
        const { status, text } = await rawRequest(app.url, method, `${path}?${search}`, { headers, body });
        expect(status).toBeLessThan(500);
        if (status >= 400) expect(text).not.toMatch(insides);
      }),
      { numRuns: 500 },
    );
  });
});

type Credential = 'nobody' | 'token' | 'user' | 'admin';
const callers: Credential[] = ['nobody', 'token', 'user', 'admin'];

const statusFor = async (caller: Credential, method: string, path: string) =>
  (await rawRequest(app.url, method, path, { headers: headersOf[caller] })).status;

/** A path that names a county or state that is there, and nothing else. */
const named = (path: string) =>
  path.replace('{/}', '').replace(/:(\w+)/g, (_, name: string) => ({ fips: '25017', state: 'MA' })[name] ?? 'nobody-has-this');

/** Which status a door refuses a caller with. */
const refusalsOf: Record<string, Partial<Record<Credential, number>>> = {
  public: {},
  own: {},
  session: { nobody: 401, token: 401 },
  bearer: { nobody: 401, user: 401, admin: 401 },
  operator: { nobody: 401, token: 401, user: 403 },
  signature: { nobody: 400, token: 400, user: 400, admin: 400 },
  port: { nobody: 404, token: 404, user: 404, admin: 404 },
};

/** The others' status, if not 200: the object that they ask for is not there, or their body says nothing. */
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
      callers.map((caller) => statusFor(caller, method === 'use' ? 'GET' : method.toUpperCase(), named(path))),
    );
    const behind = statusBehind[`${method} ${path}`] ?? 200;
    expect(answers).toEqual(callers.map((caller) => refusalsOf[credential]![caller] ?? behind));
  });

  it('uses the credential of the path when both are sent', async () => {
    const both = { ...headersOf.token, ...headersOf.user };
    expect((await app.get('/api/me', { headers: both })).status).toBe(200);
    expect((await app.get('/api/usage', { headers: both })).status).toBe(200);
    const halfWrong = { ...headersOf.user, authorization: 'Bearer wrong' };
    expect((await app.get('/api/me', { headers: halfWrong })).status).toBe(200);
    expect((await app.get('/api/usage', { headers: halfWrong })).json.error).toBe('invalid');
  });

  it('accepts no API token as a session and no session as an API token', async () => {
    const token = headersOf.token.authorization!.slice('Bearer '.length);
    expect((await app.get('/api/me', { cookie: `${sessionCookie}=${token}` })).status).toBe(401);
    const { sessionToken, cookies } = await app.signUp();
    for (const session of [sessionToken, cookies.get(sessionCookie)!]) {
      expect((await app.get('/api/usage', { token: session })).json.error).toBe('invalid');
    }
  });
});

describe('/admin', () => {
  it.each(['/admin', '/admin/', '/admin/counties', '/admin/no/such/page', '/admin/..%2f', '/admin/%2e', '/admin/assets/x.js'])(
    'answers every method by anybody but an operator with 401 or 403: %s',
    async (path) => {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const answers = (['nobody', 'token', 'user'] as const).map((caller) => statusFor(caller, method, path));
        expect([method, ...(await Promise.all(answers))]).toEqual([method, 401, 401, 403]);
      }
    },
  );

  it('answers an operator with 404 where there is no page, and with 405 for what no page offers', async () => {
    for (const path of ['/admin/nowhere', '/admin/counties/25017/nowhere']) expect(await statusFor('admin', 'GET', path)).toBe(404);
    expect(await statusFor('admin', 'POST', '/admin/counties')).toBe(405);
  });

  it('is refused to browsers, too, at every path below', async () => {
    for (const path of ['/admin', '/admin/nowhere', '/admin/counties/99999', '/admin/counties/25017']) {
      const { status, text } = await rawRequest(app.url, 'GET', path, { headers: { accept: 'text/html' } });
      expect([path, status, /<title>(.*)</.exec(text)?.[1]]).toEqual([path, 401, 'Parcel Records']);
    }
  });

  it('says why it is refused, and is never cached', async () => {
    const refused = await app.get('/admin', { headers: headersOf.user });
    expect(refused.json.error).toBe('forbidden');
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect((await app.get('/admin')).json.error).toBe('unauthenticated');
  });

  it.each(words`
    //admin /Admin /ADMIN/ /admin%2f.. /%61dmin /x/../admin /./admin /admin;x /admin%00 /admin.html /console/../admin
    /console/..%2fadmin /\admin
  `)('cannot be reached by another spelling: %s', async (path) => {
    const { status, text } = await rawRequest(app.url, 'GET', path, { headers: headersOf.nobody });
    const isPublicPage = status === 200 && withoutNonce(text) === withoutNonce((await app.get('/console')).text);
    expect(isPublicPage || [400, 401, 404].includes(status)).toBe(true);
  });
});

const withoutNonce = (html: string) => html.replace(/[A-Za-z0-9+/]{22}==/g, 'nonce');

describe('a token that a server knows but its database has lost, since a standby took over that had not heard of it,', () => {
  const forget = `with gone as (delete from token_lookup where token_hash = sha256(convert_to($1, 'UTF8')) returning *),
                       token as (delete from api_token t using gone g where t.id = g.token_id)`;

  it.each([
    ['with its balance', `${forget} delete from credit_balance b using gone g where b.id = g.balance_id`],
    ['but its balance is there', `${forget} select from gone`],
  ])('is 401 invalid, even under a key and by HEAD: %s', async (_, loseIt) => {
    const token = await app.trialToken();
    const read = (method = 'GET', headers = {}) => app.call(method, '/api/parcels?limit=1', { token, headers });
    expect([(await read()).status, (await read('GET', { 'idempotency-key': 'k' })).status]).toEqual([200, 200]);
    await app.db.query(loseIt, [token]);
    const answers = [await read(), await read('GET', { 'idempotency-key': 'k' }), await app.get('/api/usage', { token })];
    for (const answer of answers) expect(await refusalOf(answer)).toBe('401 invalid');
    expect((await read('HEAD')).status).toBe(401);
  });
});
