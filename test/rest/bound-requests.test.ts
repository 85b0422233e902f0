import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import express, { type Response } from 'express';
import type { Logger } from 'pino';
import { addressOf, networkOf } from '../../src/core/client-address.js';
import { closeUnreadConnections, RequestBounds } from '../../src/rest/connections/bound-requests.js';
import { Share } from '../../src/rest/connections/share.js';
import { warnOfUndeclaredProxy } from '../../src/rest/connections/undeclared-proxy.js';
import { listen, startApp, type TestApp, urlOf } from '../harness/app.js';
import { eventually } from '../harness/eventually.js';
import { rawRequest } from '../harness/raw-request.js';

/** A server that answers when it is told to, and what it has begun. */
async function patientServer(isProxied = false) {
  const begun: { path: string; response: Response; socket: Socket }[] = [];
  const app = express().set('trust proxy', isProxied ? 'loopback' : false);
  const bounds = new RequestBounds(isProxied, { accountOfToken: () => undefined, sessionOf: ({ headers }) => headers.cookie });
  app.use(bounds.begin);
  app.use((request, response) => void begun.push({ path: request.path, response, socket: request.socket }));
  app.use(((error, _request, response, _next) =>
    response.status(error.code === 'unavailable' ? 503 : 500).end()) as express.ErrorRequestHandler);
  const server = await listen();
  bounds.boundConnections(server);
  server.on('request', app);
  return { begun, url: urlOf(server), server };
}

async function open(url: string, requests: string[], localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress }).on('error', () => {});
  await once(socket, 'connect');
  socket.write(requests.join(''));
  return socket;
}
const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const paths = (count: number): string[] => Array.from({ length: count }, (_, index) => `/${index}`);
const from = (address: string) => ({ 'x-forwarded-for': address });
/** Opens a connection and asks this often on it at once. */
const askOften = (url: string, times: number, address = '203.0.113.7') =>
  open(
    url,
    paths(times).map((path) => get(path, `X-Forwarded-For: ${address}\r\n`)),
  );
const reached = (count: number, has: () => number) => eventually(`${count}`, async () => has() === count);

describe('requests that come on one connection without waiting for answers', () => {
  it('are handled eight at a time, in their order, and all answered', async () => {
    const { begun, url } = await patientServer();
    const socket = await askOften(url, 40);
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    for (let answered = 0; answered < 40; answered += 8) {
      await reached(answered + 8, () => begun.length);
      for (const { path, response } of begun.slice(answered)) response.end(`[${path}]`);
    }
    await eventually('all are answered', async () => text.includes('[/39]'));
    expect([...text.matchAll(/\[(.*)\]/g)].map(([, path]) => path)).toEqual(paths(40));
    socket.destroy();
  });

  it('are dropped when their caller leaves', async () => {
    const { begun, url } = await patientServer();
    const callers = await Promise.all(Array.from({ length: 5 }, () => askOften(url, 90)));
    await reached(5 * 8, () => begun.length);
    const left = [...new Set(begun.map(({ socket }) => socket))].map((socket) => once(socket, 'close'));
    for (const caller of callers) caller.destroy();
    await Promise.all(left);
    for (const { response } of begun) response.end();
    const later = rawRequest(url, 'GET', '/later');
    await eventually('somebody else is served', async () => begun.some(({ path }) => path === '/later'));
    begun.at(-1)!.response.end();
    await later;
    expect(begun).toHaveLength(5 * 8 + 1);
  });

  it('are cut when hundreds wait', async () => {
    const { url } = await patientServer();
    const socket = await askOften(url, 500);
    await once(socket.resume(), 'close');
  });
});

it('limits an address to a thousand requests under way; beyond them only probes of the server and other addresses are served', async () => {
  const { begun, url } = await patientServer(true);
  const sockets = await Promise.all(Array.from({ length: 125 }, () => askOften(url, 8)));
  await reached(1_000, () => begun.length);
  const refused = await rawRequest(url, 'GET', '/one-more', { headers: from('203.0.113.7') });
  expect(refused.status).toBe(503);
  const others = [
    rawRequest(url, 'GET', '/health', { headers: from('203.0.113.7') }),
    rawRequest(url, 'GET', '/of-a-neighbour', { headers: from('203.0.113.8') }),
  ];
  await reached(1_002, () => begun.length);
  for (const { response } of begun) response.end();
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
  const again = rawRequest(url, 'GET', '/again', { headers: from('203.0.113.7') });
  await reached(1_003, () => begun.length);
  begun.at(-1)!.response.end();
  expect((await again).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

describe('requests that are under way from several addresses', () => {
  it('are at most 4,000, of which a newcomer still gets an equal share', async () => {
    const { begun, url } = await patientServer(true);
    const sockets = await Promise.all(Array.from({ length: 500 }, (_, index) => askOften(url, 8, `203.0.113.${index % 4}`)));
    await reached(4_000, () => begun.length);
    const later = rawRequest(url, 'GET', '/later', { headers: from('2001:db8::1') });
    await reached(4_001, () => begun.length);
    const refused = await rawRequest(url, 'GET', '/', { headers: from('203.0.113.1') });
    expect(refused.status).toBe(503);
    const signedIn = rawRequest(url, 'GET', '/signed-in', { headers: { ...from('203.0.113.1'), cookie: 'ada' } });
    await reached(4_002, () => begun.length);
    for (const { response } of begun) response.end();
    expect([await later, await signedIn].map(({ status }) => status)).toEqual([200, 200]);
    for (const socket of sockets) socket.destroy();
  });

  it('count for one address when they come from one IPv6 /48, which may send eight times as many', () => {
    const share = new Share(10, 1_000);
    const count = (network: number) => {
      const address = addressOf({ ip: `2001:db8:${network}:${ends.length}::1` });
      return share.hasRoomFor(address) && ends.push(share.count(address));
    };
    const ends: (() => void)[] = [];
    for (let times = 0; times < 80; times++) expect(count(7)).toBeTruthy();
    expect(count(7)).toBe(false);
    expect(count(8)).toBeTruthy();
    ends[0]!();
    expect(count(7)).toBeTruthy();
  });

  it.each([
    ['2001:db8:1:2:3::4', '2001:db8:1::/48'],
    ['2001:db8:0:2::', '2001:db8::/48'],
    ['2001:db8::1', '2001:db8::/48'],
    ['2001::', '2001::/48'],
    ['::1', '::/48'],
    ['2001:db8:a0:1::', '2001:db8:a0::/48'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['nonsense', 'unknown'],
  ])('are counted from %s as from %s', (ip, network) => {
    expect(networkOf(addressOf({ ip }))).toBe(network);
  });
});

it('limits an address to two thousand connections; beyond them only other addresses are served', async () => {
  const { begun, url, server } = await patientServer();
  let accepted = 0;
  server.on('connection', () => accepted++);
  const sockets: Socket[] = [];
  // As many at once as the kernel lets wait.
  while (sockets.length < 2_000) {
    sockets.push(...(await Promise.all(Array.from({ length: 250 }, () => open(url, [])))));
    await reached(sockets.length, () => accepted);
  }
  const refused = connect(Number(new URL(url).port), '127.0.0.1')
    .on('error', () => {})
    .resume();
  await once(refused, 'close');
  const other = await open(url, [get('/other')], '127.0.0.2');
  await reached(1, () => begun.length);
  for (const socket of [other, ...sockets]) socket.destroy();
});

it('cuts off an answer that nobody reads, but none that is still being made', async () => {
  const { begun, url, server } = await patientServer();
  closeUnreadConnections(server, 200);
  const [reader, idler] = await Promise.all(['/slow', '/large'].map((path) => open(url, [get(path)])));
  await reached(2, () => begun.length);
  const unread = begun.find(({ path }) => path === '/large')!.response;
  const cut = once(unread.socket!, 'close');
  unread.end(Buffer.alloc(64 * 1024 * 1024));
  await cut;
  begun.find(({ path }) => path === '/slow')!.response.end('done');
  const [answer] = (await once(reader!, 'data')) as [Buffer];
  expect(answer.toString()).toContain('done');
  for (const socket of [reader!, idler!]) socket.destroy();
});

it('closes a connection without requests after its keep-alive time', async () => {
  const { begun, url, server } = await patientServer();
  server.keepAliveTimeout = 100;
  closeUnreadConnections(server);
  const socket = await open(url, [get('/')]);
  await reached(1, () => begun.length);
  begun[0]!.response.end();
  await once(socket.resume(), 'close');
});

it('logs once in a while that a proxy was not declared', async () => {
  const said: string[] = [];
  const app = express().use(warnOfUndeclaredProxy({ error: (_: object, text: string) => said.push(text) } as unknown as Logger));
  const server = await listen();
  server.on('request', app);
  await rawRequest(urlOf(server), 'GET', '/');
  expect(said).toEqual([]);
  for (let times = 0; times < 3; times++) await rawRequest(urlOf(server), 'GET', '/', { headers: from('203.0.113.7') });
  expect(said).toEqual([expect.stringContaining('TRUST_PROXY')]);
});

describe('the service', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ TRUST_PROXY: 'loopback' });
  });

  it('limits bodies that are still coming to a hundred per address; requests without a body, with a token or with a session are still served', async () => {
    const person = await app.signUp();
    const token = await person.trialToken();
    expect((await app.get('/api/usage', { token })).status).toBe(200);
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const head =
      'POST /api/auth/sign-in/email HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\n' +
      'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{';
    const sockets = await Promise.all(Array.from({ length: 100 }, () => open(app.url, [head])));
    const signIn = (from = headers) => app.post('/api/auth/sign-in/email', { headers: from, body: {} });
    await eventually('the address is full', async () => (await signIn()).status === 503);
    expect((await signIn({ 'x-forwarded-for': '203.0.113.8' })).status).toBe(400);
    expect((await app.get('/api/coverage', { headers })).status).toBe(200);
    expect((await app.get('/console', { headers })).status).toBe(200);
    expect((await app.post('/graphql', { headers, cookie: person.cookie, body: { query: '{ me { id } }' } })).status).toBe(200);
    expect((await app.post('/graphql', { headers, cookie: person.cookie.replace(/\.[^.]*$/, '.x'), body: {} })).status).toBe(503);
    expect((await app.get('/api/usage', { headers, token })).status).toBe(200);
    expect((await app.call('PUT', '/api/usage', { headers, token, body: {} })).status).toBe(405);
    const answered = Promise.all(sockets.map((socket) => once(socket, 'data')));
    for (const socket of sockets) socket.write('}');
    await answered;
    expect((await signIn()).status).toBe(400);
    for (const socket of sockets) socket.destroy();
  });

  it.each(['/ready', '/api/counties/25017'])('applies these limits to %s, even if the answer is in memory', async (path) => {
    await app.get(path);
    const socket = await open(app.url, [get(path).repeat(500)]);
    let answers = 0;
    socket.on('data', (part: Buffer) => (answers += part.toString().split('HTTP/1.1 200').length - 1));
    await once(socket, 'close');
    expect(answers).toBeLessThan(500);
  });
});
