import type { Browser, Page, Route } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { holdRequests, openAs, openBrowser, openPage } from '../harness/browser.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { FaultProxy } from '../harness/fault-proxy.js';
import { publishRecords } from '../harness/records.js';

let app: TestApp;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser();
});
// Not watched for complaints of the browser, unlike other tests' pages: here it has to complain.
beforeEach(async () => {
  page = await browser.newPage({ baseURL: app.config.baseUrl });
});
afterEach(() => page.close());

describe('a page whose script is gone', () => {
  it('opens after one reload, when a new version is there', async () => {
    await page.goto('/');
    await page.locator('h1').waitFor();
    // What a tab sees that was open over a deploy: its script is gone, and a reload brings HTML that names another one.
    let asked = 0;
    await page.route('**/assets/docs-page-*.js', (route) => (asked++ === 0 ? route.fulfill({ status: 404 }) : route.continue()));
    await page.getByRole('link', { name: 'Docs', exact: true }).click();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    expect(asked).toBe(2);
  });

  it('reloads once only, then says what to do', async () => {
    let asked = 0;
    await page.route('**/assets/docs-page-*.js', (route) => {
      asked += 1;
      return route.fulfill({ status: 404 });
    });
    await page.goto('/');
    await page.getByRole('link', { name: 'Docs', exact: true }).click();
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
    expect(asked).toBe(2);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
  });

  it('leaves the navigation of the console in place, and opens by itself when the network is back', async () => {
    await openAs(page, await app.signUp());
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('heading', { name: 'You are offline' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('heading', { name: 'You are offline' }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
  });
});

const broken = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' };
const fault = { message: 'Something went wrong on our side. Nothing was charged.', extensions: { code: 'internal' } };
const withoutDatabase = { data: null, errors: [{ message: 'The service is briefly unavailable.', extensions: { code: 'unavailable' } }] };

describe('what a proxy answers in the place of the server', () => {
  it('is no message for the people of the account page', async () => {
    await page.route('**/api/auth/list-sessions', (route) => route.fulfill(broken));
    await openAs(page, await app.signUp(), '/console/account');
    const alert = page.getByRole('alert').filter({ hasText: 'Your sessions could not be loaded' });
    await alert.getByText('Something went wrong on our side.').waitFor();
    expect(await alert.textContent()).not.toContain('Gateway');
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('this session').waitFor();
  });

  it('is not taken for a fault of the connection alone', async () => {
    await page.route('**/page-data/home', (route) => route.fulfill(broken));
    await page.goto('/');
    await page.getByRole('alert').filter({ hasText: 'The totals could not be loaded' }).getByText('try again in a moment').waitFor();
  });
});

const search = () => page.getByRole('combobox', { name: 'Find a county, city, state or ZIP code' });

describe('while it is not known which counties have records', () => {
  /** Opens a page whose search tells of no place that it is planned. */
  const open = async (path: string) => {
    await page.route('**/page-data/home', (route) => route.abort());
    await page.goto(path);
    await search().fill('middlesex');
    expect(await page.getByRole('option', { name: /^Middlesex County, Massachusetts/ }).innerText()).toBe(
      'Middlesex County, Massachusetts\n25017',
    );
    await search().press('Escape');
  };

  it('the map names the county that is pointed at and chosen, and tells nothing of it', async () => {
    await open('/');
    const map = page.getByRole('application', { name: 'Coverage of counties' });
    await map.press('ArrowRight');
    const told = map.locator('~ [role=status]');
    await told.filter({ hasText: 'Kansas' }).waitFor();
    expect(await told.innerText()).toBe('Saline, Kansas');
    await map.press('Enter');
    const card = page.getByRole('region', { name: 'Saline, Kansas' });
    await card.getByRole('link', { name: 'More about this county' }).waitFor();
    expect(await card.innerText()).not.toContain('Planned');
  });

  it('the page of a county says so where its neighbors would be, and shows them when they come', async () => {
    await open('/counties/25017');
    const failed = page.getByRole('alert').filter({ hasText: 'The counties nearby could not be loaded' });
    await failed.waitFor();
    await page.unroute('**/page-data/home');
    await failed.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No county nearby has records yet.').waitFor();
  });
});

it('the counties of a state are never those of the state before; if they cannot be had, its name and the way back to all states are left', async () => {
  const chooseState = async (name: string) => {
    await search().fill(name);
    await page.getByRole('option', { name: `${name} state` }).click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
  };
  await page.goto('/?state=MA');
  await page.getByRole('rowheader', { name: 'Middlesex County' }).waitFor();
  const letThemCome = await holdRequests(page, '**/page-data/states/*');
  await chooseState('Utah');
  expect(await page.getByRole('rowheader', { name: 'Middlesex County' }).count()).toBe(0);
  letThemCome();
  await page.getByRole('rowheader', { name: 'Uintah County' }).waitFor();
  await page.route('**/page-data/states/*', (route) => route.abort());
  await chooseState('Nevada');
  await page.getByText('The counties of Nevada could not be loaded').waitFor();
  await page.getByRole('link', { name: 'All states' }).click();
  await page.getByRole('region', { name: 'Coverage by state' }).waitFor();
});

describe('what somebody types before the script of a page runs', () => {
  it.each([
    ['/', 'Find a county, city, state or ZIP code', 'Utah', () => page.getByRole('option', { name: 'Utah state' })],
    ['/docs', 'Search the docs', 'idempotency', () => page.getByRole('option', { name: /^Idempotency-Key/ })],
    ['/verify', 'Price of an overage record, in cents', '12', () => page.getByLabel('Price of an overage record, in cents')],
    ['/console/sign-up', 'Password', 'long enough to be strong', () => page.getByText('Strong, unless others use it, too.')],
  ])('is taken by %s', async (path, label, text, shown) => {
    const letThemCome = await holdRequests(page, '**/assets/*.js');
    await page.goto(path, { waitUntil: 'commit' });
    const field = page.getByRole(path === '/' || path === '/docs' ? 'combobox' : 'textbox', { name: label });
    await field.fill(text);
    letThemCome();
    await page.locator('#root[data-answers]').waitFor({ state: 'detached' });
    await shown().waitFor();
    await page.getByRole('button', { name: 'Use dark colours' }).click(); // renders the page again
    expect(await field.inputValue()).toBe(text);
  });
});

it('an operator who watches a load goes on watching it while the server is away in whatever way, and is told so', async () => {
  const [job] = await app.db.query<{ id: string }>(
    `insert into load_job (county_fips, upload_id, file_name, options, started_by)
     values ('25017', gen_random_uuid(), 'watched.geojson', '{}', 'somebody') returning id::text`,
  );
  const { id } = job!;
  // A load that waits for a server that has its file.
  await app.db.query(`select graphile_worker.add_job('load-county:other', job_key => 'load-job ' || $1, run_at => now() + '1 day')`, [id]);
  await openAs(page, await app.signUpOperator(), '/admin/loads');
  const file = page.getByRole('row').filter({ hasText: 'watched.geojson' });
  await file.getByText('waiting').waitFor();
  const told = page.getByRole('status').filter({ hasText: 'Retrying every second.' });
  const answers = [
    (route: Route) => route.fulfill(broken), // a proxy in the place of the server
    (route: Route) => route.abort(),
    (route: Route) => route.fulfill({ json: withoutDatabase }),
  ];
  for (const answer of answers) {
    await page.route('**/graphql', answer);
    await told.waitFor();
    expect(await file.getByText('waiting').isVisible()).toBe(true);
    await page.unrouteAll();
    await told.waitFor({ state: 'detached' });
  }
  await app.db.query(`update load_job set state = 'failed', message = 'It is over.', finished_at = now() where id = $1`, [id]);
  await file.getByText('It is over.').waitFor();
});

describe('a page that is asked for while the server is away', () => {
  it('says so within the application, and opens by “Try again” when the server is back', async () => {
    const way = await FaultProxy.open(app.url);
    closeAtEnd(() => way.close());
    const person = await app.signUp();
    const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: way.url }));
    await page.context().addCookies(cookies);
    await page.goto(`${way.url}console`);
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    way.cut();
    await page.getByRole('link', { name: 'Account' }).click();
    const notice = page.getByRole('heading', { name: 'The server could not be reached' });
    await notice.waitFor();
    const asked = page.waitForEvent('requestfailed');
    await page.getByRole('button', { name: 'Try again' }).click();
    await asked;
    await page.getByRole('button', { name: 'Try again', disabled: false }).waitFor();
    expect(await notice.isVisible()).toBe(true);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Account' }).click();
    await notice.waitFor();
    way.mend();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
  });
});

describe('a page that was opened', () => {
  it('is brought up to date when the network is back', async () => {
    const person = await app.signUp();
    await openAs(page, person);
    await page.getByRole('button', { name: 'Get the trial token' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'You are offline' }).waitFor();
    await person.trialToken();
    await page.context().setOffline(false);
    await page.getByText('50 of 50 included records left').waitFor();
  });

  it('goes on waiting for the first call when the server could not answer once', async () => {
    const { person, token } = await app.signUpWithTrial();
    await openAs(page, person);
    await page.getByText('Waiting for your call').waitFor();
    let isRefused = false;
    await page.route('**/graphql', (route) => {
      if (isRefused || !route.request().postData()?.includes('query Overview')) return route.fallback();
      isRefused = true;
      return route.fulfill({ status: 503, json: { errors: [{ message: 'Briefly unavailable.', extensions: { code: 'unavailable' } }] } });
    });
    await eventually('the server could not answer', () => Promise.resolve(isRefused));
    await person.read(token, 1);
    await page.getByText('Received:').waitFor();
  });

  it('still shows what it showed when the server is away, and says so also after a late answer to an earlier question', async () => {
    const { person } = await app.signUpWithTrial();
    await openAs(page, person, '/console/tokens');
    const trial = page.getByRole('rowheader', { name: 'Trial' });
    await trial.waitFor();
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    });
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await page.getByRole('link', { name: 'Tokens' }).click();
    const notice = page.getByRole('status').filter({ hasText: 'This page may be out of date.' });
    await notice.waitFor();
    const late = page.waitForEvent('requestfinished');
    release();
    await late;
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect([await notice.isVisible(), await trial.isVisible()]).toEqual([true, true]);
  });

  it('keeps the first records of an entry when all of them cannot be fetched', async () => {
    await publishRecords(app.db, '56001', 120);
    const person = await app.signUp();
    const answer = await app.get('/api/parcels?limit=120', { token: await app.paidToken(person.id) });
    await openAs(page, person, `/console/usage/entries/${answer.json.metering.ledger_entry_id}`);
    await page.getByText('Showing 100 of 120.').waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await page.getByRole('button', { name: 'Show all' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'All records could not be loaded' });
    await alert.waitFor();
    const rows = page.getByRole('region', { name: 'Returned records' }).getByRole('rowheader');
    expect(await rows.count()).toBe(100);
    await page.unroute('**/graphql');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await eventually('all are shown', async () => (await rows.count()) === 120);
  });

  it('keeps what it shows, and a dialog with what was typed, when it cannot be brought up to date', async () => {
    const operator = await app.signUpOperator();
    await operator.trialToken();
    await openAs(page, operator, `/admin/accounts/${operator.id}`);
    await page.getByRole('button', { name: 'Adjust the trial balance of 50' }).click();
    const reason = page.getByRole('dialog').getByLabel('Reason');
    await reason.fill('as agreed by telephone');
    await page.route('**/graphql', (route) => route.fulfill({ json: { data: null, errors: [fault] } }));
    await page.context().setOffline(true);
    await page.context().setOffline(false);
    const alert = page.getByText('The account could not be updated');
    await alert.waitFor();
    expect(await reason.inputValue()).toBe('as agreed by telephone');
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alert').filter({ has: alert }).getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
  });
});

describe('an answer that lacks a part', () => {
  it('is none: a plan that cannot be told is not offered as one to subscribe to', async () => {
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query Billing')) return route.continue();
      const answer = await (await route.fetch()).json();
      return route.fulfill({ json: { data: { ...answer.data, subscription: null }, errors: [{ ...fault, path: ['subscription'] }] } });
    });
    await openAs(page, await app.signUp(), '/console/billing');
    await page.getByText('Your plan could not be loaded').waitFor();
    expect(await page.getByText('$59.00 a month').count()).toBe(0);
  });
});

describe('a page that breaks', () => {
  it('shows what to tell us, and the way out', async () => {
    await page.route('**/openapi.json', (route) => route.fulfill({ json: { paths: null } }));
    await page.goto('/docs');
    await page.getByRole('heading', { name: 'Something went wrong on this page' }).waitFor();
    await page.getByText('/docs\n').waitFor();
    await page.getByRole('link', { name: 'Go to the home page' }).click();
    await page.getByRole('link', { name: 'Get 50 free records' }).waitFor();
  });
});

describe('a document without its script', () => {
  it('says so after a while, and how to go on', async () => {
    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404 }));
    await page.route('**/assets/*.css', (route) => route.fulfill({ status: 404 }));
    await page.goto('/console');
    // Most often the script is just on its way.
    const delays = await page.evaluate('document.getAnimations().map(({ effect }) => effect.getTiming().delay)');
    expect(delays).toEqual([8000]);
    await page.evaluate('document.getAnimations().forEach((animation) => animation.finish())');
    await page.getByText('This page did not load completely').waitFor();
  });
});

// Their pages are watched for complaints of the browser.
describe('when the server cannot be reached,', () => {
  let server: TestApp;
  let wayToPostgres: FaultProxy;
  beforeAll(async () => {
    wayToPostgres = await FaultProxy.open((await createTestDatabase()).url);
    closeAtEnd(() => wayToPostgres.close());
    server = await startApp({ DATABASE_URL: wayToPostgres.url });
  });
  beforeEach(async () => {
    await page.close();
    page = await openPage(browser, { baseURL: server.config.baseUrl });
  });
  afterEach(() => wayToPostgres.mend());

  const away = { 'the database': () => wayToPostgres.cut(), 'the network': () => page.context().setOffline(true) };
  const back = { 'the database': () => wayToPostgres.mend(), 'the network': () => page.context().setOffline(false) };

  it.each(['the database', 'the network'] as const)(
    'a person who signs out is told that they are still signed in while %s is away',
    async (what) => {
      await openAs(page, await server.signUp());
      await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
      await away[what]();
      await page.getByRole('button', { name: 'Sign out' }).click();
      const dialog = page.getByRole('dialog', { name: 'You are still signed in' });
      await dialog.waitFor();
      expect(page.url()).toBe(`${server.config.baseUrl}/console`);
      await dialog.getByRole('button', { name: 'Try again' }).click();
      await dialog.getByRole('alert').waitFor();
      await back[what]();
      await dialog.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('link', { name: 'Get 50 free records' }).waitFor();
      await page.goto('/console');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    },
  );

  it('the search of the console says so, and opens when the network is back', async () => {
    await openAs(page, await server.signUp());
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.keyboard.press('Control+K');
    const dialog = page.getByRole('dialog', { name: 'The search could not be opened' });
    await dialog.getByText('The server could not be reached. Check your connection.').waitFor();
    await page.context().setOffline(false);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('dialog', { name: 'Find' }).waitFor();
  });

  it('a form of the account says in words that the server was not reached', async () => {
    await page.goto('/console/sign-in');
    await page.getByLabel('Email address').fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'The server could not be reached. Check your connection.' }).waitFor();
  });
});
