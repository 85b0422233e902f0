import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { openBrowser } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { publishRecords } from '../harness/records.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

const visitorPages = ['/', '/?state=MA', '/docs', '/console/sign-in', '/console/sign-up', '/console/forgot-password'];
const linkPages = ['/console/reset-password', '/console/reset-password?token=x', '/console/verify-email', '/console/verify-email?error=x'];
const customerPages = [
  '/console',
  '/console/nowhere',
  '/console/usage',
  '/console/usage?by=token&days=90',
  '/console/billing',
  '/console/account',
];
const operatorPages = [
  '/admin',
  '/admin/counties',
  '/admin/counties/25017',
  '/admin/counties/25017/load',
  '/admin/loads',
  '/admin/accounts',
  '/admin/accounts/OPERATOR',
  '/admin/tokens',
  '/admin/ledger',
  '/admin/events',
  '/admin/jobs',
  '/admin/audit',
  '/admin/actions',
];
const pages = [...visitorPages, ...linkPages, ...customerPages, ...operatorPages];

let app: TestApp;
let browser: Browser;
let cookie: string;
let operatorId: string;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser();
  await publishRecords(app.db, '25017', 30);
  await eventually('the server knows the release', async () => (await app.get('/api/coverage')).json.totals.parcels === 30);
  const operator = await app.signUp();
  cookie = operator.cookie;
  const { json } = await app.post('/api/tokens/trial', { cookie });
  await app.get('/api/parcels?limit=5', { token: json.raw_token });
  const rows = await app.db.query<{ id: string }>(`update auth."user" set role = 'admin' where email = $1 returning id`, [operator.email]);
  operatorId = rows[0]!.id;
});

/** axe is put into the page from outside, which our own policy would refuse; the policy is watched by the other tests. */
async function openContext(options: { colorScheme: 'light' | 'dark'; width: number }): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: app.config.baseUrl,
    bypassCSP: true,
    colorScheme: options.colorScheme,
    reducedMotion: 'reduce',
    viewport: { width: options.width, height: 900 },
  });
  await context.addCookies(
    cookie.split('; ').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return { name, value: value.join('='), url: app.config.baseUrl };
    }),
  );
  return context;
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path.replace('OPERATOR', operatorId));
  await page.locator('h1').waitFor();
  await page.waitForFunction(`!document.querySelector('[aria-busy=true], .mantine-Skeleton-root')`);
}

describe.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
] as const)('in $colorScheme colours, $width pixels wide', ({ colorScheme, width }) => {
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    context = await openContext({ colorScheme, width });
    page = await context.newPage();
  });
  afterAll(() => context.close());

  it.each(pages)('%s has no violation that axe finds, a title of its own, and does not scroll sideways', async (path) => {
    await open(page, path);
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await page.title()).toContain('Parcel Records');
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBeLessThanOrEqual(0);
  });
});

describe('2560 pixels wide', () => {
  it.each(['/', '/console', '/admin'])('%s does not scroll sideways', async (path) => {
    const context = await openContext({ colorScheme: 'light', width: 2560 });
    const page = await context.newPage();
    await open(page, path);
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBeLessThanOrEqual(0);
    await context.close();
  });
});

describe('dialogs', () => {
  it.each(['light', 'dark'] as const)('of the token have no violation that axe finds, in %s colours', async (colorScheme) => {
    const context = await openContext({ colorScheme, width: 1280 });
    const page = await context.newPage();
    await open(page, '/console');
    await page.getByRole('button', { name: 'Revoke Trial' }).click();
    await page.getByRole('dialog').waitFor();
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    await context.close();
  });
});
