import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { projectFile } from '../../src/core/project-files.js';
import { startApp, type TestApp } from '../harness/app.js';
import { Mailbox } from '../harness/mailbox.js';
import { Person } from '../harness/person.js';
import { rawRequest } from '../harness/raw-request.js';

// Every published advisory of better-auth (its GitHub advisories and CVEs, state of November 2026), each answered by a test: of
// the attack itself, or that the part it is about is not there. Those whose attack other tests make anyway are named in their titles:
// GHSA-p6v2 in test/rest/auth-limits, GHSA-x732 in test/rest/auth, GHSA-4vcf in test/rest/auth-passkeys, #9479 in test/rest/auth-mail,
// GHSA-2vg6 in accounts.

let app: TestApp;
let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await Mailbox.open();
  app = await startApp({ SMTP_URL: mailbox.url, TRUST_PROXY: 'loopback' });
});

let addresses = 0;
const stranger = (): Person => new Person(app.url, { 'x-forwarded-for': `198.18.${addresses++ % 250}.1` });
const somebody = () => Person.signUp(app.url, stranger().headers);
const userOf = async (visitor: Person) => (await visitor.get('/api/me')).json.user;

describe('advisories about parts of better-auth that are not used here', () => {
  it.each([
    ['GHSA-99h5-pjcv-gr6v / CVE-2025-61928: API keys of others; our tokens are our own', '/api-key/create'],
    [
      'GHSA-xg6x-h9c9-2m83: a session before the second factor; there is no second factor, and no session in a cookie',
      '/two-factor/verify-totp',
    ],
    ['GHSA-g38m-r43w-p2q7 / CVE-2026-53516: linking of unverified OAuth accounts', '/link-social'],
    ['GHSA-wxw3-q3m9-c3jr: OAuth state that does not match', '/sign-in/social'],
    ['CVE-2026-110862, CVE-2026-110864: forgery through the OAuth proxy', '/oauth-proxy-callback'],
    ['GHSA-qq9h-g4jm-xgf3: accounts prepared for a magic link', '/sign-in/magic-link'],
    ['GHSA-hc7v-rggr-4hvx, GHSA-hc7v-x88r-fmh4: magic links used twice', '/magic-link/verify'],
    ['GHSA-qq9h-g4jm-xgf3: accounts prepared for a one-time password', '/sign-in/email-otp'],
    ['GHSA-fmh4-wcc4-5jm3: invitations to organizations', '/organization/accept-invitation'],
    ['GHSA-h3rm-78g3-j7cp, GHSA-737v-mqg7-c878: the Stripe plugin; billing/ has its own', '/subscription/upgrade'],
    ['GHSA-cq3f-vc6p-68fh / CVE-2026-45337: approval of device codes', '/device/approve'],
    ['GHSA-pw9m-5jxm-xr6h: refresh tokens of the OIDC and MCP plugins', '/mcp/token'],
    ['GHSA-86j7-9j95-vpqj / CVE-2026-67333: redirects of the OIDC and MCP plugins', '/mcp/register'],
    ['GHSA-9h47-pqcx-hjr4 / CVE-2026-67336: defaults of the OIDC and MCP plugins', '/oauth2/authorize'],
    ['GHSA-392p-2q2v-4372 / CVE-2026-53517: refresh tokens of the OAuth provider', '/oauth2/token'],
    ['GHSA-xr8f-h2gw-9xh6 / CVE-2026-41427, GHSA-jmcv-4jfc-6qqj: clients of the OAuth provider', '/oauth2/create-client'],
    ['GHSA-7w99-5wm4-3g79, GHSA-p2fr-6hmx-4528: codes and resources of the OAuth provider', '/oauth2/consent'],
    ['GHSA-5rr4-8452-hf4v, GHSA-gv74-j8m3-fg5f, GHSA-phx7-w8x2-3xgf, GHSA-8c5h-wx78-2cfg: single sign-on', '/sso/register'],
    ['GHSA-j8v8-g9cx-5qf4, GHSA-2g28-66mv-wghh: SCIM', '/scim/generate-token'],
    ['sessions of others ended by forged cookies of the multi-session plugin', '/multi-session/revoke'],
    ['CVE-2026-121802: links of the Expo plugin', '/expo-authorization-proxy'],
    ["the admin plugin, and with it anybody's password and impersonation", '/admin/set-user-password'],
  ])('%s', async (_, path) => {
    const visitor = await somebody();
    expect((await visitor.post(`/api/auth${path}`)).status).toBe(404);
    expect((await visitor.get(`/api/auth${path}`)).status).toBe(404);
  });

  it('the only plugin is passkeys, and no session lies in a cookie', async () => {
    const source = readFileSync(projectFile('src/accounts/auth/better-auth.ts'), 'utf8');
    expect(source).not.toMatch(/from 'better-auth\/plugins/);
    expect((await somebody()).cookies.has('parcel.session_data')).toBe(false);
  });
});

describe('the versions with every fix', () => {
  it.each([
    ['better-auth', [1, 7, 16]],
    ['@better-auth/core', [1, 7, 16]],
    ['@better-auth/passkey', [1, 6, 11]],
  ])('%s is %p or later', (name, least) => {
    const fromBetterAuth = createRequire(createRequire(import.meta.url).resolve('better-auth'));
    const path = [...(fromBetterAuth.resolve.paths(name) ?? [])]
      .map((folder) => `${folder}/${name}/package.json`)
      .find((file) => {
        try {
          return readFileSync(file);
        } catch {
          return false;
        }
      });
    const installed = JSON.parse(readFileSync(path!, 'utf8')).version.split('.').map(Number);
    const [major, minor, patch] = least as [number, number, number];
    expect(installed[0] * 1e6 + installed[1] * 1e3 + installed[2]).toBeGreaterThanOrEqual(major * 1e6 + minor * 1e3 + patch);
  });
});

describe('GHSA-569q-mpph-wgww / CVE-2025-71401: the first request sets the base address', () => {
  it('whatever host a request names, routes stay and mailed links lead to BASE_URL', async () => {
    const fresh = await startApp({ SMTP_URL: mailbox.url });
    const visitor = new Person(fresh.url);
    const body = JSON.stringify({ name: 'A', email: visitor.email, password: visitor.password });
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'content-type': 'application/json',
    };
    expect((await rawRequest(fresh.url, 'POST', '/api/auth/sign-up/email', { headers, body })).status).toBe(200);
    expect((await mailbox.mailTo(visitor.email)).link.startsWith(`${fresh.config.baseUrl}/api/auth/`)).toBe(true);
    expect((await visitor.signIn()).status).toBe(200);
    await fresh.close();
  });
});

describe('GHSA-965c-763c-88jm: one kind of verification row taken for another', () => {
  it('a passkey challenge is no password reset, and a password reset no passkey challenge', async () => {
    const visitor = await somebody();
    await visitor.get('/api/auth/passkey/generate-register-options');
    const challenge = decodeURIComponent(visitor.cookies.get('parcel.passkey_challenge')!).split('.')[0]!;
    for (const token of [challenge, `../${challenge}`, '']) {
      const reply = await stranger().post('/api/auth/reset-password', { body: { token, newPassword: 'a better password' } });
      expect(reply.status).toBe(400);
    }
    expect((await visitor.copy().signIn()).status).toBe(200);
  });
});

describe('version 1.7.16: mailed links work for another account', () => {
  it('the link that verifies an address is worth nothing for who has that address later', async () => {
    const first = await somebody();
    const { link } = await mailbox.mailTo(first.email);
    await first.post('/api/auth/delete-user', { body: { password: first.password } });
    const second = first.elsewhere();
    await second.signUp();
    expect((await stranger().get(link)).headers.get('location')).toContain('error=');
    expect((await userOf(second)).email_verified).toBe(false);
  });
});

describe('GHSA-8jhw-6pjj-8723 / CVE-2024-56734 and its successors: open redirects', () => {
  const elsewhere = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/%5cevil.example',
    'javascript:alert(1)',
    'http:evil.example',
    'https:/evil.example',
    '/\t/evil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/%2e%2e//evil.example',
    '/a/..//evil.example',
  ];

  it.each(elsewhere)('no link leads to %p', async (page) => {
    const visitor = await somebody();
    const token = new URL((await mailbox.mailTo(visitor.email)).link).searchParams.get('token')!;
    for (const path of [
      `/api/auth/verify-email?token=${token}&callbackURL=`,
      '/api/auth/verify-email?token=none&callbackURL=',
      '/api/auth/reset-password/none?callbackURL=',
    ]) {
      const reply = await stranger().get(path + encodeURIComponent(page));
      const location = reply.headers.get('location');
      expect(location === null || new URL(location, app.config.baseUrl).origin === app.config.baseUrl).toBe(true);
    }
  });
});

describe('GHSA-7rqj-j65f-68wh (Auth.js, now of the same house): addresses that change when they are normalised', () => {
  it('two people never share one by Unicode', async () => {
    const visitor = await somebody();
    const lookalike = visitor.email.replace('example', 'exam\u200bple');
    expect((await stranger().post('/api/auth/sign-in/email', { body: { email: lookalike, password: visitor.password } })).status).not.toBe(
      200,
    );
  });
});
