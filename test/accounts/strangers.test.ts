import { spawn } from 'node:child_process';
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { CRLDistributionPointsExtension, cryptoProvider, X509CertificateGenerator } from '@peculiar/x509';
import fc from 'fast-check';
import { projectFile } from '../../src/core/project-files.js';
import { Authenticator } from '../harness/authenticator.js';
import type { Json } from '../harness/caller.js';
import { contract, fitsContract, resolved } from '../harness/contract.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { openServer } from '../harness/loopback-server.js';
import { Mailbox } from '../harness/mailbox.js';
import { Person } from '../harness/person.js';
import { ServiceProcess } from '../harness/process.js';

// What somebody without an account can do. The server is a process of its own that ends where it calls anything but its database and its
// mail server, though the attacker's server is on the same machine.

let db: TestDatabase;
let mailbox: Mailbox;
let service: ServiceProcess;
let baseUrl: string;
const portOf = (url: string) => new URL(url).port;

beforeAll(async () => {
  db = await createTestDatabase();
  mailbox = await Mailbox.open();
  service = await ServiceProcess.start({
    DATABASE_URL: db.url,
    AUTH_SECRET: 'a secret of the tests, long enough',
    SMTP_URL: mailbox.url,
    MAY_CALL_PORTS: [db.url, mailbox.url].map(portOf).join(),
    TRUST_PROXY: 'loopback',
    LOG_LEVEL: 'info',
  });
  baseUrl = service.url.replace('127.0.0.1', 'localhost');
});

const errors = () => service.said.split('\n').filter((line) => line.includes('"level":50'));

describe('the calls of the service', () => {
  /** The attacker's server, which keeps what it is asked for. */
  async function openTrap(): Promise<{ url: string; heard: string[] }> {
    const heard: string[] = [];
    const { origin } = await openServer((request, response) => {
      heard.push(request.url!);
      response.end();
    });
    return { url: origin, heard };
  }

  /** A certificate that tells where it may have been revoked. */
  async function certificateNaming(url: string): Promise<Buffer> {
    cryptoProvider.set(webcrypto);
    const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
    const extensions = [new CRLDistributionPointsExtension([url])];
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=attest.android.com',
      keys,
      signingAlgorithm,
      extensions,
    });
    return Buffer.from(certificate.rawData);
  }

  it.each(['apple', 'android-key', 'android-safetynet', 'packed', 'tpm', 'fido-u2f', 'none'])(
    'are not chosen by a passkey that attests itself by %s, which is refused unread',
    async (fmt) => {
      const trap = await openTrap();
      const certificate = await certificateNaming(`${trap.url}/crl`);
      const attStmt = new Map<string, unknown>([
        ['x5c', [certificate]],
        ['sig', Buffer.alloc(64)],
        ['alg', -7],
      ]);
      const visitor = await Person.signUp(service.url);
      const options = (await visitor.get('/api/auth/passkey/generate-register-options')).json;
      const response = new Authenticator(baseUrl).register(options, { attestation: { fmt, attStmt } });
      const answer = await visitor.post('/api/auth/passkey/verify-registration', { body: { response } });
      expect(trap.heard).toEqual([]);
      expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
      expect(answer.json.details).toMatchObject([{ parameter: 'response.response.attestationObject' }]);
      expect(errors()).toEqual([]);
    },
  );
});

describe('the watch over calls', () => {
  const watch = projectFile('test/harness/refuse-outside.cjs');
  const run = async (program: string, env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, ['--require', watch, '--input-type=module', '--eval', program], { env });
    const [code] = await once(child, 'exit');
    return code;
  };

  it.each([
    ['fetch', `await fetch('http://192.0.2.1/').catch(() => {})`],
    ['http', `(await import('node:http')).get('http://name.invalid/').on('error', () => {})`],
    ['TLS', `(await import('node:tls')).connect(443, '192.0.2.1').on('error', () => {})`],
    ['IPv6', `(await import('node:net')).connect(80, '2001:db8::1').on('error', () => {})`],
    ['a name server', `import { lookup } from 'node:dns/promises'; await lookup('name.invalid').catch(() => {})`],
    ['a name server of its own choice', `import { Resolver } from 'node:dns'; new Resolver().resolve4('name.invalid', () => {})`],
    ['UDP', `(await import('node:dgram')).createSocket('udp4').send('x', 53, '192.0.2.1', () => process.exit())`],
  ])('ends a process that calls another machine by %s', async (_, program) => {
    expect(await run(program)).toBe(70);
  });

  it('ends a process that calls a port of this machine that it may not, and no other', async () => {
    const call = `await fetch('${service.url}/health')`;
    expect(await run(call, { MAY_CALL_PORTS: portOf(db.url) })).toBe(70);
    expect(await run(call, { MAY_CALL_PORTS: portOf(service.url) })).toBe(0);
    expect(await run(call)).toBe(0);
  });
});

describe('a body under /api/auth', () => {
  let addresses = 0;
  /** Everybody from an address of their own, so that no limit answers instead. */
  const newcomer = () => ({ 'x-forwarded-for': `2001:db8:${(addresses++).toString(16)}::1` });
  let visitor: Person;
  let device: Authenticator;

  const operations = Object.keys(contract.paths)
    .filter((path) => path.startsWith('/api/auth/') && contract.paths[path]!.post)
    .map((path) => ({ path, ...contract.paths[path]!.post!.requestBody!.content['application/json'] }));

  const optionsFor = async (step: string): Promise<Json> =>
    (await visitor.get(`/api/auth/passkey/generate-${step}-options`, { headers: newcomer() })).json;

  /** Makes the body of an operation, from a device that has just been asked. */
  async function bodyFor(path: string, example: object): Promise<object> {
    if (path.endsWith('/verify-registration'))
      return { name: 'Laptop', response: new Authenticator(baseUrl).register(await optionsFor('register')) };
    if (path.endsWith('/verify-authentication')) return { response: device.signIn(await optionsFor('authenticate')) };
    return structuredClone(example);
  }

  async function becomeSomebody(): Promise<void> {
    visitor = await Person.signUp(service.url, newcomer());
    device = new Authenticator(baseUrl);
    const response = device.register(await optionsFor('register'));
    const { status } = await visitor.post('/api/auth/passkey/verify-registration', { body: { response }, headers: newcomer() });
    expect(status).toBe(200);
  }

  const deep = 'DEEP';
  const toText = (body: unknown) => JSON.stringify(body).replaceAll(`"${deep}"`, '['.repeat(6000) + ']'.repeat(6000));

  /** Sends a body, and holds what the service says of it against the contract: whether it is refused for its fields. */
  async function send({ path, schema }: { path: string; schema: object }, body: object): Promise<boolean> {
    const text = toText(body);
    const { status, json } = await visitor.post(path, { body: text, headers: newcomer() });
    // A body beyond 16 KB is refused before its fields are looked at.
    if (Buffer.byteLength(text) > 16 * 1024) {
      expect({ path, status }).toEqual({ path, status: 413 });
      return true;
    }
    const isRefused = status === 400 && json.error === 'invalid_request' && Array.isArray(json.details);
    // JSON may hold half of a character, which no text can.
    const isFit = fitsContract(schema, JSON.parse(text)) && !/\\ud[89a-f]/i.test(text);
    expect({ path, body, isRefused, isFault: status >= 500, library: json.code }).toEqual({
      path,
      body,
      isRefused: !isFit,
      isFault: false,
      library: json.code === 'VALIDATION_ERROR' ? 'never asked to check a type' : json.code,
    });
    if (status < 300 && !(await visitor.isSignedIn())) await becomeSomebody();
    return isRefused;
  }

  const oddTexts = [
    '',
    ' ',
    'a\0b',
    '\ud800',
    'a\udc00',
    '\u202e',
    '\u3164',
    'ä'.repeat(300),
    'a'.repeat(5000),
    'a@b',
    '/..//evil.example',
    '$ne',
    '=',
  ];
  const odd: unknown[] = [
    ...oddTexts,
    null,
    0,
    -1,
    1e308,
    true,
    [],
    ['a'],
    [[null]],
    {},
    { a: { b: 1 } },
    { toString: 1 },
    { length: 1 },
    deep,
  ];

  beforeAll(becomeSomebody);

  it.each(operations)(
    'of $path is refused for an odd value of any field as the contract says, and never a fault of ours',
    async (operation) => {
      const example = operation.example as object;
      let body = await bodyFor(operation.path, example);
      for (const field of fieldsOf(operation.schema)) {
        for (const value of [undefined, ...odd]) {
          const isRefused = await send(operation, withField(body, field, value));
          if (!isRefused) body = await bodyFor(operation.path, example); // a challenge is good for one answer
        }
      }
      for (const field of ['unknown', 'role', 'emailVerified', 'banned', 'credits', 'image', 'constructor', 'toString', '__proto__']) {
        await send(operation, withField(await bodyFor(operation.path, example), [field], { role: 'admin' }));
      }
      expect(errors()).toEqual([]);
    },
  );

  it('of a passkey that cannot be verified, or opens an account already, is no error of ours in the log', async () => {
    const junk = 'aGVsbG8';
    const verify = async (step: 'registration' | 'authentication', of: (answer: Json) => object) => {
      const path = `/api/auth/passkey/verify-${step}`;
      const { response } = (await bodyFor(path, {})) as Json;
      return (await visitor.post(path, { body: { response: of(response) }, headers: newcomer() })).status;
    };
    const within = (field: string, value: string) => (answer: Json) => ({ ...answer, response: { ...answer.response, [field]: value } });
    expect(await verify('registration', (answer) => answer)).toBe(200);
    expect(await verify('registration', within('clientDataJSON', junk))).toBe(400);
    expect(await verify('registration', (answer) => ({ ...answer, rawId: junk }))).toBe(400);
    for (const field of ['clientDataJSON', 'authenticatorData', 'signature'])
      expect([400, 401]).toContain(await verify('authentication', within(field, junk)));
    const again = { response: device.register(await optionsFor('register')) };
    expect((await visitor.post('/api/auth/passkey/verify-registration', { body: again, headers: newcomer() })).status).toBe(400);
    expect(service.said).toContain('better-auth: Failed to verify authentication');
    expect(errors()).toEqual([]);
  });

  it('of a passkey with a nest of lists for its key is refused', async () => {
    const answer = new Authenticator(baseUrl).register(await optionsFor('register'), { key: Buffer.alloc(2000, 0x81) });
    const { status } = await visitor.post('/api/auth/passkey/verify-registration', { body: { response: answer }, headers: newcomer() });
    expect(status).toBe(400);
    expect(errors()).toEqual([]);
  });

  it('is, whatever it is made of, refused as the contract says, and never a fault of ours', async () => {
    const anything = fc.oneof(fc.constantFrom(...odd), fc.jsonValue({ maxDepth: 4 }));
    const change = fc.tuple(fc.nat(), anything);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...operations), fc.array(change, { minLength: 1, maxLength: 4 }), async (operation, changes) => {
        const fields = [...fieldsOf(operation.schema), ['unknown']];
        const body = await bodyFor(operation.path, operation.example as object);
        await send(
          operation,
          changes.reduce((changed, [at, value]) => withField(changed, fields[at % fields.length]!, value), body),
        );
      }),
      { numRuns: 100 },
    );
    expect(errors()).toEqual([]);
  });
});

/** The paths of all fields that a body may have, those within others too. */
const fieldsOf = (schema: object): string[][] =>
  Object.entries(resolved(schema).properties ?? {}).flatMap(([name, field]) => [[name], ...fieldsOf(field).map((path) => [name, ...path])]);

function withField(body: unknown, [name, ...rest]: string[], value: unknown): object {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const within = fields.find(([field]) => field === name)?.[1];
  // Unlike an assignment this makes `__proto__` a field, too.
  return Object.fromEntries([
    ...fields.filter(([field]) => field !== name),
    [name, rest.length > 0 ? withField(within, rest, value) : value],
  ]);
}
