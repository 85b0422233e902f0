import { createHash, webcrypto } from 'node:crypto';
import dns from 'node:dns';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import * as x509 from '@peculiar/x509';
import { pino } from 'pino';
import {
  checkSource,
  type FetchedSource,
  type FetchOptions,
  fetchSource,
  type SourceState,
} from '../../../src/loader/sources/fetching/county-source.js';
import { isPublicAddress, lookupPublic } from '../../../src/loader/sources/fetching/public-address.js';
import { closeAtEnd } from '../../harness/closing.js';
import { eventually } from '../../harness/eventually.js';
import { openServer } from '../../harness/loopback-server.js';
import { temporaryFolder } from '../../harness/temporary-folder.js';

const csv = Buffer.from(`APN,OWNER\n${Array.from({ length: 20_000 }, (_, i) => `P-${i},OWNER ${i}`).join('\n')}\n`);
const changed = 'Sat, 14 Mar 2026 15:00:00 GMT';

let origin: string;
let host: string;
let folder: string;
let options: FetchOptions;
let number = 0;
/** The server's answer; each test sets it. */
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
const asked: IncomingMessage[] = [];

beforeAll(async () => {
  ({ origin, host } = await openServer((request, response) => {
    asked.push(request);
    answer(request, response);
  }));
  folder = await temporaryFolder();
});

beforeEach(() => {
  asked.length = 0;
  number++;
  answer = serve();
  options = { log: pino({ level: 'silent' }), allowedPrivateHosts: [host], requestsPerSecond: 100_000, limits: { backoffMs: 1, tries: 3 } };
});

const directory = (): string => join(folder, String(number));

const download = (url = `${origin}/data/parcels.csv`, more: Partial<FetchOptions> = {}): Promise<FetchedSource> =>
  fetchSource({ url, protocol: 'http' }, directory(), { ...options, ...more });

const check = (url = `${origin}/data/parcels.csv`): Promise<SourceState> => checkSource({ url, protocol: 'http' }, options);

/** Serves a file as usual servers do. @param sent how many bytes come before the connection breaks */
function serve({ file = csv, headers = {}, ranges = true, sent = Number.POSITIVE_INFINITY } = {}) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const [, start] = /^bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
    const all: Record<string, string> = { etag: '"1"', 'last-modified': changed, ...headers };
    const isSame = [undefined, all.etag, all['last-modified']].includes(request.headers['if-range'] as string | undefined);
    const from = ranges && isSame && start ? Number(start) : 0;
    const status = ranges && isSame && start ? 206 : 200;
    const range = status === 206 ? { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` } : {};
    response.writeHead(status, { ...all, ...range, 'content-length': file.length - from });
    if (from + sent >= file.length) response.end(file.subarray(from));
    else response.write(file.subarray(from, from + sent), () => response.socket?.end()); // all that was sent arrives
  };
}

/** The first answer, and then the other one. */
function once(first: typeof answer, then: typeof answer): typeof answer {
  let isFirst = true;
  return (request, response) => {
    const given = isFirst ? first : then;
    isFirst = false;
    return given(request, response);
  };
}

describe('a file at an address', () => {
  it('is downloaded with its name, date, tag and hash, and nothing else is left', async () => {
    const fetched = await download();
    expect(fetched).toEqual({
      path: join(directory(), 'parcels.csv'),
      ...{ records: null, bytes: csv.length, sha256: createHash('sha256').update(csv).digest('hex') },
      ...{ sourceDate: '2026-03-14', etag: '"1"', notes: [] },
    });
    expect(await readFile(fetched.path)).toEqual(csv);
    expect(await readdir(directory())).toEqual(['parcels.csv']);
    expect(asked.map(({ headers }) => [headers.cookie, headers.authorization])).toEqual([[undefined, undefined]]);
  });

  it.each([
    ['attachment; filename="Tax Parcels.zip"', 'Tax Parcels.zip'],
    ["attachment; filename=old.zip; filename*=UTF-8''Pe%C3%B1asco.csv", 'Peñasco.csv'],
    ['attachment; filename=parcels.csv; size=3', 'parcels.csv'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="..\\\\..\\\\.download.part"', 'download.part'],
    ['attachment; filename=".."', 'download'],
    ['inline', 'parcels.csv'],
  ])('is named as %s says, always within its directory', async (disposition, name) => {
    answer = serve({ headers: { 'content-disposition': disposition } });
    expect((await download()).path).toBe(join(directory(), name));
  });

  it.each<[string, object, boolean]>([
    ['a tag', {}, true],
    ['only a date', { etag: 'W/"1"' }, true],
    ['a tag, but no ranges', {}, false],
    ['neither tag nor date', { etag: 'W/"1"', 'last-modified': '' }, true],
  ])('is whole after breaks if the server has %s', async (_, headers, ranges) => {
    let breaks = 2;
    answer = (request, response) => serve({ headers, ranges, sent: breaks-- > 0 ? 100_000 : csv.length })(request, response);
    expect(await readFile((await download()).path)).toEqual(csv);
    expect(asked).toHaveLength(3);
  });

  it('is continued after any number of breaks while each brings something, however short the patience is', async () => {
    const large = Buffer.concat(Array(8).fill(csv));
    answer = serve({ file: large, sent: large.length / 8 });
    const limits = { tries: 3, backoffMs: 1, waitMs: 3 };
    expect(await readFile((await download(undefined, { limits })).path)).toEqual(large);
    expect(asked.length).toBeGreaterThanOrEqual(8);
  });

  it('is given up if it comes in drops for longer than a download may take', async () => {
    answer = (request, response) => serve({ sent: 10 })(request, response);
    await expect(download(undefined, { limits: { ...options.limits, downloadMs: 200 } })).rejects.toMatchObject({ code: 'unavailable' });
  });

  /** A download that stopped after 100,000 bytes. */
  async function stopMidway(headers = {}): Promise<void> {
    const stop = new AbortController();
    answer = (_, response) =>
      response.writeHead(200, { etag: '"1"', ...headers, 'content-length': csv.length }).write(csv.subarray(0, 100_000));
    const stopped = download(undefined, { signal: stop.signal });
    const part = join(directory(), '.download.part');
    await eventually('the part is stored', async () => existsSync(part) && (await stat(part)).size === 100_000);
    stop.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
  }

  it('is continued by the next fetch after a stop', async () => {
    await stopMidway();
    answer = serve();
    expect(await readFile((await download()).path)).toEqual(csv);
    expect(asked.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=100000-']);
  });

  it('is continued by its date if its tag is weak', async () => {
    const headers = { etag: 'W/"1"', 'last-modified': changed };
    await stopMidway(headers);
    answer = serve({ headers });
    expect(await readFile((await download()).path)).toEqual(csv);
    expect([asked[1]!.headers.range, asked[1]!.headers['if-range']]).toEqual(['bytes=100000-', changed]);
  });

  it('is not continued by the download of another address', async () => {
    await stopMidway();
    answer = serve();
    expect(await readFile((await download(`${origin}/data/roll.csv`)).path)).toEqual(csv);
    expect(asked.at(-1)!.headers.range).toBeUndefined();
  });

  const partOf = (range: string, body: Buffer | string) => (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(206, { 'content-range': `bytes ${range}` }).end(body);
  const all = `${csv.length - 1}/${csv.length}`;
  const newer = Buffer.from(csv.toString().replaceAll('OWNER', 'TENANT'));

  // What the server does first after a download that stopped at 100,000 bytes, the range of the last request, and the file.
  it.each<[string, typeof answer, string | undefined, Buffer]>([
    ['more comes than the file has', partOf(`100000-${all}`, Buffer.concat([csv.subarray(100_000), Buffer.from('more')])), undefined, csv],
    ['it changed meanwhile', serve({ file: newer, headers: { etag: '"2"' } }), 'bytes=100000-', newer],
    ['another range comes than was asked for', partOf(`0-${all}`, csv), undefined, csv],
    ['a part ends too early without a word', partOf(`100000-${all}`, csv.subarray(100_000, 150_000)), 'bytes=150000-', csv],
  ])('is whole if %s', async (_, first, lastRange, file) => {
    await stopMidway();
    answer = once(first, file === newer ? first : serve());
    expect(await readFile((await download()).path)).toEqual(file);
    expect(asked.at(-1)!.headers.range).toBe(lastRange);
  });

  it('is whole if a range comes that nobody asked for', async () => {
    answer = serve({ sent: 100_000, headers: { etag: '', 'last-modified': '' } });
    await expect(download(undefined, { limits: { tries: 1 } })).rejects.toMatchObject({ code: 'unavailable' });
    answer = once(partOf('0-9/*', 'APN,OWNER\n'), serve());
    expect(await readFile((await download()).path)).toEqual(csv);
  });

  it('is not continued if it comes packed: the server counts packed bytes', async () => {
    let breaks = 1;
    answer = (request, response) => {
      const headers = { 'content-encoding': 'gzip' };
      serve({ file: gzipSync(csv), headers, sent: breaks-- > 0 ? 20_000 : csv.length })(request, response);
    };
    expect(await readFile((await download()).path)).toEqual(csv);
    expect(asked.map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
  });

  it('is waited for while the server says that it prepares it', async () => {
    let waits = 2;
    answer = (request, response) => (waits-- > 0 ? response.writeHead(202).end('{"status":"Pending"}') : serve()(request, response));
    expect(await readFile((await download()).path)).toEqual(csv);
  });

  it('is unpacked if the server packs it although it was asked not to', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(csv));
    expect(await readFile((await download()).path)).toEqual(csv);
  });

  it.each<[string, string | Buffer, RegExp]>([
    ['a web page', '<!doctype html><title>Sign in</title><p>Please', /a web page \(HTML\): “Sign in”/],
    ['an error message', '{"error":{"code":400}}', /a server's error message/],
    ['nothing', '', /an empty file/],
  ])('is told as such if it is %s', async (_, body, sentence) => {
    answer = serve({ file: Buffer.from(body) });
    await expect(download()).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(sentence) });
    expect(await readdir(directory())).toEqual([]);
    expect(await check()).toMatchObject({ answers: false, problem: expect.stringMatching(sentence) });
  });

  it('is checked by its start alone', async () => {
    expect(await check()).toEqual({
      ...{ answers: true, problem: null, records: null, changedAt: '2026-03-14', name: 'parcels.csv', bytes: csv.length },
    });
    answer = serve({ ranges: false });
    expect(await check()).toMatchObject({ answers: true, bytes: csv.length });
    answer = (_, response) => response.writeHead(404).end();
    expect(await check()).toMatchObject({ answers: false, problem: expect.stringContaining('404') });
  });
});

describe('a redirect', () => {
  const redirects = (location: string, times = 1) => {
    let left = times;
    answer = (request, response) => (left-- > 0 ? response.writeHead(302, { location }).end() : serve()(request, response));
  };

  it('is followed, and the file named by where it leads', async () => {
    redirects('/elsewhere/roll.csv');
    expect((await download()).path).toBe(join(directory(), 'roll.csv'));
  });

  it('is followed five times, not six', async () => {
    redirects('/again.csv', 5);
    expect(await readFile((await download()).path)).toEqual(csv);
    redirects('/again.csv', 6);
    await expect(download()).rejects.toThrow(/redirects more than 5 times/);
  });

  it.each([
    ['http://127.0.0.1:1/parcels.csv', /127\.0\.0\.1 is at a private address/],
    ['http://169.254.169.254/latest/meta-data/', /169\.254\.169\.254 is at a private address/],
    ['http://2130706433/', /127\.0\.0\.1 is at a private address/],
    ['http://0x7f.1/', /127\.0\.0\.1 is at a private address/],
    ['http://[::ffff:10.0.0.1]/', /::ffff:a00:1 is at a private address/],
    ['http://[::127.0.0.1]/', /::7f00:1 is at a private address/],
    ['http://localhost:1/', /localhost is at a private address/],
    ['file:///etc/passwd', /must start with http/],
    ['ftp://example.com/parcels.zip', /must start with http/],
    ['http://me:secret@example.com/', /no user name or password/],
  ])('to %s is refused without a call', async (location, sentence) => {
    redirects(location);
    await expect(download()).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(sentence) });
    expect(asked).toHaveLength(1);
  });
});

describe('an address', () => {
  it.each(['8.8.8.8', '2600:1f18::1'])('such as %s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each(
    (
      '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.168.1.1 192.0.2.1 198.18.0.1 224.0.0.1 240.0.0.1 ' +
      '255.255.255.255 :: ::1 ::127.0.0.1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1 fc00::1 fd00:ec2::254 ' +
      'fe80::1 fe80::1%eth0 fec0::1 ff02::1 2002:7f00:1:: 2001::1 2001:db8::1 x'
    ).split(' '),
  )('such as %s is not', (address) => expect(isPublicAddress(address)).toBe(false));

  it('that is private is called only if SOURCE_PRIVATE_HOSTS names its host and port', async () => {
    for (const allowedPrivateHosts of [[], ['127.0.0.1:1'], [`localhost:${host.split(':')[1]}`]]) {
      await expect(download(undefined, { allowedPrivateHosts })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('SOURCE_PRIVATE_HOSTS'),
      });
    }
    expect(asked).toEqual([]);
  });

  it('is checked at each answer of the name server, each of it, and no other is connected to', async () => {
    const answers = [['93.184.216.34'], ['93.184.216.34', '10.0.0.1'], ['127.0.0.1'], ['::1'], []];
    const lookup = jest.spyOn(dns, 'lookup').mockImplementation(((
      _: string,
      __: object,
      done: (error: null, addresses: object[]) => void,
    ) =>
      done(
        null,
        answers.shift()!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as never);
    const ask = () =>
      new Promise((resolve) => lookupPublic('rebinds.localhost', { all: true }, (error, found) => resolve(error?.message ?? found)));
    expect(await ask()).toEqual([{ address: '93.184.216.34', family: 4 }]);
    for (let i = 0; i < 4; i++) expect(await ask()).toMatch(/rebinds\.localhost is at a private address/);
    answers.push(['127.0.0.1']);
    await expect(download('http://rebinds.localhost:1/parcels.csv')).rejects.toThrow(/rebinds\.localhost is at a private address/);
    expect(lookup).toHaveBeenCalledTimes(6);
    lookup.mockRestore();
  });

  it('with a user name or password is refused', async () => {
    await expect(download(origin.replace('//', '//me:secret@'))).rejects.toThrow(/no user name or password/);
  });
});

describe('a server with https', () => {
  let secure: SecureServer;
  beforeAll(async () => {
    secure = await openSecureServer();
  });

  const downloadFrom = (path: string): Promise<FetchedSource> =>
    download(`https://${secure.host}${path}`, { allowedPrivateHosts: [secure.host, host] });

  /** Has sockets trust it, as they trust the certificates that come with Node. */
  function trust(): void {
    const create = tls.createSecureContext;
    jest.spyOn(tls, 'createSecureContext').mockImplementation((settings) => create({ ...settings, ca: secure.certificate }));
  }

  it('whose certificate can not be verified is never read, whatever the environment says', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    await expect(downloadFrom('/parcels.csv')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining("can't be verified"),
    });
    expect(asked).toEqual([]);
  });

  it('is read if its certificate is verified, but does not lead to one without', async () => {
    trust();
    expect(await readFile((await downloadFrom('/parcels.csv')).path)).toEqual(csv);
    answer = (_, response) => response.writeHead(302, { location: `${origin}/parcels.csv` }).end();
    await expect(downloadFrom('/parcels.csv')).rejects.toThrow(/redirects from https to http/);
    jest.mocked(tls.createSecureContext).mockRestore();
  });
});

interface SecureServer {
  host: string;
  certificate: string;
}

/** With a certificate of its own. */
async function openSecureServer(): Promise<SecureServer> {
  x509.cryptoProvider.set(webcrypto as never);
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const extensions = [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])];
  const signed = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=127.0.0.1',
    keys: keys as never,
    signingAlgorithm: algorithm,
    extensions,
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const pem = `-----BEGIN PRIVATE KEY-----\n${key.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
  const certificate = signed.toString('pem');
  const server = createServer({ key: pem, cert: certificate }, (request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAtEnd(() => new Promise((resolve) => server.close(resolve)));
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, certificate };
}
