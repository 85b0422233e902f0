import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import express, { type Response } from 'express';
import type { Logger } from 'pino';
import { cutUnread, RequestBounds } from '../../src/rest/bound-requests.js';
import { warnOfUndeclaredProxy } from '../../src/rest/undeclared-proxy.js';
import { listen, startApp, urlOf } from '../harness/app.js';
import { eventually } from '../harness/eventually.js';
import { rawRequest } from '../harness/raw-request.js';

/** A server that answers when it is told to, and what it has begun. */
async function patientServer(isProxied = false) {
  const begun: { path: string; response: Response; socket: Socket }[] = [];
  const app = express().set('trust proxy', isProxied ? 'loopback' : false);
  app.use(new RequestBounds(isProxied).middleware);
  app.use((request, response) => void begun.push({ path: request.path, response, socket: request.socket }));
  app.use(((error, _request, response, _next) =>
    response.status(error.code === 'unavailable' ? 503 : 500).end()) as express.ErrorRequestHandler);
  const server = await listen();
  server.on('request', app);
  return { begun, url: urlOf(server), server };
}

async function open(url: string, requests: string[]): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  socket.write(requests.join(''));
  return socket;
}
const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const paths = (count: number, from = 0): string[] => Array.from({ length: count }, (_, index) => `/${from + index}`);
const reached = (count: number, has: () => number) => eventually(`${count}`, async () => has() === count);

describe('requests that come on one connection without waiting for answers', () => {
  it('are worked on eight at a time, in their order, and all answered', async () => {
    const { begun, url } = await patientServer();
    const socket = await open(
      url,
      paths(40).map((path) => get(path)),
    );
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

  it('are forgotten when their caller goes', async () => {
    const { begun, url } = await patientServer();
    const callers = await Promise.all(
      Array.from({ length: 5 }, () =>
        open(
          url,
          paths(90).map((path) => get(path)),
        ),
      ),
    );
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
    const socket = await open(
      url,
      paths(500).map((path) => get(path)),
    );
    await once(socket.resume(), 'close');
  });
});

describe('requests that are under way from one address', () => {
  it('are a thousand at the most; then only probes of the server, and other addresses, are served', async () => {
    const { begun, url } = await patientServer(true);
    const from = (address: string) => `X-Forwarded-For: ${address}\r\n`;
    const sockets = await Promise.all(
      Array.from({ length: 125 }, (_, index) =>
        open(
          url,
          paths(8, index * 8).map((path) => get(path, from('203.0.113.7'))),
        ),
      ),
    );
    await reached(1_000, () => begun.length);
    const refused = await rawRequest(url, 'GET', '/one-more', { headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(refused.status).toBe(503);
    const others = [
      rawRequest(url, 'GET', '/health', { headers: { 'x-forwarded-for': '203.0.113.7' } }),
      rawRequest(url, 'GET', '/of-a-neighbour', { headers: { 'x-forwarded-for': '203.0.113.8' } }),
    ];
    await reached(1_002, () => begun.length);
    for (const { response } of begun) response.end();
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
    const again = rawRequest(url, 'GET', '/again', { headers: { 'x-forwarded-for': '203.0.113.7' } });
    await reached(1_003, () => begun.length);
    begun.at(-1)!.response.end();
    expect((await again).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});

describe('an answer that nobody reads', () => {
  it('is cut, and one that is still worked on is not', async () => {
    const { begun, url, server } = await patientServer();
    cutUnread(server, 200);
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
});

describe('a connection without requests', () => {
  it('is closed after the time to keep it alive', async () => {
    const { begun, url, server } = await patientServer();
    server.keepAliveTimeout = 100;
    cutUnread(server);
    const socket = await open(url, [get('/')]);
    await reached(1, () => begun.length);
    begun[0]!.response.end();
    await once(socket.resume(), 'close');
  });
});

describe('behind a proxy', () => {
  it('that nobody has declared, the log says so, once in a while', async () => {
    const said: string[] = [];
    const app = express().use(warnOfUndeclaredProxy({ error: (_: object, text: string) => said.push(text) } as unknown as Logger));
    const server = await listen();
    server.on('request', app);
    await rawRequest(urlOf(server), 'GET', '/');
    expect(said).toEqual([]);
    for (let times = 0; times < 3; times++) await rawRequest(urlOf(server), 'GET', '/', { headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(said).toEqual([expect.stringContaining('TRUST_PROXY')]);
  });
});

describe('the service', () => {
  it.each(['/ready', '/api/counties/25017'])('has these bounds for %s, also where the answer is in memory', async (path) => {
    const app = await startApp();
    await app.get(path);
    const socket = await open(
      app.url,
      paths(500).map(() => get(path)),
    );
    let answers = 0;
    socket.on('data', (part: Buffer) => (answers += part.toString().split('HTTP/1.1 200').length - 1));
    await once(socket, 'close');
    expect(answers).toBeLessThan(500);
  });
});
