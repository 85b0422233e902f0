import type { Locator } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { holdRequests, openAs, openPages, page } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';

let app: TestApp;
let operator: Person;

beforeAll(async () => {
  app = await startApp();
  operator = await app.signUpOperator();
  await operator.trialToken();
});
openPages(() => app.config.baseUrl);

/** Whether a field is marked as wrong, with the reason beside it. */
async function expectFault(field: Locator, reason: string): Promise<void> {
  await eventually('the field says what is wrong', () =>
    field.evaluate((input, words) => {
      const ids = input.getAttribute('aria-describedby')?.split(' ') ?? [];
      const said = ids.map((id: string) => input.ownerDocument.getElementById(id)?.textContent).join(' ');
      return input.getAttribute('aria-invalid') === 'true' && said.includes(words);
    }, reason),
  );
}

describe('a field that searches a list', () => {
  it.each([
    ['/admin/accounts', 'Search', 'accounts'],
    ['/admin/tokens', 'Search', 'tokens'],
    ['/admin/counties', 'Name or FIPS', 'counties'],
    ['/admin/releases', 'County', 'releases'],
    ['/admin/loads', 'Search', 'loads'],
    ['/admin/events', 'Search', 'webhook events'],
    ['/admin/jobs', 'Search', 'jobs'],
    ['/admin/actions', 'Search', 'actions'],
    ['/admin/ledger', 'Find', 'entries'],
    ['/console/usage', 'Find', 'entries'],
  ])(
    'says beside it why the server refused its text, and without a match the list names it, and clears it: %s',
    async (path, label, what) => {
      await openAs(page, operator, path);
      const field = page.getByRole('searchbox', { name: label });
      await field.fill('x'.repeat(201));
      await expectFault(field, 'characters');
      await field.fill('left\u200e');
      await expectFault(field, 'control characters');
      await field.fill('nothing has this');
      await page.getByText(new RegExp(`^No ${what} match .* “nothing has this”\\.$`)).waitFor();
      await field.and(page.locator(':not([aria-invalid=true])')).waitFor();
      const clear = page.getByRole('button', { name: 'Clear the filter' });
      await clear.click();
      await page.waitForURL((url) => url.search === '');
      await clear.waitFor({ state: 'detached' });
    },
  );

  it('says beside it that an id is too long', async () => {
    await openAs(page, operator, '/admin/ledger');
    const field = page.getByRole('searchbox', { name: 'Token' });
    await field.fill('x'.repeat(2001));
    await expectFault(field, '2000 characters');
  });

  it('shows what the address says, also after a link to the whole list and after Back', async () => {
    await openAs(page, operator, '/admin/accounts');
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

  it('keeps what is written like an escape of an address', async () => {
    const text = 'a%20b%41';
    await openAs(page, operator, `/admin/accounts?${new URLSearchParams({ search: text })}`);
    const field = page.getByRole('searchbox', { name: 'Search' });
    expect(await field.inputValue()).toBe(text);
    const asked = page.waitForRequest((request) => request.postDataJSON()?.variables?.search === `${text}c`);
    await field.press('End');
    await field.press('c');
    await asked;
    expect(await field.inputValue()).toBe(`${text}c`);
  });
});

describe('a list', () => {
  it('has nothing on a page that no list reaches', async () => {
    await openAs(page, operator, '/admin/accounts?page=99999999999999');
    await page.getByText('There are no accounts on this page.').waitFor();
    await page.getByRole('button', { name: 'Go to the first page' }).click();
    await page.getByRole('rowheader', { name: operator.email }).waitFor();
  });

  it('of loads, events, jobs or actions is found by a text and a state', async () => {
    await app.db.query(
      `insert into load_job (county_fips, upload_id, file_name, options, state, message, started_by, finished_at)
       values ('25017', gen_random_uuid(), 'one.csv', '{}', 'failed', 'no such layer', $1, service_now()),
              ('25003', gen_random_uuid(), 'two.csv', '{}', 'failed', 'no rows', $1, service_now())`,
      [operator.id],
    );
    await app.db.query(
      `insert into stripe_event (id, type, created_at, state, error, payload)
       values ('evt_one', 'invoice.paid', now(), 'failed', 'no such customer', '{}'), ('evt_two', 'charge.failed', now(), 'ignored', null, '{}')`,
    );
    await app.db.query(`select graphile_worker.add_job('prune-jobs', run_at => now() + '1 day')`);
    await app.db.query(
      `insert into admin_action (actor, action, target, reason) values ($1, 'made up', '25017', 'By a TEST of lists'), ('command line', 'other', '25003', null)`,
      [operator.id],
    );
    const expectOnly = async (list: string, found: string, gone: string) => {
      const answer = JSON.stringify(await operator.ask(`{ ${list} }`));
      expect([answer.includes(found), answer.includes(gone)]).toEqual([true, false]);
    };
    await expectOnly('loadJobs(search: "SUCH layer") { jobs { fileName } }', 'one.csv', 'two.csv');
    await expectOnly('loadJobs(search: "berkshire", state: "failed") { jobs { fileName } }', 'two.csv', 'one.csv');
    await expectOnly('loadJobs(search: "25003") { jobs { fileName } }', 'two.csv', 'one.csv');
    await expectOnly('webhookEvents(search: "such customer") { events { type } }', 'invoice.paid', 'charge.failed');
    await expectOnly('webhookEvents(state: "ignored") { events { type } }', 'charge.failed', 'invoice.paid');
    await expectOnly('jobs(search: "prune-j", state: waiting) { jobs { task } }', 'prune-jobs', 'refresh');
    await expectOnly('adminActions(search: "by a test") { action }', 'made up', 'other');
    await expectOnly(`adminActions(search: "${operator.email}") { action }`, 'made up', 'other');
  });

  it('says that its rows are those of the filter before, until the ones that fit are there', async () => {
    await openAs(page, operator, '/admin/accounts');
    await page.getByRole('rowheader', { name: operator.email }).waitFor();
    const letThemCome = await holdRequests(page, '**/graphql');
    await page.getByRole('searchbox', { name: 'Search' }).fill('nobody');
    const outdated = page.locator('[aria-busy=true]', { has: page.getByRole('rowheader', { name: operator.email }) });
    await outdated.waitFor();
    await eventually('it is dimmed', () =>
      outdated.evaluate((rows) => Number(rows.ownerDocument.defaultView!.getComputedStyle(rows).opacity) < 1),
    );
    letThemCome();
    await page.getByText('No accounts match search “nobody”.').waitFor();
    await outdated.waitFor({ state: 'detached' });
  });

  /** Whether the keyboard is on the rows, and their beginning in view below the header. */
  async function expectToBeginAt(label: string): Promise<void> {
    const rows = page.getByRole('region', { name: label, exact: true });
    await rows.and(page.locator(':focus')).waitFor();
    await eventually('the rows begin below the header', async () => {
      const { y } = (await rows.boundingBox())!;
      return y >= 60 && y < 800;
    });
  }

  it('of entries begins at its first row when older ones are asked for', async () => {
    const { person, token } = await app.signUpWithTrial();
    for (let n = 1; n <= 50; n++) await person.read(token, 1);
    await openAs(page, person, '/console/usage');
    await page.getByRole('button', { name: 'Older' }).press('Enter');
    await page.waitForURL(/before=/);
    await expectToBeginAt('Ledger entries');
    await page.getByText('By county').click(); // of the chart above it
    await page.waitForURL(/by=county/);
    expect(page.url()).toContain('before=');
    await page.getByRole('button', { name: 'Newest' }).click();
    await expectToBeginAt('Ledger entries');
  });

  it('of actions offers older ones only if there are some, and begins at its first row when its page is turned', async () => {
    const write = (count: number) =>
      app.db.query(
        `insert into admin_action (actor, action, target) select 'command line', 'made_up', 'a target' from generate_series(1, $1::integer)`,
        [count],
      );
    await write(50);
    const actions = page.getByRole('region', { name: 'Actions' }).locator('tbody').getByRole('row');
    const older = page.getByRole('button', { name: 'Page 2' });
    await openAs(page, operator, '/admin/actions?target=a+target');
    await page.getByRole('status').filter({ hasText: '50 actions' }).waitFor();
    expect([await actions.count(), await older.count()]).toEqual([50, 0]);
    await write(1);
    await page.reload();
    await older.click();
    await page.waitForURL(/page=2/);
    await eventually('the oldest is alone', async () => (await actions.count()) === 1);
    await expectToBeginAt('Actions');
  });

  it.each(['/console/usage', '/admin/ledger'])(
    'of entries has none of them, nor a file, while the county is no whole code: %s',
    async (path) => {
      const person = await app.signUpOperator();
      await person.trialToken();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.postData() ?? ''));
      await openAs(page, person, `${path}?county=2501`);
      const county = page.getByRole('searchbox', { name: 'County (FIPS)' });
      await expectFault(county, 'five digits');
      await page.getByRole('status').filter({ hasText: 'Enter all five digits to search by county.' }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(asked.filter((body) => body.includes('query Ledger') || body.includes('query AllLedger'))).toEqual([]);
      const file = page.getByRole('button', { name: 'Download as CSV' });
      expect(await file.count()).toBe(0);
      await county.fill('');
      await page.getByRole('cell', { name: 'grant' }).first().waitFor();
      expect(await county.getAttribute('aria-invalid')).not.toBe('true');
      expect(await file.count()).toBe(path === '/console/usage' ? 1 : 0);
    },
  );

  it('of tokens has all of them, in pages only if there are many', async () => {
    const person = await app.signUp();
    for (let n = 1; n <= 100; n++) await app.paidToken(person.id, `number ${n}`);
    // An account gets a hundred tokens a day.
    await app.db.query(`update api_token set issued_at = issued_at - interval '2 days' where account_id = $1`, [person.id]);
    await openAs(page, person, '/console/tokens');
    await page.getByRole('heading', { name: 'All tokens' }).waitFor();
    const rows = page.getByRole('region', { name: 'Tokens' }).getByRole('rowheader');
    const second = page.getByRole('button', { name: 'Page 2' });
    await rows.nth(99).waitFor();
    expect(await second.count()).toBe(0);
    await app.paidToken(person.id, 'number 101');
    await page.reload();
    await second.click();
    await eventually('the oldest is alone', async () => (await rows.allInnerTexts()).join().startsWith('number 1\n'));
    expect(await rows.count()).toBe(1);
  });

  it('of entries takes what is no day for none', async () => {
    const { person } = await app.signUpWithTrial();
    await openAs(page, person, '/console/usage?to=2020-02-31');
    await page.getByRole('cell', { name: 'grant' }).waitFor();
  });
});

describe('a table', () => {
  const box = (label: string) => page.getByRole('region', { name: label, exact: true });
  const hidden = (label: string) => box(label).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);

  it.each([
    ['/console/usage', 'Ledger entries'],
    ['/admin/ledger', 'Entries'],
  ])('of entries takes two lines an entry on a phone: %s', async (path, label) => {
    const person = await app.signUpOperator();
    await person.trialToken();
    await page.setViewportSize({ width: 390, height: 900 });
    await openAs(page, person, path);
    const entry = box(label).getByRole('rowheader').first();
    expect((await entry.innerText()).split('\n')).toEqual([
      expect.stringMatching(/^\w{3} \d+, \d{4}, /),
      '+50 credits',
      path === '/admin/ledger' ? `grant · ${person.email}` : 'grant',
      '50 left',
    ]);
    expect((await entry.boundingBox())!.height).toBeLessThan(70);
    await entry.getByRole('link').click();
    await page.getByRole('heading', { name: 'Ledger entry' }).waitFor();
  });

  it('of the audit shows each result beside its check on a phone, also with a violation', async () => {
    await app.trialToken();
    const change = (records: number) => app.db.query('update credit_balance set remaining = remaining + $1', [records]);
    await change(-1);
    await operator.ask('mutation { runAudit { ok } }');
    await change(1);
    await page.setViewportSize({ width: 390, height: 900 });
    await openAs(page, operator, '/admin/audit');
    await box('Checks').getByText('First violation:').first().waitFor();
    expect(await hidden('Checks')).toBe(0);
    await operator.ask('mutation { runAudit { ok } }');
  });

  it('of tokens has an address on one line, which no action covers on a laptop', async () => {
    await app.db.query(`update api_token set name = 'Nightly job'`);
    await openAs(page, operator, '/admin/tokens');
    const address = box('List of tokens').getByRole('link', { name: '@example.com' }).first();
    await address.waitFor();
    expect((await address.boundingBox())!.height).toBeLessThan(30);
    expect(await hidden('List of tokens')).toBe(0);
  });
});
