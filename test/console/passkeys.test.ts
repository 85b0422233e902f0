import { existsSync } from 'node:fs';
import { startApp, type TestApp } from '../harness/app.js';
import { holdRequests, openAs, openPages, page } from '../harness/browser.js';
import type { Answer } from '../harness/caller.js';
import { onlyWith } from '../harness/only-with.js';

// The Chromium that comes by npm has no WebAuthn: this needs a whole one.
const installed = [process.env.CHROME_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => path && existsSync(path));

onlyWith(installed !== undefined, 'no Chromium with WebAuthn').describe('a passkey in a browser with a virtual authenticator', () => {
  let app: TestApp;
  beforeAll(async () => {
    process.env.CHROME_PATH = installed!;
    app = await startApp();
  });
  openPages(() => app.config.baseUrl);
  beforeEach(async () => {
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
  });

  it('is added, renamed, signs in without a password, and is removed in the console', async () => {
    await openAs(page, await app.signUp(), '/console/account');

    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: /^Rename Passkey/ }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Office laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Office laptop', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('link', { name: 'Get 50 free records' }).waitFor();

    await page.goto('/console/sign-in?return=/console/account');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Remove Office laptop' }).click();
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('No passkeys yet.').waitFor();
  });

  it('deletes the account in its dialog in the console, which nothing calls off any more once that is under way', async () => {
    const person = await app.signUp();
    await openAs(page, person, '/console/account');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: /^Rename Passkey/ }).waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog');
    const byPasskey = dialog.getByRole('button', { name: /passkey/ });
    expect(await byPasskey.locator('.mantine-Button-label').evaluate((words) => words.scrollWidth - words.clientWidth)).toBe(0);
    const letItGo = await holdRequests(page, '**/delete-user');
    const asked = page.waitForRequest('**/delete-user');
    await byPasskey.click();
    await asked;
    for (const name of ['Cancel', 'Close']) expect(await dialog.getByRole('button', { name }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    letItGo();
    await page.getByText('Your account was deleted.').waitFor();
    expect((await person.signIn()).status).toBe(401);
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

  it('is registered over REST, and signs in after a sign-out without a name or a password', async () => {
    await page.goto('/health');
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
