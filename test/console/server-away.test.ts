import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { openAs, openBrowser, openPage } from '../harness/browser.js';
import { createTestDatabase } from '../harness/database.js';
import { StallingProxy } from '../harness/stalling-proxy.js';

let app: TestApp;
let browser: Browser;
let page: Page;
let wayToPostgres: StallingProxy;

beforeAll(async () => {
  wayToPostgres = await StallingProxy.open((await createTestDatabase()).url);
  app = await startApp({ DATABASE_URL: wayToPostgres.url });
  browser = await openBrowser();
});
beforeEach(async () => {
  page = await openPage(browser, { baseURL: app.config.baseUrl });
});
afterEach(() => wayToPostgres.mend());
afterAll(() => wayToPostgres.close());

describe('who signs out', () => {
  const away = { 'the database': () => wayToPostgres.cut(), 'the network': () => page.context().setOffline(true) };
  const back = { 'the database': () => wayToPostgres.mend(), 'the network': () => page.context().setOffline(false) };

  it.each(['the database', 'the network'] as const)('is told that they are still signed in while %s is away', async (what) => {
    await openAs(page, await app.signUp());
    await page.getByRole('heading', { name: 'Tokens', exact: true }).waitFor();
    await away[what]();
    await page.getByRole('button', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog', { name: 'You are still signed in' });
    await dialog.waitFor();
    expect(page.url()).toBe(`${app.config.baseUrl}/console`);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('alert').waitFor();
    await back[what]();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Get 50 free records' }).waitFor();
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

it('a form of the account says in words that the server was not reached', async () => {
  await page.goto('/console/sign-in');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'The server could not be reached. Check your connection.' }).waitFor();
});
