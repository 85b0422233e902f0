import { webcrypto } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CRLDistributionPointsExtension, cryptoProvider, X509CertificateGenerator } from '@peculiar/x509';
import { Authenticator } from '../harness/authenticator.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
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
    SIGN_UPS_PER_MINUTE: '100000',
    LOG_LEVEL: 'info',
  });
  baseUrl = service.url.replace('127.0.0.1', 'localhost');
});

const errors = () => service.said.split('\n').filter((line) => line.includes('"level":50'));

describe('the calls of the service', () => {
  /** The attacker's server, which keeps what it is asked for. */
  async function openTrap(): Promise<{ url: string; heard: string[] }> {
    const heard: string[] = [];
    const trap = createServer((request, response) => {
      heard.push(request.url!);
      response.end();
    }).listen(0, '127.0.0.1');
    closeAtEnd(() => trap.close());
    await new Promise((resolve) => trap.once('listening', resolve));
    return { url: `http://127.0.0.1:${(trap.address() as AddressInfo).port}`, heard };
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
