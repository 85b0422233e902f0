import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { pruneReleases } from '../../src/releases/lifecycle/prune.js';
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
  await publishRecords(app.db, '25017', 40);
  await publishRecords(app.db, '25025', 30);
  await eventually('the server knows the releases', async () => (await app.get('/api/coverage')).json.totals.parcels === 70);
});
beforeEach(async () => {
  page = await openPage(browser, { baseURL: app.config.baseUrl });
});

/** Somebody whose trial has read so many records of two counties, long enough ago to be final. */
async function reader(middlesex: number, suffolk: number): Promise<Person> {
  const person = await app.signUp();
  const token = await person.trialToken();
  await app.get(`/api/parcels?county_fips=25017&limit=${middlesex}`, { token });
  await app.get(`/api/parcels?county_fips=25025&limit=${suffolk}`, { token });
  await app.db.moveClock('7 minutes');
  return person;
}

/** Clicks a link that saves a file; answers with its name and text. */
async function saved(format: string): Promise<[name: string, text: string]> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: format, exact: true }).click()]);
  return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
}

const table = () => page.getByRole('region', { name: 'Records', exact: true });
const numbersShown = () => table().getByRole('rowheader').allInnerTexts();

describe('the records that a customer paid for', () => {
  it('are listed page by page, found by number, address and county, and saved as a file of what is shown', async () => {
    await openAs(page, await reader(30, 3), '/console');
    await page.getByRole('link', { name: 'Records', exact: true }).click();
    await page.getByText('33 records', { exact: true }).waitFor();
    expect((await numbersShown()).length).toBe(25);
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
  });

  it('lead to the read that returned them, whose page saves its own', async () => {
    await openAs(page, await reader(4, 2), '/console/records?county=25025');
    await table().getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Ledger entry' }).waitFor();
    await page.getByRole('region', { name: 'Returned records' }).waitFor();
    const [name, text] = await saved('NDJSON');
    expect(name).toMatch(/^records-[\da-f-]{36}\.ndjson$/);
    expect(text.trimEnd().split('\n')).toHaveLength(2);
  });

  it('are reached from a day and from the period of a balance', async () => {
    await openAs(page, await reader(4, 2), '/console/usage');
    await page.getByRole('link', { name: 'Records of this period, trial balance' }).click();
    await page.getByText('6 records', { exact: true }).waitFor();
    await page.getByText(/^Exactly .* to /).waitFor();
    await page.goBack();
    await page.getByText('Show the numbers').first().click();
    await page.getByRole('region', { name: 'Records returned in numbers' }).getByRole('link').first().click();
    await page.getByText('6 records', { exact: true }).waitFor();
  });

  it('name what is not among them: what may still be reversed, older versions, and what is no longer kept', async () => {
    const person = await app.signUp();
    const token = await person.trialToken();
    const read = (fips: string, limit: number) => app.get(`/api/parcels?county_fips=${fips}&limit=${limit}`, { token });
    await publishRecords(app.db, '25001', 5);
    await eventually('the first county is served', async () => (await read('25001', 3)).json.parcels.length === 3);
    await openAs(page, person, '/console/records');
    await page.getByText(/^3 records of the last minutes will be here soon/).waitFor();
    await page.getByText('You have no records yet.').waitFor();

    const release = await publishRecords(app.db, '25001', 5);
    await eventually('the new release is served', async () => (await read('25001', 2)).json.parcels[0].release_id === release);
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
