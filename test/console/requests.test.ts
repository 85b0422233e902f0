import { readFile } from 'node:fs/promises';
import { pruneReleases } from '../../src/releases/lifecycle/prune.js';
import { startApp, type TestApp } from '../harness/app.js';
import { openAs, openPages, page } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await publishRecords(app.db, '25017', 40);
  await publishRecords(app.db, '25025', 30);
});
openPages(() => app.config.baseUrl);

const rows = () => page.getByRole('region', { name: 'List of requests' }).getByRole('row');

/** Somebody whose program misspelt a parameter, then read two records, then asked for a path that does not exist. */
async function newCustomer(): Promise<{ person: Person; token: string; readId: string }> {
  const { person, token } = await app.signUpWithTrial();
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
  it('sees each call, why some were refused and what to do, finds one by filters in the address, and the entry of the one that was served', async () => {
    const { person, token, readId } = await newCustomer();
    await openAs(page, person, '/console/requests');
    const errors = page.getByRole('list', { name: 'Errors and what to do about them' }).getByRole('listitem');
    await errors.first().waitFor();
    expect((await errors.allInnerTexts()).toSorted()).toEqual([
      expect.stringMatching(/^invalid_request\s+1 request\s+A parameter .* Correct what/s),
      expect.stringMatching(/^not_found\s+1 request\s+.*Check the path/s),
    ]);
    const results = rows().locator('td:first-of-type');
    expect(await results.allInnerTexts()).toEqual(['404 not_found', '200', '400 invalid_request']);

    await errors.getByRole('link', { name: '1 request' }).first().click();
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
    await page.goto(`/console/requests?request=${person.id}`);
    await page.getByText('A request ID looks like').waitFor();

    await app.get('/api/usage', { token });
    await app.db.query('update request_count set calls = calls + 7 where account_id = $1 and status = 404', [person.id]);
    await page.goto('/console/requests');
    await eventually('the new call is listed', async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return (await rows().filter({ hasText: '/api/usage' }).count()) === 1;
    });
    await page.getByText('7 requests were not recorded one by one').waitFor();

    await page.goto(`/console/requests?request=${readId}`);
    await eventually('the read is listed', async () => (await rows().count()) === 2);
    await rows()
      .filter({ hasText: 'limit=2' })
      .getByRole('link', { name: /^Ledger entry/ })
      .click();
    await page.getByRole('heading', { name: 'Ledger entry' }).waitFor();
  });
});

it('an operator sees the requests of an account on its page, with the entries as operators see them', async () => {
  const { person } = await newCustomer();
  await openAs(page, await app.signUpOperator(), `/admin/accounts/${person.id}?part=requests`);
  const link = rows()
    .filter({ hasText: 'limit=2' })
    .getByRole('link', { name: /^Ledger entry/ });
  expect(await link.getAttribute('href')).toMatch(/^\/admin\/ledger\//);
  await page.getByRole('combobox', { name: 'Result' }).selectOption('Refused');
  await eventually('the refused ones are listed', async () => (await rows().count()) === 3);
});

describe('the first page of the console', () => {
  it('says what is left, which calls came last, and why some of the last day alone were refused, by one query', async () => {
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

    await app.db.query(`update request_count set hour = hour - interval '26 hours' where account_id = $1`, [person.id]);
    await page.goto('/console');
    await page.getByRole('region', { name: 'Errors in the last 24 hours' }).getByText('None.').waitFor();
  });
});

/** Clicks a link that saves a file; answers with its name and text. */
async function saved(format: string): Promise<[name: string, text: string]> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: format, exact: true }).click()]);
  return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
}

const table = () => page.getByRole('region', { name: 'Records', exact: true });
const numbersShown = () => table().getByRole('rowheader').allInnerTexts();

describe('the records that a customer paid for', () => {
  it('are listed page by page, found by number, county, day and period, saved as files of what is shown, and lead to their read', async () => {
    const { person, token } = await app.signUpWithTrial();
    for (const read of ['county_fips=25017&limit=30', 'county_fips=25025&limit=3']) await app.get(`/api/parcels?${read}`, { token });
    await app.db.moveClock('7 minutes'); // until they are final
    await openAs(page, person, '/console');
    await page.getByRole('link', { name: 'Records', exact: true }).click();
    await page.getByText('33 records', { exact: true }).waitFor();
    await table().getByRole('rowheader').nth(24).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('rowheader', { name: 'APN-30' }).waitFor();
    expect(await numbersShown()).toEqual(['APN-26', 'APN-27', 'APN-28', 'APN-29', 'APN-30', 'APN-1', 'APN-2', 'APN-3']);
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByRole('rowheader', { name: 'APN-25' }).waitFor();

    await page.getByRole('searchbox', { name: 'Find' }).fill('apn 2');
    await page.getByText('33 of 33 records searched for this page').waitFor();
    const found = await numbersShown();
    expect([found.length, found.every((number) => number.startsWith('APN-2'))]).toEqual([12, true]);
    await page.getByRole('combobox', { name: 'County' }).selectOption({ label: 'Suffolk County, MA' });
    await page.getByText('3 of 3 records searched for this page').waitFor();
    expect(await numbersShown()).toEqual(['APN-2']);
    expect(page.url()).toContain('county=25025');

    const [name, csv] = await saved('CSV');
    expect([name, csv.split('\r\n').length]).toEqual(['records-25025.csv', 3]);
    const [, ndjson] = await saved('NDJSON');
    expect(JSON.parse(ndjson)).toMatchObject({ apn: 'APN-2', county_fips: '25025' });
    const [, geojson] = await saved('GeoJSON');
    expect(JSON.parse(geojson).features).toHaveLength(1);

    await page.getByRole('searchbox', { name: 'Find' }).fill('nowhere at all');
    await page.getByText('No matching records.').waitFor();

    await page.goto('/console/usage');
    await page.getByRole('link', { name: 'Records of this period, trial balance' }).click();
    await page.getByText('33 records', { exact: true }).waitFor();
    await page.getByText(/^Exactly .* to /).waitFor();
    await page.goBack();
    await page.getByText('Show the numbers').first().click();
    await page.getByRole('region', { name: 'Records returned in numbers' }).getByRole('link').first().click();
    await page.getByText('33 records', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'County' }).selectOption({ label: 'Suffolk County, MA' });
    await page.getByText('3 records', { exact: true }).waitFor();
    await table().getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Ledger entry' }).waitFor();
    await page.getByRole('region', { name: 'Returned records' }).waitFor();
    const [nameOfEntry, ofEntry] = await saved('NDJSON');
    expect(nameOfEntry).toMatch(/^records-[\da-f-]{36}\.ndjson$/);
    expect(ofEntry.trimEnd().split('\n')).toHaveLength(3);
  });

  it('name what is not among them: what may still be reversed, older versions, and what is no longer kept', async () => {
    const { person, token } = await app.signUpWithTrial();
    const read = (fips: string, limit: number) => app.get(`/api/parcels?county_fips=${fips}&limit=${limit}`, { token });
    await publishRecords(app.db, '25001', 5);
    await read('25001', 3);
    await openAs(page, person, '/console/records');
    await page.getByRole('heading', { name: 'Settling: 3 records' }).waitFor();
    const settling = page.getByRole('region', { name: 'Settling reads' });
    await settling
      .getByRole('row', { name: /25001 3$/ })
      .getByRole('link')
      .click();
    await page.getByRole('region', { name: 'Returned records' }).waitFor();
    await page.goBack();
    // Its page has shown them, so they are final.
    await page.getByText('3 records', { exact: true }).waitFor();

    const release = await publishRecords(app.db, '25001', 5);
    expect((await read('25001', 2)).json.parcels[0].release_id).toBe(release);
    await app.db.moveClock('7 minutes');
    await page.reload();
    await page.getByText('3 records', { exact: true }).waitFor();
    await page.getByText('2 older versions of parcels in this list are left out.').waitFor();
    await page.getByRole('button', { name: 'Show all versions' }).click();
    await page.getByText('5 records', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show newest only' }).click();
    await page.getByText('3 records', { exact: true }).waitFor();

    await app.db.moveClock('8 days');
    await pruneReleases(app.database.controlPool);
    await page.reload();
    const gone = page.getByRole('note').filter({ hasText: '3 records no longer available' });
    await gone.getByText(/^Barnstable County, MA: 3 records of release/).waitFor();
    await page.getByText('2 records', { exact: true }).waitFor();
  });
});
