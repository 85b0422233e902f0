import type { Browser } from 'playwright-core';
import { createLog } from '../../src/core/log.js';
import { docPages } from '../../src/docs/doc-pages.js';
import { addJob } from '../../src/jobs/task.js';
import { loadSampleCounty } from '../../src/loader/sample-county.js';
import { setCountyStatus } from '../../src/releases/lifecycle/change-county.js';
import { startApp, type TestApp } from '../harness/app.js';
import { holdRequests, openBrowser, openPage } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { publishRecords } from '../harness/records.js';

const sample = '48301';
const middlesex = '25017';
let app: TestApp;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([startApp(), openBrowser()]);
  await loadSampleCounty(app.database, createLog(app.config));
});

const pages: [path: string, heading: string, detail: string][] = [
  ['/', 'US land parcels, metered to the record', 'Loving County'],
  ['/?state=TX', 'US land parcels, metered to the record', 'Zavala County'],
  ['/?state=tx&with=records', 'US land parcels, metered to the record', 'Loving County</a>'],
  ['/docs', 'Get started', 'API_TOKEN'],
  ['/docs/records', 'Records', 'situs_address'],
  ['/docs/authentication', 'Authentication', '/api/auth/sign-out'],
  [`/counties/${sample}`, 'Loving County, Texas', 'Fields of the sample record'],
  ['/verify', 'Check a bill', 'Check without this page'],
  ['/proofs', 'What is proved', 'Key of the checkpoints'],
  ['/console/sign-up', 'Create an account', 'At least 8 characters'],
  ['/console/sign-in', 'Sign in', 'Forgot your password?'],
  ['/console/forgot-password', 'Reset your password', 'Back to sign in'],
];

const forms = ['/console/sign-up', '/console/sign-in', '/console/forgot-password'];

/** The page as a program without scripts reads it. */
const htmlOf = async (path: string) => (await app.get(path, { headers: { accept: 'text/html' } })).text.replaceAll('<!-- -->', '');
const withoutScript = (html: string) => [...html.matchAll(/<noscript>(.*?)<\/noscript>/gs)].map(([, text]) => text);

describe('a public page', () => {
  it.each(pages)('of %s says all that it has to say without a script', async (path, heading, detail) => {
    const html = await htmlOf(path);
    expect([...html.matchAll(/<h1[^>]*>([^<]*)<\/h1>/g)].map(([, text]) => text)).toEqual([heading]);
    expect([html.includes(detail), html.includes('needs JavaScript for this page')]).toEqual([true, false]);
  });

  // The server does not know the colours, so the dark ones are where its page and the script's could differ.
  it.each([...pages.map(([path]) => ['dark', path] as const), ['light', '/'] as const])(
    'in %s colours keeps what the server wrote when its script runs: %s',
    async (colorScheme, path) => {
      const page = await openPage(browser, { baseURL: app.config.baseUrl, colorScheme, timezoneId: 'Asia/Tokyo' });
      const letScriptsGo = await holdRequests(page, '**/assets/index-*.js');
      await page.goto(path, { waitUntil: 'commit' });
      const heading = page.getByRole('heading', { level: 1 });
      await heading.evaluate((element) => element.setAttribute('data-of-server', ''));
      expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe(colorScheme);
      letScriptsGo();
      await page.locator('#root:not([data-answers])').waitFor();
      const other = colorScheme === 'dark' ? 'light' : 'dark';
      await page.getByRole('button', { name: `Use ${other} colours` }).click();
      await page.locator(`html[data-mantine-color-scheme=${other}]`).waitFor();
      expect(await heading.getAttribute('data-of-server')).toBe('');
    },
  );

  it('of /verify offers files that exist before its script runs', async () => {
    const html = await htmlOf('/verify');
    expect(withoutScript(html)).toEqual([expect.stringContaining('The check needs JavaScript.')]);
    for (const name of ['verify-ledger.js', 'check.mjs', 'ledger.md']) {
      const [, address] = new RegExp(`<a [^>]*href="([^"]*)"[^>]*>(?:<[^>]*>)*${name}`).exec(html)!;
      expect([name, (await app.get(address!)).status]).toEqual([name, 200]);
    }
  });

  it('of /proofs, to which /verify leads, shows the newest checkpoint of the log, however few counties change, and its key', async () => {
    expect(await htmlOf('/verify')).toContain('href="/proofs"');
    const { text: first } = await app.get('/ledger/checkpoint');
    const expectToShow = async (text: string) => expect(await htmlOf('/proofs')).toContain(text.trimEnd());
    await expectToShow(first);
    await expectToShow((await app.get('/ledger/key')).text);
    await app.trialToken(); // which is new in the ledger
    await addJob(app.database.pool, 'sign-checkpoint', {}, { key: 'sign-checkpoint', queue: 'sign-checkpoint' });
    await eventually('the server knows the next one', async () => (await app.get('/ledger/checkpoint')).text !== first);
    await expectToShow((await app.get('/ledger/checkpoint')).text);
  });

  it.each(forms)(
    'of %s says without a script that its form needs one, and its one button, which Enter would press, is off',
    async (path) => {
      const html = await htmlOf(path);
      expect(withoutScript(html)).toEqual([expect.stringContaining('This form needs JavaScript.')]);
      expect([...html.matchAll(/<button[^>]*type="submit"[^>]*>/g)].map(([button]) => button)).toEqual([
        expect.stringContaining('disabled=""'),
      ]);
    },
  );

  it('keeps what is typed into its form before its script runs, and can be sent then', async () => {
    const person = await app.signUp();
    const page = await openPage(browser, { baseURL: app.config.baseUrl });
    const letScriptsGo = await holdRequests(page, '**/assets/index-*.js');
    await page.goto('/console/sign-in?return=/console/usage', { waitUntil: 'commit' });
    await page.getByLabel('Email address').fill(person.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(person.password);
    await page.getByRole('textbox', { name: 'Password' }).press('Enter');
    letScriptsGo();
    await page.getByText('Sign in to continue where you left off.').waitFor();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/console/usage');
  });

  it.each(forms)('of %s is written alike for somebody who is signed in and for the next visitor', async (path) => {
    const person = await app.signUp();
    const htmlFor = async (headers: Record<string, string>) => {
      const { text } = await app.get(`${path}?return=/counties/${sample}`, { headers: { accept: 'text/html', ...headers } });
      return text.slice(text.indexOf('<div id="root"')).replaceAll(/nonce="[^"]*"/g, '');
    };
    const own = await htmlFor({ cookie: person.cookie });
    expect(own).toBe(await htmlFor({}));
    expect(own.includes(person.email) || own.includes(sample)).toBe(false);
  });

  it('of the docs links only to pages and parts of pages that exist', async () => {
    const html = new Map<string, string>();
    const read = async (path: string) => {
      if (!html.has(path)) {
        const { status, text } = await app.get(path, { headers: { accept: 'text/html' } });
        html.set(path, status === 200 ? text : '');
      }
      return html.get(path)!;
    };
    const faults: string[] = [];
    let links = 0;
    for (const { path } of docPages) {
      for (const [, link] of (await read(path)).matchAll(/<a [^>]*href="([/#][^"]*)"/g)) {
        const [target, id] = link!.startsWith('#') ? [path, link!.slice(1)] : link!.split('#');
        const found = await read(target!);
        links++;
        if (found === '' || (id && !found.includes(`id="${id}"`))) faults.push(`${path}: ${link}`);
      }
    }
    expect(links).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });

  it('shows a county’s new records to the next visitor', async () => {
    expect(await htmlOf('/')).toContain('300 invented records');
    await app.database.pool.query(`update county set parcel_count = 299 where fips = $1`, [sample]);
    await app.database.pool.query('update coverage_version set version = version + 1');
    await eventually('the page says so', async () => (await htmlOf('/')).includes('299 invented records'));
  });

  it('is made anew by its script, without a fault, if a county changes between it and its data', async () => {
    const page = await openPage(browser, { baseURL: app.config.baseUrl });
    const letDataCome = await holdRequests(page, '**/page-data/home');
    await page.goto('/', { waitUntil: 'commit' });
    await page.locator('#root[data-answers]').waitFor();
    await app.database.pool.query(`update county set parcel_count = 298 where fips = $1`, [sample]);
    await app.database.pool.query('update coverage_version set version = version + 1');
    await eventually('the server knows it', async () => JSON.stringify((await app.get('/page-data/home')).json).includes('298'));
    letDataCome();
    await page.getByText('298 invented records').waitFor();
  });

  it.each([
    ['/', 'Middlesex County, MA</a>: 7 records'],
    ['/?state=MA', 'data-label="Records">7</td>'],
    [`/counties/${middlesex}`, 'All 7 records'],
  ])('of %s is made anew for the visitor after a county is withdrawn, even if the page was being made meanwhile', async (path, offer) => {
    const isOffered = async () => (await htmlOf(path)).includes(offer);
    await publishRecords(app.db, middlesex, 7);
    let underWay: Promise<boolean> | undefined;
    await app.database.controlDataSource.transaction(async (manager) => {
      await manager.query('lock table county in access exclusive mode');
      underWay = isOffered();
      await eventually('the page waits for the county', async () => {
        const [waiting] = await app.db.query('select from pg_locks where not granted and relation = $1::regclass', ['county']);
        return waiting !== undefined;
      });
      await setCountyStatus(manager, middlesex, 'unavailable', null);
    });
    expect(await isOffered()).toBe(false);
    await underWay;
    expect(await isOffered()).toBe(false);
    await publishRecords(app.db, middlesex, 7);
    expect(await isOffered()).toBe(true);
  });
});
