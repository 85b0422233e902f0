import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { openBrowser, openPage } from '../harness/browser.js';

let app: TestApp;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser();
});
beforeEach(async () => {
  page = await openPage(browser, { baseURL: app.config.baseUrl });
});

it('a form of the account says in words that the server was not reached', async () => {
  await page.goto('/console/sign-in');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'The server could not be reached. Check your connection.' }).waitFor();
});
