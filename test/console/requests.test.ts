import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { openAs, openBrowser, openPage } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';

let app: TestApp;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser();
  await publishRecords(app.db, '25017', 30);
  await eventually('the server knows the release', async () => (await app.get('/api/coverage')).json.totals.parcels === 30);
});
beforeEach(async () => {
  page = await openPage(browser, { baseURL: app.config.baseUrl });
});

const rows = () => page.getByRole('region', { name: 'List of requests' }).getByRole('row');

/** Somebody whose program misspelt a parameter, then read two records, then asked for a path that does not exist. */
async function newCustomer(): Promise<{ person: Person; token: string; readId: string }> {
  const person = await app.signUp();
  const token = await person.trialToken();
  await app.get('/api/parcels?limt=5', { token });
  const { headers } = await app.get('/api/parcels?county_fips=25017&limit=2', { token });
  await app.get('/api/parcel', { token });
  await eventually('the calls are recorded', async () => {
    const { requests } = await person.ask('{ requests(limit: 3) { requests { id } } }');
    return requests.requests.length === 3;
  });
  return { person, token, readId: headers.get('x-request-id')! };
}

describe('a customer whose program gets errors', () => {
  it('sees each call, why some were refused and what to do, and the ledger entry of the one that was served', async () => {
    const { person } = await newCustomer();
    await openAs(page, person, '/console/requests');
    const errors = page.getByRole('list', { name: 'Errors and what to do about them' }).getByRole('listitem');
    await errors.first().waitFor();
    expect((await errors.allInnerTexts()).toSorted()).toEqual([
      expect.stringMatching(/^invalid_request\s+1 request\s+A parameter .* Correct what/s),
      expect.stringMatching(/^not_found\s+1 request\s+.*Check the path/s),
    ]);
    const results = rows().locator('td:first-of-type');
    expect(await results.allInnerTexts()).toEqual(['404 not_found', '200', '400 invalid_request']);
    await rows()
      .filter({ hasText: 'limit=2' })
      .getByRole('link', { name: /^Ledger entry/ })
      .click();
    await page.getByRole('heading', { name: 'Ledger entry' }).waitFor();
  });

  it('filters by result, county and request id, in the address, and steps back', async () => {
    const { person, readId } = await newCustomer();
    await openAs(page, person, '/console/requests');
    await page.getByRole('list', { name: 'Errors and what to do about them' }).getByRole('link', { name: '1 request' }).first().click();
    await page.waitForURL(/result=(invalid_request|not_found)/);
    await eventually('one call is listed', async () => (await rows().count()) === 2);
    await page.goBack();
    await eventually('all are listed', async () => (await rows().count()) === 4);
    await page.getByRole('combobox', { name: 'Result' }).selectOption('Served');
    await page.getByLabel('County (FIPS)').fill('25017');
    await page.waitForURL(/county=25017/);
    await eventually('the call for the county is listed', async () => (await rows().count()) === 2);
    await page.getByLabel('County (FIPS)').fill('250');
    await page.getByText('A FIPS code has five digits.').waitFor();
    await page.goto(`/console/requests?request=${readId}`);
    await rows().filter({ hasText: 'limit=2' }).waitFor();
    expect(await rows().count()).toBe(2);
    await page.goto(`/console/requests?request=${person.id}`);
    await page.getByText('A request ID looks like').waitFor();
  });

  it('sees a new call after a refresh', async () => {
    const { person, token } = await newCustomer();
    await openAs(page, person, '/console/requests');
    await rows().first().waitFor();
    await app.get('/api/usage', { token });
    await eventually('the new call is listed', async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return (await rows().filter({ hasText: '/api/usage' }).count()) === 1;
    });
  });

  it('is told of calls that were only counted', async () => {
    const { person } = await newCustomer();
    await app.db.query('update request_count set calls = calls + 7 where account_id = $1 and status = 404', [person.id]);
    await openAs(page, person, '/console/requests');
    await page.getByText('7 requests were not recorded one by one').waitFor();
  });

  it('who has made no call reads so', async () => {
    await openAs(page, await app.signUp(), '/console/requests');
    await page.getByText('No requests in the last 30 days.').waitFor();
  });
});

it('an operator sees the requests of an account on its page, with the entries as operators see them', async () => {
  const { person } = await newCustomer();
  await openAs(page, await app.signUpOperator(), `/admin/accounts/${person.id}`);
  const link = rows()
    .filter({ hasText: 'limit=2' })
    .getByRole('link', { name: /^Ledger entry/ });
  expect(await link.getAttribute('href')).toMatch(/^\/admin\/ledger\//);
  await page.getByRole('combobox', { name: 'Result' }).selectOption('Refused');
  await eventually('the refused ones are listed', async () => (await rows().count()) === 3);
});

describe('the first page of the console', () => {
  it('says what is left, which calls came last, and why some of the last day were refused, by one query', async () => {
    const { person } = await newCustomer();
    const queries: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) queries.push(request.postDataJSON().operationName);
    });
    await openAs(page, person);
    await page.getByText('48 of 50 included records left').waitFor();
    expect(new Set(queries)).toEqual(new Set(['Overview']));
    const latest = page.getByRole('region', { name: 'List of latest requests' }).getByRole('row');
    expect(await latest.filter({ hasText: '/api/' }).count()).toBe(3);
    await page.getByRole('region', { name: 'Errors in the last 24 hours' }).getByText('Check the path and the id.').waitFor();
    await page.getByRole('link', { name: '1 request' }).first().click();
    await page.waitForURL(/\/console\/requests\?result=/);
    await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor();
  });

  it('has no error of the day before, and the first call where there is none yet', async () => {
    const { person } = await newCustomer();
    await app.db.query(`update request_count set hour = hour - interval '26 hours' where account_id = $1`, [person.id]);
    await openAs(page, person);
    await page.getByRole('region', { name: 'Errors in the last 24 hours' }).getByText('None.').waitFor();
    const other = await app.signUp();
    await other.trialToken();
    await page.context().clearCookies();
    await openAs(page, other);
    await page.getByText('Waiting for your call').waitFor();
    await page.getByText('First steps').click();
    await page.getByRole('region', { name: 'Latest requests', exact: true }).getByRole('tabpanel').first().waitFor();
  });
});
