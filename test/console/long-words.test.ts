import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { openAs, openBrowser, openPage } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';

let app: TestApp;
let browser: Browser;
let person: Person;
let page: Page;
let entryId: string;

const tokenName = 'W'.repeat(80);

// The longest that are accepted: an address of 254 characters, and a name of 200 that is one word.
beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser();
  await publishRecords(app.db, '25017', 5);
  person = Object.assign(new Person(app.url), { name: 'W'.repeat(200) });
  person.email = `${'w'.repeat(64)}@${['m', 'm', 'm'].map((letter) => letter.repeat(59)).join('.')}.com`;
  await person.signUp();
  const { raw_token, token: first } = (await person.post('/api/tokens/trial')).json;
  await person.read(raw_token, 1);
  await person.post(`/api/tokens/${first.id}/revoke`);
  const token = await person.trialToken();
  await app.db.query(`update auth."user" set role = 'admin' where id = $1`, [person.id]);
  entryId = (await app.get('/api/parcels?limit=1', { token })).json.metering.ledger_entry_id;
  await app.db.query('update api_token set name = $1 where account_id = $2', [tokenName, person.id]);
});

/** At the width of a phone and of a laptop. It waits, since the navigation takes a moment to give way. */
async function expectNoExcess(): Promise<void> {
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const fits = () => page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
    await eventually(`everything is within ${width} px`, fits);
  }
}

describe('no page is wider than the window for a long word', () => {
  beforeEach(async () => {
    page = await openPage(browser, { baseURL: app.config.baseUrl });
  });

  it.each([
    '/console',
    '/console/account',
    '/admin/accounts',
    '/admin/accounts/ID',
    '/admin/ledger',
    '/admin/ledger/ENTRY',
    '/admin/tokens',
  ])('in an address or a name: %s', async (path) => {
    await openAs(page, person, path.replace('ID', person.id).replace('ENTRY', entryId));
    await page.getByText(person.email).filter({ visible: true }).first().waitFor();
    await expectNoExcess();
  });

  it.each([
    ['/console/tokens', 'table'],
    ['/console/requests', 'table'],
    ['/console/usage?by=token', 'figure'],
    ['/console/usage/entries/ENTRY', 'dl'],
  ])('in the name of a token: %s', async (path, place) => {
    await openAs(page, person, path.replace('ENTRY', entryId));
    await page.locator(place).filter({ hasText: tokenName }).first().waitFor();
    await expectNoExcess();
  });

  it('in the title of a dialog', async () => {
    await openAs(page, person, '/console/tokens');
    await page.setViewportSize({ width: 320, height: 900 });
    await page.getByRole('button', { name: /^Revoke W/ }).click();
    const [title, dialog] = [page.getByRole('dialog').getByRole('heading'), page.getByRole('dialog')];
    const [inner, outer] = [(await title.boundingBox())!, (await dialog.boundingBox())!];
    expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
    expect(await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  it('in the columns of a file', async () => {
    const file = join(app.config.dataDir, 'columns.geojson');
    const properties = { APN: '1', ['COLUMN'.repeat(50)]: 'x'.repeat(300), OWNER: 'Y'.repeat(300) };
    const ring = [0, 1, 2, 3].map((n) => [-103.5 + (n === 1 || n === 2 ? 0.01 : 0), 31.8 + (n > 1 ? 0.01 : 0)]);
    const geometry = { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
    await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', properties, geometry }] }));
    await openAs(page, person, '/admin/counties/48301/load');
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Upload' }).first().click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('combobox', { name: 'Column of owner_name', exact: true }).waitFor();
    await expectNoExcess();
  });
});

it('a chart stays where it is under the pointer, however much it says of a day', async () => {
  page = await openPage(browser, { baseURL: app.config.baseUrl });
  await openAs(page, person, '/console/usage?by=token');
  const bars = page.locator('figure [aria-hidden=true]');
  const before = (await bars.boundingBox())!;
  await page.mouse.move(before.x + before.width - 5, before.y + before.height / 2);
  await page.locator('figcaption').filter({ hasText: tokenName }).waitFor();
  expect(await bars.boundingBox()).toEqual(before);
});
