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

// Those whose tables have rows here.
const tablePages = [
  '/?state=MA',
  '/console',
  '/console/usage',
  '/admin/counties',
  '/admin/counties/25017',
  '/admin/accounts',
  '/admin/accounts/OPERATOR',
  '/admin/tokens',
  '/admin/ledger',
  '/admin/events',
  '/admin/jobs',
];

/** Long values in every table. */
async function fillTables(): Promise<void> {
  await app.db.query(
    `insert into stripe_event (id, type, created_at, state, attempts, error, payload)
     select 'evt_1SVxQ2KZ8v1w0LmN7bcdefg' || n, 'customer.subscription.pending_update_expired', service_now(), 'failed', 3,
            'the subscription of this event is of another account: sub_1SVxQ2KZ8v1w0LmN7bcdefgh', '{}' from generate_series(1, 3) n`,
  );
  await app.db.query(`select graphile_worker.add_job('prune-jobs', run_at => now() + '1 day') from generate_series(1, 3)`);
  await app.db.query(`update api_token set name = 'The nightly import of everything in Middlesex'`);
}

/** What is cut off in the tables of a page: cells and controls that can neither be seen nor scrolled to by what the page shows. */
const cutOff = (page: Page): Promise<string[]> =>
  page.locator('body').evaluate((body) => {
    const window = body.ownerDocument.defaultView!;
    const faults: string[] = [];
    for (const table of body.querySelectorAll('table')) {
      const box = table.closest('section')!;
      const frame = box.parentElement!;
      const edges = box.getBoundingClientRect();
      if (edges.width === 0) continue;
      if (edges.left < 0 || edges.right > window.innerWidth) faults.push(`${box.ariaLabel}: the box`);
      const isHinted = frame.dataset.more!.includes('right') && window.getComputedStyle(frame, '::before').boxShadow !== 'none';
      for (const cell of table.querySelectorAll('tbody :is(th, td)')) {
        const isActions = window.getComputedStyle(cell).position === 'sticky';
        const parts = [cell, ...cell.querySelectorAll('button, a')];
        for (const { left, right } of parts.map((part) => part.getBoundingClientRect())) {
          const isSeen = left >= edges.left - 1 && right <= edges.right + 1;
          if (!isSeen && (isActions || !isHinted)) faults.push(`${box.ariaLabel}: ${cell.textContent}`);
        }
      }
    }
    return faults;
  });

describe('tables', () => {
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    await fillTables();
    context = await openContext({ colorScheme: 'light', width: 1280 });
    page = await context.newPage();
  });
  afterAll(() => context.close());

  it.each(tablePages)('of %s show every column and action, or that there are more, on screens of every width', async (path) => {
    await open(page, path);
    await page.locator('table:visible').first().waitFor();
    for (const width of [360, 1024, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      // The page looks at its boxes only after the browser has laid them out.
      const isWhole = async () => (await cutOff(page)).length === 0;
      await eventually('nothing is cut off', isWhole).catch(async () => expect(await cutOff(page)).toEqual([`at ${width}: nothing`]));
    }
  });

  /** The titles of columns that are in view without scrolling. */
  const titlesInView = (label: string) =>
    page.getByRole('region', { name: label, exact: true }).evaluate((box) => {
      const { right } = box.getBoundingClientRect();
      return [...box.querySelectorAll('thead th')]
        .filter((th) => th.getBoundingClientRect().right <= right + 1)
        .map((th) => th.textContent);
    });

  it('of the operators’ ledger show what moved, what it cost and why, without scrolling, at 1280 pixels', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await open(page, '/admin/ledger');
    expect(await titlesInView('Entries')).toEqual(expect.arrayContaining(['Records', 'Credits', 'Overage', 'Left after', 'Reason']));
  });

  it('of tokens show all that can be done with one, at 1024 pixels', async () => {
    await page.setViewportSize({ width: 1024, height: 900 });
    await open(page, '/console');
    expect(await titlesInView('Tokens')).toEqual(['Name', 'State', 'Credits left', 'Expires', 'Last used', 'Actions']);
  });

  it('have columns to choose, and remember the choice', async () => {
    await open(page, '/admin/tokens');
    await page.getByText('Columns', { exact: true }).click();
    await page.getByRole('checkbox', { name: 'Plan' }).uncheck();
    await page.getByRole('columnheader', { name: 'Plan' }).waitFor({ state: 'detached' });
    await open(page, '/admin/tokens');
    await page.getByRole('columnheader', { name: 'State' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Plan' }).count()).toBe(0);
  });
});

describe('dialogs', () => {
  it.each(['light', 'dark'] as const)('of the token have no violation that axe finds, in %s colours', async (colorScheme) => {
    const context = await openContext({ colorScheme, width: 1280 });
    const page = await context.newPage();
    await open(page, '/console');
    await page.getByRole('button', { name: /^Revoke / }).click();
    await page.getByRole('dialog').waitFor();
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    await context.close();
  });
});
