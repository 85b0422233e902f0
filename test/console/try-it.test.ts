import type { Locator } from 'playwright-core';
import { createLog } from '../../src/core/log.js';
import { loadSampleCounty } from '../../src/loader/sample-county.js';
import { TokenStore } from '../../src/tokens/token.store.js';
import { startApp, type TestApp } from '../harness/app.js';
import { openAs, openPages, page } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';

const sample = '48301';
let app: TestApp;
/** Everything that the browser asked for: address, and the token if one was sent. */
let asked: { path: string; token: string | undefined }[];

beforeAll(async () => {
  app = await startApp();
  await loadSampleCounty(app.database, createLog(app.config));
  await eventually('the server knows the release', async () => (await app.get('/api/counties?status=loaded')).json.total === 1);
});
openPages(() => app.config.baseUrl);
beforeEach(() => {
  asked = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    asked.push({ path: pathname + search, token: request.headers().authorization });
  });
});

const answer = () => page.getByRole('region', { name: 'The answer' });
const send = () => page.getByRole('button', { name: 'Send', exact: true });
const fact = (name: string): Locator =>
  page
    .locator('dl div')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
    .locator('dd');

async function openForm(path: string, name: string | RegExp): Promise<void> {
  await page.goto(path);
  await page.getByRole('button', { name }).first().click();
  await send().waitFor();
}

async function withTrial(): Promise<[person: Person, token: string]> {
  const person = await app.signUp();
  return [person, await person.trialToken()];
}

describe('trying a call out', () => {
  it('shows a person who never read the docs a record of the sample county within three clicks, without an account', async () => {
    await page.goto('/');
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('button', { name: 'Try it: GET /api/parcels' }).first().click();
    await page.getByText('Without a token you see a free record').waitFor();
    await send().click();
    await page.getByText('An invented record of Loving County, TX, free of charge.').waitFor();
    await page.getByRole('region', { name: 'The free record' }).getByText('"county_fips"').waitFor();
    await page.getByRole('img', { name: /^The parcel's outline/ }).waitFor();
    expect(asked.filter(({ path }) => path.startsWith('/api/parcels'))).toEqual([]);
  });

  it('reads 3 records with a trial token, says before that it costs up to 3 credits, and shows 50 before and 47 after', async () => {
    const [, token] = await withTrial();
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    await page.getByLabel('Token', { exact: true }).fill(` "Bearer ${token}" `);
    await page.getByLabel('limit').fill('3');
    await page.getByText('Costs up to 3 credits').waitFor();
    await page.getByLabel('limit').press('Enter');
    await page.getByText('3 records for 3 credits.').waitFor();
    expect(await fact('Credits').innerText()).toBe('50 before, 47 after');
    expect(await fact('Status').innerText()).toBe('200');
    expect(await fact('X-Request-Id').innerText()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await page.getByRole('img', { name: /^The parcel's outline/ }).count()).toBe(3);
    const usage = (await app.get('/api/usage', { token })).json;
    expect([usage.balance.credits_remaining, usage.ledger[0].id]).toEqual([47, await fact('Ledger entry').innerText()]);
  });

  it('tells the records of a paid token that were overage from the included ones', async () => {
    const person = await app.signUp();
    const token = (await new TokenStore(app.database.dataSource).issuePaidByOperator(person.id, 'paid')).rawToken;
    await app.db.query(`select adjust_balance(id, -3998, 'Leaves two.', $1, null) from credit_balance where account_id = $1`, [person.id]);
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByLabel('limit').fill('3');
    await page.getByText('Each beyond the included records costs $0.05.').waitFor();
    await send().click();
    await page.getByText('3 records for 3 credits.').waitFor();
    expect(await fact('Credits').innerText()).toBe('2 before, 0 after, and 1 overage record');
    await send().click();
    await page.getByText('0 before, 0 after, and 3 overage records').waitFor();
  });

  it('folds parts of the answer, and opens the folded ones', async () => {
    const [, token] = await withTrial();
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByLabel('limit').fill('10');
    await send().click();
    await answer().getByText('"credits_remaining"').waitFor();
    expect(await answer().getByText('"apn"', { exact: true }).count()).toBe(0);
    await answer().locator('details:not([open]) > summary').first().click();
    await answer().getByText('"apn"', { exact: true }).waitFor();
    await answer().locator('summary').first().click();
    await answer().getByText('"apn"', { exact: true }).waitFor({ state: 'hidden' });
  });

  it('sends the request that it shows as a program, with the parameters that are filled in', async () => {
    const [, token] = await withTrial();
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByLabel('county_fips').fill(sample);
    await page.getByLabel('limit').fill('2');
    const shown = page.getByRole('tabpanel').first();
    await shown.getByText(`/api/parcels?county_fips=${sample}&limit=2`).waitFor();
    expect(await shown.innerText()).toContain('Bearer $API_TOKEN');
    await send().click();
    await page.getByText('2 records for 2 credits.').waitFor();
    const reads = asked.filter(({ path }) => path.startsWith('/api/parcels'));
    expect(reads).toEqual([{ path: `/api/parcels?county_fips=${sample}&limit=2`, token: `Bearer ${token}` }]);
  });

  it('buys nothing twice with an Idempotency-Key that it makes', async () => {
    const [, token] = await withTrial();
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByText('Headers: Idempotency-Key').first().click();
    await page.getByText('The same key returns the same records again for nothing').first().waitFor();
    await page.getByRole('button', { name: 'Make an Idempotency-Key' }).click();
    await send().click();
    await page.getByText('1 record for 1 credit.').waitFor();
    await send().click();
    await page.getByText('1 record for 0 credits.').waitFor();
    expect(await fact('Credits').innerText()).toBe('49 before, 49 after');
    expect(await fact('Idempotency-Replayed').innerText()).toBe('true');
  });

  it('shows the rule beside a parameter that breaks it, and that nothing was charged', async () => {
    const [, token] = await withTrial();
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByLabel('limit').fill('1001');
    await page.getByText('Costs nothing.').waitFor();
    await send().click();
    await page.getByRole('textbox', { name: 'limit' }).and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByText('limit must be 1000 or less, not 1001.', { exact: true }).first().waitFor();
    await page.getByRole('status').filter({ hasText: 'Nothing is charged.' }).waitFor();
  });

  it('shows the cure when a token is used up, one that is wrong, and none', async () => {
    const [person, token] = await withTrial();
    await person.read(token, 50);
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    const field = page.getByLabel('Token', { exact: true });
    await field.fill(token);
    await send().click();
    await page.getByText('Trial: get the paid plan. Paid plan: raise the cap in the console, or wait for the next period.').waitFor();
    await field.fill('pk_trial_not_a_token');
    await send().click();
    await page.getByText('Check that you send the whole token.').waitFor();
    await page.getByRole('link', { name: 'About the error invalid' }).click();
    await page.locator('#error-invalid:focus').waitFor();
    await openForm('/docs/metering', 'Try it: GET /api/usage');
    await send().click();
    await page.getByRole('link', { name: 'About the error missing' }).waitFor();
  });

  it('keeps the token in memory alone: neither stored, nor in an address, nor there after a reload', async () => {
    const [, token] = await withTrial();
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    await page.getByLabel('Token', { exact: true }).fill(token);
    await send().click();
    await page.getByText('1 record for 1 credit.').waitFor();
    const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])');
    expect(stored).not.toContain(token);
    expect(asked.filter(({ path }) => path.includes(token))).toEqual([]);
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe('');
  });

  it('in the console has the token that was just created, and leads to the ledger entry of the call', async () => {
    await openAs(page, await app.signUp());
    await page.getByRole('button', { name: 'Get the trial token' }).click();
    await page.getByLabel('I have stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'make it in the browser' }).click();
    await page.getByRole('heading', { level: 1, name: 'Try it' }).waitFor();
    await send().click();
    await page.getByText('1 record for 1 credit.').waitFor();
    expect(await fact('Credits').innerText()).toBe('50 before, 49 after');
    await page.locator('dl a').click();
    await page.getByRole('heading', { name: 'Parcels' }).waitFor();
  });

  it('fills in the token that a call has created', async () => {
    await openAs(page, await app.signUp(), '/docs/tokens');
    await page.getByRole('button', { name: 'Try it: POST /api/tokens/trial' }).click();
    await send().click();
    await answer().getByText('"raw_token"').waitFor();
    await page.getByRole('navigation', { name: 'Contents' }).first().getByRole('link', { name: 'Records' }).click();
    await page.getByRole('button', { name: 'Try it: GET /api/parcels' }).first().click();
    await send().click();
    await page.getByText('1 record for 1 credit.').waitFor();
  });

  it('opens from the home page', async () => {
    await page.goto('/');
    await page.getByRole('link', { name: 'try it in the browser' }).click();
    await send().click();
    await page.getByText('An invented record of Loving County, TX, free of charge.').waitFor();
  });

  it('opens from the page of a county with that county filled in', async () => {
    await page.goto(`/counties/${sample}`);
    await page.getByRole('link', { name: 'Try it' }).click();
    await send().waitFor();
    expect(await page.getByLabel('county_fips').inputValue()).toBe(sample);
  });

  it('says that there is no such county, and no answer while the network is away', async () => {
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    await page.getByLabel('county_fips').fill('99999');
    await send().click();
    await page.getByText('There is no county 99999.').waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('county_fips').fill(sample);
    await send().click();
    await page.getByText('No answer came. Check your connection').waitFor();
  });

  it.each(['Try it: GET /api/counties', 'Try it: GET /api/counties/{fips}', 'Try it: GET /api/coverage'])(
    '%s needs no token, and answers 200',
    async (name) => {
      await page.goto('/docs/counties');
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.getByText('Costs nothing.').waitFor();
      await send().click();
      await fact('Status').waitFor();
      expect(await fact('Status').innerText()).toBe('200');
      expect(await page.getByLabel('Token', { exact: true }).count()).toBe(0);
    },
  );

  it('works by the keyboard alone on a phone, without scrolling sideways', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/docs');
    const button = page.getByRole('button', { name: 'Try it: GET /api/parcels' }).first();
    await button.focus();
    await page.keyboard.press('Enter');
    await send().waitFor();
    await page.keyboard.press('Tab');
    await page.locator('input:focus, a:focus').waitFor();
    await send().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'The free record' }).waitFor();
    const said = page.getByRole('status').filter({ hasText: 'free of charge' });
    await eventually('what came is in view', async () => {
      const { y } = (await said.boundingBox())!;
      return y > 0 && y < 844;
    });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
