import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';
import { createLog } from '../../src/core/log.js';
import { projectFile } from '../../src/core/project-files.js';
import { loadCounty } from '../../src/loader/load-county.js';
import { loadSampleCounty } from '../../src/loader/sample-county.js';
import { operatorPages, pages as otherPages } from '../../src/rest/pages/page-head.js';
import { startApp, type TestApp } from '../harness/app.js';
import { bringSession, holdRequests, openBrowser, waitForScript } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import { cutMap } from '../harness/parcel-maps.js';
import { Person } from '../harness/person.js';
import { collection, feature, scratch, square } from '../loader/files.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every page that the server answers, of everything that there is here. */
const everyPage = [...otherPages, ...operatorPages].map((path) =>
  path
    .replace('{/}', '')
    .replace(':fips', '25017')
    .replace(/(entries|ledger)\/:id/, '$1/ENTRY')
    .replace('releases/:id', 'releases/RELEASE')
    .replace('accounts/:id', 'accounts/OPERATOR'),
);
const pages = [
  ...everyPage,
  '/?state=MA',
  '/?county=25017',
  '/counties/25001', // without records
  '/counties/48301', // a sample
  '/console/reset-password?token=works',
  '/console/verify-email?token=works',
  '/console/verify-email?error=x',
  '/console/nowhere',
  '/console/usage?by=county&days=90',
  '/console/find?county=25017&search=APN-3',
  '/console/requests?county=1', // refused
  '/console/tokens?page=9', // empty
  '/admin/accounts?search=nobody',
  '/admin/accounts/nobody',
  '/admin/accounts/OPERATOR?part=tokens',
];

const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 320 },
] as const;

const watchShifts = `
  globalThis.shifts = [];
  globalThis.shiftObserver = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
  shiftObserver.observe({ type: 'layout-shift', buffered: true });
`;
const sumOfShifts = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
  shifts.push(...shiftObserver.takeRecords());
  resolve(shifts.reduce((sum, { value }) => sum + value, 0));
})))`;

let app: TestApp;
let browser: Browser;
let page: Page;
let operatorId: string;
let entryId: string;
let releaseId: number;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser();
  await loadSampleCounty(app.database, createLog(app.config));
  await load(Array(30).fill(1000));
  await cutMap(app, '25017');
  const operator = await signUpInOneWord();
  operatorId = operator.id;
  const token = await operator.trialToken();
  entryId = (await app.get('/api/parcels?limit=5', { token })).json.metering.ledger_entry_id;
  await app.db.query(`update auth."user" set role = 'admin' where id = $1`, [operatorId]);
  await app.db.query(`update api_token set name = $1`, [tokenName]);
  await app.db.query(`select adjust_balance(id, -1, 'The assessor withdrew the record after it was read.', $1, null) from credit_balance`, [
    operatorId,
  ]);
  await app.get('/api/parcels?limit=1', { token: await app.paidToken(operatorId, longName) });
  releaseId = await load(Array(10).fill(900_000));
  await mailLinks(await app.signUp());
  await app.db.query(`insert into admin_action (actor, action, target) values ('command line', 'roll county back', '25017')`);
  await fillTables();
  const context = await browser.newContext({ baseURL: app.config.baseUrl, bypassCSP: true, reducedMotion: 'reduce' });
  await bringSession(context, operator);
  page = await context.newPage();
  waitForScript(page);
  await page.addInitScript(watchShifts);
  await page.goto('/');
});

const tokenName = 'The nightly import of everything in Middlesex';
/** The longest name of a token that is accepted, in one word. */
const longName = 'W'.repeat(80);

/** A person with the longest address and name that are accepted, each in one word. */
async function signUpInOneWord(): Promise<Person> {
  const person = Object.assign(new Person(app.url), { name: 'W'.repeat(200) });
  person.email = `${'w'.repeat(64)}@${['m', 'm', 'm'].map((letter) => letter.repeat(59)).join('.')}.com`;
  await person.signUp();
  return person;
}

/** Long values in every table. */
async function fillTables(): Promise<void> {
  await app.db.query(
    `insert into stripe_event (id, type, created_at, state, attempts, error, payload)
     select 'evt_1SVxQ2KZ8v1w0LmN7bcdefg' || n, 'customer.subscription.pending_update_expired', service_now(), 'failed', 3,
            'the subscription of this event is of another account: sub_1SVxQ2KZ8v1w0LmN7bcdefgh', '{}' from generate_series(1, 3) n`,
  );
  await app.db.query(`select graphile_worker.add_job('prune-jobs', run_at => now() + '1 day') from generate_series(1, 3)`);
}

/** Links to an account that has a token and a session already. */
async function mailLinks(owner: Person): Promise<void> {
  await owner.trialToken();
  await app.db.query(
    `insert into auth.mailed_link select sha256('works'), user_id, auth_token, expires_at from auth.mailed_link where user_id = $1`,
    [owner.id],
  );
  await app.db.query(
    `insert into auth.verification (id, identifier, value, "expiresAt") values ('works', 'reset-password:works', $1, now() + interval '1 hour')`,
    [owner.id],
  );
}

/** Loads parcels of these land values, beside a row that becomes no record. @returns the release, which is held if it differs too much */
async function load(landValues: number[]): Promise<number> {
  const parcels = landValues.map((LAND_VALUE, i) => feature({ APN: `APN-${i}`, OWNER: 'ADA EXAMPLE', LAND_VALUE }, square(i)));
  const file = await (await scratch()).write('parcels.geojson', collection([...parcels, feature({ OWNER: 'NOBODY' }, null)]));
  return (await loadCounty({ database: app.database, county: '25017', files: [file], options: {} })).releaseId;
}

/** Opens a page as a link does, within the same document: nothing is fetched again. */
async function open(path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${addressOf(path)}')`);
  await isLoaded();
}

const addressOf = (path: string): string =>
  path.replace('OPERATOR', operatorId).replace('ENTRY', entryId).replace('RELEASE', String(releaseId));

async function isLoaded(): Promise<void> {
  await page.locator('h1').waitFor();
  await page.waitForFunction(`!document.querySelector('[aria-busy=true], .mantine-Skeleton-root')`);
}

async function look({ colorScheme, width }: { colorScheme: 'light' | 'dark'; width: number }): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  await page.evaluate('for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()');
}

/** @param of a part of the page, by its selector */
async function violations(of = 'html'): Promise<[string, string[]][]> {
  // It is put into the page from outside, which our own policy would refuse; the policy is watched by the other tests.
  if (!(await page.evaluate('globalThis.axe'))) await page.evaluate(axeSource);
  const options = { resultTypes: ['violations', 'incomplete'], rules: { 'target-size': { enabled: true } } };
  type Findings = { id: string; nodes: { html: string }[] }[];
  const run = `axe.run(${JSON.stringify(of)}, ${JSON.stringify(options)})`;
  const { violations, incomplete } = await page.evaluate<{ violations: Findings; incomplete: Findings }>(run);
  // Of a name on an element that takes none, axe only doubts whether it is one.
  const nameless = incomplete.filter(({ id }) => id === 'aria-prohibited-attr');
  return [...violations, ...nameless].map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

/**
 * Whatever can neither be seen nor scrolled to: of a page that is wider than the window, of the console's header, which is fixed, and of
 * the cells and controls of its tables.
 */
const cutOff = (): Promise<string[]> =>
  page.locator('html').evaluate(({ ownerDocument }) => {
    const [root, window] = [ownerDocument.documentElement, ownerDocument.defaultView!];
    const faults: string[] = [];
    if (root.scrollWidth > root.clientWidth) faults.push('the page');
    for (const control of root.querySelectorAll('header :is(a, button)'))
      if (control.getBoundingClientRect().right > root.clientWidth) faults.push(`the header: ${control.textContent}`);
    for (const table of root.querySelectorAll('[data-more] table')) {
      const box = table.closest('section')!;
      const frame = box.parentElement!;
      const edges = box.getBoundingClientRect();
      if (edges.width === 0) continue;
      if (edges.left < 0 || edges.right > window.innerWidth) faults.push(`${box.ariaLabel}: the box`);
      const isHinted = frame.dataset.more!.includes('right') && window.getComputedStyle(frame, '::before').boxShadow !== 'none';
      for (const cell of table.querySelectorAll('tbody :is(th, td)')) {
        // On a phone an entry is two lines, and its page has the rest. The longest word that there may be is wider than a table.
        if (window.getComputedStyle(cell).display === 'none' || cell.textContent?.includes('w'.repeat(64))) continue;
        const isActions = window.getComputedStyle(cell).position === 'sticky';
        const parts = [cell, ...cell.querySelectorAll('button, a')];
        for (const { left, right, width } of parts.map((part) => part.getBoundingClientRect())) {
          // A part that is only for phones has no width.
          const isSeen = width === 0 || (left >= edges.left - 1 && right <= edges.right + 1);
          if (!isSeen && (isActions || !isHinted)) faults.push(`${box.ariaLabel}: ${cell.textContent}`);
        }
      }
    }
    return faults;
  });

/** All is in view, or may be scrolled to. The page looks at its boxes only after the browser has laid them out. */
async function expectNothingCutOff(): Promise<void> {
  const isWhole = async () => (await cutOff()).length === 0;
  await eventually('nothing is cut off', isWhole).catch(async () => expect([page.viewportSize(), await cutOff()]).toEqual('nothing'));
}

it.each(pages)(
  '%s moves nothing in view on a phone while its data arrives, then is fine for axe, titled, and whole on screens of every width',
  async (path) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const letGo = await holdRequests(page, '**/graphql');
    await page.goto(addressOf(path));
    await page.locator('h1, [aria-busy=true]').first().waitFor();
    letGo();
    await isLoaded();
    expect(await page.evaluate(sumOfShifts)).toBeLessThan(0.05);
    await page.unrouteAll();
    await eachLookIsFine();
    for (const width of [1024, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNothingCutOff();
    }
    expect(await page.title()).toContain('Parcel Records');
  },
);

async function eachLookIsFine(): Promise<void> {
  for (const one of looks) {
    await look(one);
    expect(await violations()).toEqual([]);
    await expectNothingCutOff();
  }
}

const ledger = /```ndjson\n([\s\S]*?)```/.exec(readFileSync(projectFile('schema/ledger.md'), 'utf8'))![1]!;
const receipts = 'role=textbox[name="Receipts (optional)"]';
const [tryIt, send, findMenu] = ['role=button[name="Try it: GET /api/parcels"]', 'text="Send"', 'nav >> text="Find"'];
const goOn = 'button:enabled >> text="Continue"';

const longColumns = Buffer.from(`APN,LON,LAT,OWNER,${'COLUMN'.repeat(50)}\n1,-103.5,31.8,${'Y'.repeat(300)},${'x'.repeat(300)}\n`);

/** What no address opens: the elements that somebody presses or fills on the way there, and what is then in sight. */
const states: [state: string, path: string, steps: [selector: string, input?: string | Buffer][], seen: string][] = [
  [
    'what a check of a bill found',
    '/verify',
    [['input[type=file]', Buffer.from(ledger)], [receipts, 'ab'.repeat(32)], ['text="Check"']],
    'h2:focus >> text=Result',
  ],
  ['what a check of an entry found', '/console/usage/entries/ENTRY', [['text="Check this entry"']], 'text=Your browser checked'],
  [
    'the answer to a call that was tried',
    '/docs/records',
    [[tryIt], ['text=Headers: Idempotency-Key'], [send]],
    '[aria-label="The free record"]',
  ],
  [
    'the error of a call that was tried',
    '/docs/records',
    [['role=textbox[name="Token"]', 'pk_trial_no'], [send]],
    'text=About the error invalid',
  ],
  [
    'a form that was refused',
    '/console/sign-in',
    [['[name=email]', 'a@example.com'], ['[name=password]', 'a'], ['[type=submit]']],
    'role=alert',
  ],
  ['a place that is searched for', '/', [['role=combobox', 'middle']], 'role=option'],
  ['where to go in a console', '/console', [[findMenu]], 'role=option'],
  ['what was found in a console', '/admin', [[findMenu], ['role=combobox', 'middle']], 'role=option >> text=county'],
  ['nothing that was found in a console', '/admin', [[findMenu], ['role=combobox', 'zzzz']], 'text=Nothing found'],
  ['what may be done with an account', '/admin/accounts/OPERATOR', [['summary >> text=Actions']], 'text=Ban account'],
  ['the columns of a table', '/admin/tokens', [['text="Columns"']], 'role=checkbox[name="Plan"]'],
  [
    'the columns of a file',
    '/admin/counties/48303/load',
    [['input[type=file]', longColumns], [goOn]],
    'role=combobox[name="Column of owner_name"]',
  ],
  [
    'what a load would do',
    '/admin/counties/48301/load',
    [['input[type=file]', longColumns], [goOn], ['role=heading[name="Step 2 of 4: Columns"]'], [goOn]],
    'text=/1 rows? read/',
  ],
];

it.each(states)('%s has no violation that axe finds', async (_, path, steps, seen) => {
  await look(looks[0]);
  await open(path);
  for (const [selector, input] of steps) {
    const element = page.locator(selector).first();
    if (input === undefined) await element.click();
    else if (typeof input === 'string') await element.fill(input);
    else await element.setInputFiles({ name: 'ledger.ndjson', mimeType: 'text/plain', buffer: input });
  }
  await page.locator(seen).first().waitFor();
  await eachLookIsFine();
  await page.keyboard.press('Escape');
});

it.each([
  ['/', '.mantine-Button-root:not([data-variant])'],
  ['/console', 'nav [aria-current]'],
  ['/console', 'nav a:not([aria-current])'],
  ['/console/find', 'button[type=submit]'],
  ['/console/requests', '[aria-label="List of requests"] tbody tr'],
  ['/console/tokens', 'tbody button'],
  ['/admin/counties', '.mantine-Pagination-root'],
])('what the pointer is over can be read in light and dark colours: %s %s', async (path, selector) => {
  for (const { colorScheme } of looks) {
    await look({ colorScheme, width: 1280 });
    await open(path);
    await page.locator(selector).first().hover();
    expect(await violations(selector)).toEqual([]);
  }
});

describe('tables', () => {
  /** The titles of columns that are in view without scrolling. */
  const titlesInView = (label: string) =>
    page.getByRole('region', { name: label, exact: true }).evaluate((box) => {
      const { right } = box.getBoundingClientRect();
      return [...box.querySelectorAll('thead th')]
        .filter((th) => th.getBoundingClientRect().right <= right + 1)
        .map((th) => th.textContent);
    });

  it.each<[path: string, label: string, width: number, titles: string[]]>([
    ['/admin/ledger', 'Entries', 1280, ['Records', 'Credits', 'Overage', 'Balance after', 'Reason']],
    ['/console/tokens', 'Tokens', 1024, ['Name', 'State', 'Expires', 'Last used', 'Actions']],
  ])('of %s (%s) show at %d pixels, without scrolling, %j', async (path, label, width, titles) => {
    await page.setViewportSize({ width, height: 900 });
    await open(path);
    // Columns find their width when the rows and the scripts of the page are there.
    await eventually('all of these are in view', async () => {
      const shown = await titlesInView(label);
      return titles.every((title) => shown.includes(title));
    });
  });

  it('have columns to choose by the keyboard, and remember the choice', async () => {
    await open('/admin/tokens');
    await page.getByText('Columns', { exact: true }).press('Enter');
    await page.getByRole('checkbox', { name: 'Plan' }).press('Space');
    await page.getByRole('columnheader', { name: 'Plan' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('columnheader', { name: 'State' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Plan' }).count()).toBe(0);
  });
});

it('a page prints in light colours, with nothing to press, and no wider than the paper', async () => {
  await open('/console/usage');
  await look({ colorScheme: 'dark', width: 720 });
  await page.emulateMedia({ media: 'print' });
  await page.locator('html[data-mantine-color-scheme=light]').waitFor();
  expect(await page.locator('button:visible, nav:visible, header:visible').count()).toBe(0);
  expect(await page.getByRole('rowheader').first().isVisible()).toBe(true);
  await expectNothingCutOff();
  await page.emulateMedia({ media: 'screen' });
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
});

it('what is behind a link or a click is on paper, too, and a map keeps to its frame', async () => {
  await look({ colorScheme: 'light', width: 720 });
  await page.emulateMedia({ media: 'print' });
  await open('/');
  await page.getByRole('rowheader', { name: 'Massachusetts' }).waitFor();
  expect(await page.locator('[role=combobox]').isVisible()).toBe(false);
  await open('/counties/25017');
  const map = page.getByRole('img', { name: 'Location of Middlesex County' });
  expect(await map.evaluate((svg) => svg.ownerDocument.defaultView!.getComputedStyle(svg).overflow)).toBe('hidden');
  await open('/admin/releases/RELEASE');
  await page.locator('summary', { hasText: 'NOBODY' }).waitFor();
  await page.emulateMedia({ media: 'screen' });
});

it('a chart stays where it is under the pointer, however much it says of a day', async () => {
  await look(looks[0]);
  await open('/console/usage?by=token');
  const bars = page.locator('figure [aria-hidden=true]');
  const before = (await bars.boundingBox())!;
  await page.mouse.move(before.x + before.width - 5, before.y + before.height / 2);
  await page.locator('figcaption').filter({ hasText: longName }).waitFor();
  expect(await bars.boundingBox()).toEqual(before);
});

it.each([
  ['/console/usage', 'figure [class*=bar] > div[style*=height]'],
  ['/console/usage', '.mantine-Progress-section'],
  ['/admin/counties', 'tbody [data-colored]'],
])('what tells by its colour keeps it on paper, and where the system sets the colours: %s %s', async (path, selector) => {
  await look(looks[0]);
  await page.emulateMedia({ forcedColors: 'active' });
  await open(path);
  const colours = (element: Locator) =>
    element.evaluate((one) => {
      const { backgroundColor, printColorAdjust } = one.ownerDocument.defaultView!.getComputedStyle(one);
      return { backgroundColor, printColorAdjust };
    });
  const { backgroundColor, printColorAdjust } = await colours(page.locator(selector).last());
  expect(backgroundColor).not.toBe((await colours(page.locator('body'))).backgroundColor);
  expect(printColorAdjust).toBe('exact');
  await page.emulateMedia({ forcedColors: null });
});

it.each([
  ['/admin', ['Overview']],
  ['/admin/', ['Overview']],
  ['/admin/counties/25017/load', ['Counties']],
  ['/admin/releases/RELEASE', ['Releases']],
  ['/console/usage/entries/ENTRY', ['Usage']],
])('the navigation marks at %s as the current page: %j, also where the system sets the colours', async (path, marked) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await open(path);
  expect(await page.locator('nav [aria-current=page]').allTextContents()).toEqual(marked);
  const outlined = await page.locator('nav a').evaluateAll((links) => {
    const isOutlined = (link: (typeof links)[number]) => link.ownerDocument.defaultView!.getComputedStyle(link).outlineStyle === 'solid';
    return links.filter(isOutlined).map(({ textContent }) => textContent);
  });
  expect(outlined).toEqual(marked);
  await page.emulateMedia({ forcedColors: null });
});

it("a county's page has its heading while it is awaited, and where it cannot be had", async () => {
  let answer = () => {};
  const awaited = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/page-data/counties/*', (route) => awaited.then(() => route.abort()));
  await page.goto('/'); // its own document has all of it
  await page.evaluate(`history.pushState(null, '', '/counties/25017')`);
  await page.getByRole('heading', { level: 1, name: 'County 25017' }).waitFor();
  answer();
  await page.getByText('The county could not be loaded').waitFor();
  await page.getByRole('heading', { level: 1, name: 'County 25017' }).waitFor();
  await page.unroute('**/page-data/counties/*');
});

it.each([
  ['/console/usage#ledger', 'ledger-title'],
  ['/docs/metering#receipts-and-proofs', 'receipts-and-proofs'],
  ['/docs/authentication#signOut', 'signOut'], // folded
])('the part of a page to which a link leads is in view: %s', async (path, id) => {
  await page.setViewportSize({ width: 640, height: 450 });
  await page.goto('about:blank'); // or the document of the test before would be there already
  await page.goto(path);
  const isInView = () =>
    page.locator(`#${id}`).evaluate((element) => {
      const { left, top } = element.getBoundingClientRect();
      return element.contains(element.ownerDocument.elementFromPoint(left + 1, top + 1));
    });
  const isThere = async () => (await page.locator('[aria-busy=true]').count()) === 0;
  // What comes later, above it, must not push it out of view again.
  await eventually('all is there, and it is in view', async () => (await isThere()) && (await isInView()));
});

describe('the keyboard', () => {
  // The button of a date's calendar lies within the input, which is then not `:focus` itself.
  const focused = () => page.locator(':focus, input:focus-within');
  beforeEach(() => look(looks[0]));

  it.each<[path: string, names: string[]]>([
    ['/', ['Docs']],
    ['/docs', ['Sign in']],
    ['/console', ['Usage', 'Account']],
    ['/admin', ['Counties', 'Loads', 'Accounts', 'Tokens', 'Ledger', 'Webhook events', 'Jobs', 'Ledger audit', 'Activity log']],
  ])('is at the beginning of each page to which a link of %s leads: %j', async (path, names) => {
    await page.goto(path); // a document that has fetched the script of none of them before
    for (const name of names) {
      const { pathname: before } = new URL(page.url());
      await page.getByRole('link', { name, exact: true }).first().press('Enter');
      await page.waitForURL(({ pathname }) => pathname !== before);
      await page.locator('main h1').waitFor();
      await page.locator('#main:focus').waitFor();
    }
  });

  it('is at the ledger, and not before it, where the link of a token leads', async () => {
    await page.goto('/console/tokens');
    await page.getByRole('link', { name: `Ledger of ${tokenName}` }).press('Enter');
    await page.locator('#ledger-title:focus').waitFor();
  });

  it.each([
    ['/console/tokens', `Rename ${tokenName}`],
    ['/console/tokens', `Revoke ${tokenName}`],
    ['/console/tokens', `Cap ${longName}`],
    ['/console/account', 'Change name'],
    ['/console/account', 'Change address'],
    ['/console/account', 'Change password'],
    ['/console/account', 'Delete account'],
    ['/admin/counties/25017', 'Status and note'],
    ['/admin/counties/25017', 'Withdraw'],
    ['/admin/counties/25017', 'Import a profile'],
    ['/admin/releases/RELEASE', 'Discard'],
    ['/admin/releases/RELEASE', 'Publish anyway'],
    ['/admin/accounts/OPERATOR', 'Ban account'],
    ['/admin/accounts/OPERATOR', 'End all sessions'],
    ['/admin/accounts/OPERATOR', 'Adjust the trial balance of 44'],
  ])(
    'of %s opens a dialog by “%s” in which axe finds nothing, stays in it, and is back on the button when it closes',
    async (path, name) => {
      await open(path);
      const button = page.getByRole('button', { name, exact: true, includeHidden: true });
      const menu = page.locator('details').filter({ has: button });
      await button.waitFor({ state: 'attached' });
      if (!(await button.isVisible())) await menu.locator('summary').press('Enter');
      await button.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.locator(':focus').waitFor();
      for (let presses = 0; presses < 8; presses++) await page.keyboard.press('Tab');
      await dialog.locator(':focus').waitFor();
      await eachLookIsFine();
      // A long word of its title is broken.
      expect(
        await dialog
          .getByRole('heading')
          .first()
          .evaluate((title) => title.scrollWidth - title.clientWidth),
      ).toBe(0);
      await look(looks[0]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await button.and(focused()).waitFor();
    },
  );

  it.each([
    { path: '/', width: 1280, height: 900 },
    { path: '/', width: 640, height: 450 }, // the same screen, zoomed to 200 %
    { path: '/docs/records', width: 640, height: 450 },
    { path: '/admin/counties', width: 640, height: 450 },
    { path: '/admin/accounts/OPERATOR', width: 640, height: 450 },
    { path: '/console/account', width: 320, height: 256 }, // and to 400 %
  ])('goes back through $path without hiding below what stays on top, on $width by $height pixels', async ({ path, ...size }) => {
    await page.setViewportSize(size);
    await open(path);
    await page.locator('main :is(a, button, summary):visible').last().focus();
    const isInView = () =>
      focused().evaluate((element) => {
        if (!element.matches('a, button, summary')) return true;
        const { x, y, width, height } = element.getBoundingClientRect();
        const onTop = element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2);
        return onTop !== null && (element.contains(onTop) || onTop.contains(element));
      });
    while (await focused().evaluate((element) => element.closest('main') !== null)) {
      // What is late, or just closing, may cover it for a moment.
      await eventually(`${await focused().textContent()} is in view`, isInView);
      await page.keyboard.press('Shift+Tab');
    }
  });

  it('passes by the menu of a narrow screen while it is closed, and comes back to its button by Escape', async () => {
    await open('/console');
    await page.setViewportSize({ width: 375, height: 900 });
    const [burger, usage] = [page.getByRole('button', { name: /the menu$/ }), page.getByRole('link', { name: 'Usage', exact: true })];
    const walk = async () => {
      const names: string[] = [];
      await burger.focus();
      for (let presses = 0; presses < 7; presses++) {
        await page.keyboard.press('Tab');
        names.push((await focused().textContent()) ?? '');
      }
      return names;
    };
    await usage.waitFor({ state: 'hidden' });
    expect(await walk()).not.toContain('Usage');
    await burger.press('Enter');
    await usage.waitFor();
    expect(await walk()).toContain('Usage');
    expect(await violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await usage.waitFor({ state: 'hidden' });
    await page.locator('[aria-label="Open the menu"]:focus').waitFor();
    await burger.press('Enter');
    await usage.press('Enter');
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await page.locator('#main:focus').waitFor();
  });

  it.each([
    { width: 1280, height: 500 },
    { width: 640, height: 450 },
  ])('brings every entry of the menu into view on $width by $height pixels', async (size) => {
    // In a document of its own: `open` goes on within one, where the frame of the page before has a menu, too, and goes with it.
    const own = await page.context().newPage();
    await own.setViewportSize(size);
    await own.goto('/admin');
    if (size.width < 768) await own.getByRole('button', { name: 'Open the menu' }).press('Enter');
    const last = own.getByRole('button', { name: 'Sign out' });
    await last.waitFor();
    await last.focus();
    const isInView = async () => {
      const { y, height } = (await last.boundingBox())!;
      return y + height <= size.height;
    };
    await eventually('the last entry is in view', isInView);
    await own.close();
  });

  it('is on the message when a form has failed, in which axe finds nothing', async () => {
    await open('/console/tokens');
    await page.route('**/graphql', (route) => route.abort());
    await page.getByRole('button', { name: `Rename ${tokenName}` }).press('Enter');
    // As soon as it is there: later it would take the focus from a field in which somebody goes on.
    await page.evaluate(`
      globalThis.isFocusedAtOnce = undefined;
      new MutationObserver(() => {
        const alert = document.querySelector('form [role=alert]');
        if (alert) globalThis.isFocusedAtOnce ??= alert === document.activeElement;
      }).observe(document.body, { childList: true, subtree: true });
    `);
    await page.getByRole('textbox', { name: 'Name' }).press('Enter');
    await page.locator('[role=alert]:focus').filter({ hasText: 'could not be reached' }).waitFor();
    expect(await page.evaluate('isFocusedAtOnce')).toBe(true);
    await eachLookIsFine();
    await page.unroute('**/graphql');
    await page.keyboard.press('Escape');
  });

  it('is on Cancel before something is lost: neither a held Enter nor a second one does it', async () => {
    await open('/console/tokens');
    const revoke = page.getByRole('button', { name: `Revoke ${tokenName}` });
    await revoke.focus();
    await page.keyboard.down('Enter');
    await page.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
    const opened = (await page.getByRole('dialog').elementHandle())!;
    for (let repeats = 0; repeats < 5; repeats++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    expect(await opened.isVisible()).toBe(true);
    await page.getByRole('dialog').getByText('last used').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await revoke.isVisible()).toBe(true);
  });

  it('stays near a row when what it did takes its button away', async () => {
    await open('/console/tokens');
    await page.getByRole('button', { name: `Revoke ${tokenName}` }).press('Enter');
    await page.getByRole('button', { name: 'Revoke token' }).press('Enter');
    await page.getByText('revoked', { exact: true }).waitFor();
    await page.getByRole('button', { name: `Revoke ${tokenName}` }).waitFor({ state: 'detached' });
    await focused().getByRole('table').waitFor();
  });
});
