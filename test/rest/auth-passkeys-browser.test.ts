import { existsSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { openBrowser } from '../harness/browser.js';
import type { Answer } from '../harness/caller.js';

// The Chromium that comes by npm has no WebAuthn; where a whole one is installed, it shows what auth-passkeys.test.ts shows in Node.
const installed = [process.env.CHROME_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => path && existsSync(path));
const described = installed ? describe : describe.skip;

described('a passkey in a browser with a virtual authenticator', () => {
  let app: TestApp;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    process.env.CHROME_PATH = installed!;
    [app, browser] = await Promise.all([startApp(), openBrowser()]);
    page = await browser.newPage();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${app.config.baseUrl}/health`);
  });

  const call = (path: string, body?: object): Promise<Pick<Answer, 'status' | 'json'>> =>
    page.evaluate(
      async ([path, body]) => {
        const response = await fetch(path, {
          ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
        });
        return { status: response.status, json: await response.json() };
      },
      [path, body] as const,
    );
  /** The page's part: hands the service's options to the browser, and the device's answer back. */
  const ceremony = (step: 'create' | 'get', options: object): Promise<object> =>
    page.evaluate(
      `(async (options) => {
        const publicKey = PublicKeyCredential.${step === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'}(options);
        return (await navigator.credentials.${step}({ publicKey })).toJSON();
      })(${JSON.stringify(options)})`,
    );

  it('is registered, and signs in after a sign-out without a name or a password', async () => {
    const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
    expect((await call('/api/auth/sign-up/email', person)).status).toBe(200);
    const created = await ceremony('create', (await call('/api/auth/passkey/generate-register-options')).json);
    expect((await call('/api/auth/passkey/verify-registration', { response: created, name: 'This laptop' })).status).toBe(200);
    await call('/api/auth/sign-out', {});
    expect((await call('/api/me')).status).toBe(401);
    const presented = await ceremony('get', (await call('/api/auth/passkey/generate-authenticate-options')).json);
    expect((await call('/api/auth/passkey/verify-authentication', { response: presented })).status).toBe(200);
    expect((await call('/api/me')).json.user.email).toBe(person.email);
  });
});
