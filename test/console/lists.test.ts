import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { openBrowser, openPage, signIn } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';

let app: TestApp;
let browser: Browser;
let operator: Person;
let page: Page;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser();
  operator = await app.signUpOperator();
});
beforeEach(async () => {
  page = await openPage(browser, { baseURL: app.config.baseUrl });
});

describe('a field that searches a list', () => {
  it('shows what the address says, also after a link to the whole list and after Back', async () => {
    await signIn(page, operator, '/admin/accounts');
    const field = page.getByRole('searchbox', { name: 'Search' });
    await field.fill(operator.email);
    await page.waitForURL(/search=/);
    expect(await field.inputValue()).toBe(operator.email);
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    await page.waitForURL((url) => url.search === '');
    await eventually('the field is empty', async () => (await field.inputValue()) === '');
    await page.goBack();
    await eventually('the field is filled again', async () => (await field.inputValue()) === operator.email);
  });
});

describe('a list', () => {
  it('has nothing on a page that no list reaches', async () => {
    await signIn(page, operator, '/admin/accounts?page=99999999999999');
    await page.getByText('No account fits.').waitFor();
  });
});
