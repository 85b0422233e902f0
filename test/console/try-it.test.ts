import type { Locator } from 'playwright-core';
import { createLog } from '../../src/core/log.js';
import { loadSampleCounty } from '../../src/loader/sample-county.js';
import { startApp, type TestApp } from '../harness/app.js';
import { openAs, openPages, page } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';

const sample = '48301';
let app: TestApp;
/** Everything that the browser asked for: address, and the token if one was sent. */
let asked: { path: string; token: string | undefined }[];

beforeAll(async () => {
  app = await startApp();
  await loadSampleCounty(app.database, createLog(app.config));
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
const county = () => page.getByRole('combobox', { name: 'county_fips' });
const limit = () => page.getByRole('textbox', { name: 'limit' });
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

describe('trying a call out', () => {
  it('shows whoever has no account a record within two keys on a phone, or of the county whose page is open, and says why none came', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/');
    await page.getByRole('link', { name: 'try it in the browser' }).press('Enter');
    await page.getByText('Without a token you see a free record').waitFor();
    await send().press('Enter');
    const said = page.getByRole('status').filter({ hasText: 'An invented record of Loving County, TX, free of charge.' });
    await eventually('what came is in view', async () => {
      const { y } = (await said.boundingBox())!;
      return y > 0 && y < 844;
    });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.getByRole('region', { name: 'The free record' }).getByText('"county_fips"').waitFor();
    await page.getByRole('img', { name: /^The parcel's outline/ }).waitFor();
    expect(asked.filter(({ path }) => path.startsWith('/api/parcels'))).toEqual([]);

    await county().fill('99999');
    await send().click();
    await page.getByText('There is no county 99999.').waitFor();

    await page.goto(`/counties/${sample}`);
    await page.getByRole('link', { name: 'Try it' }).click();
    await send().waitFor();
    expect(await county().inputValue()).toBe(sample);
    await page.context().setOffline(true);
    await send().click();
    await page.getByText('No answer came. Check your connection').waitFor();
  });

  it('sends with a pasted token what it shows as a program, says what it costs before and after, and keeps the token in memory alone', async () => {
    const token = await (await app.signUp()).trialToken();
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    await page.getByLabel('Token', { exact: true }).fill(` "Bearer ${token}" `);
    await county().fill('loving');
    await page.getByRole('option', { name: 'Loving County, Texas' }).waitFor();
    await county().press('Enter');
    const shown = page.getByRole('tabpanel').first();
    await shown.getByText(`county_fips=${sample}`).waitFor();
    await limit().fill('10');
    await page.getByText('Costs up to 10 credits').waitFor();
    const path = `/api/parcels?county_fips=${sample}&limit=10`;
    await shown.getByText(path).waitFor();
    expect(await shown.innerText()).toContain('Bearer $API_TOKEN');
    await limit().press('Enter');
    await page.getByText('10 records for 10 credits.').waitFor();
    expect(await fact('Credits').innerText()).toBe('50 before, 40 after');
    expect(await fact('Token').innerText()).toBe('the one that was pasted');
    expect(await fact('Status').innerText()).toBe('200');
    expect(await fact('X-Request-Id').innerText()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await page.getByRole('img', { name: /^The parcel's outline/ }).count()).toBe(6);
    const usage = (await app.get('/api/usage', { token })).json;
    expect([usage.balance.credits_remaining, usage.ledger[0].id]).toEqual([40, await fact('Ledger entry').innerText()]);
    expect(asked.filter((request) => request.path.startsWith('/api/parcels'))).toEqual([{ path, token: `Bearer ${token}` }]);

    // A long answer is folded.
    expect(await answer().getByText('"apn"', { exact: true }).count()).toBe(0);
    await answer().locator('details:not([open]) > summary').first().click();
    await answer().getByText('"apn"', { exact: true }).waitFor();
    await answer().locator('summary').first().click();
    await answer().getByText('"apn"', { exact: true }).waitFor({ state: 'hidden' });

    const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])');
    expect(stored).not.toContain(token);
    expect(asked.filter((request) => request.path.includes(token))).toEqual([]);
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe('');
  });

  it('shows the rule beside a parameter that breaks it, and the cure when a token is used up, one that is wrong, and none', async () => {
    const { person, token } = await app.signUpWithTrial();
    await person.read(token, 50);
    await openForm('/docs/records', 'Try it: GET /api/parcels');
    const field = page.getByLabel('Token', { exact: true });
    await field.fill(token);
    await send().click();
    await page.getByText('Trial: get the paid plan. Paid plan: raise the cap in the console, or wait for the next period.').waitFor();
    await field.fill(await (await app.signUp()).trialToken());
    await limit().fill('1001');
    await page.getByText('Costs nothing.').waitFor();
    await send().click();
    await limit().and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByText('limit must be 1000 or less, not 1001.', { exact: true }).first().waitFor();
    await page.getByRole('status').filter({ hasText: 'Nothing is charged.' }).waitFor();
    await field.fill('pk_trial_not_a_token');
    await send().click();
    await page.getByText('Check that you send the whole token.').waitFor();
    await page.getByRole('link', { name: 'About the error invalid' }).click();
    await page.locator('#error-invalid:focus').waitFor();
    await openForm('/docs/metering', 'Try it: GET /api/usage');
    await send().click();
    await page.getByRole('link', { name: 'About the error missing' }).waitFor();
  });

  it('in the console spends the token of the account that is chosen, whose secret nobody pastes, and answers as to a program', async () => {
    const person = await app.signUp();
    const { tokenId } = await app.identityOf(await app.paidToken(person.id));
    await app.db.query(`select adjust_balance(id, -3998, 'Leaves two.', $1, null) from credit_balance where account_id = $1`, [person.id]);
    const secret = await person.trialToken();
    await openAs(page, person, '/console/try');
    const choice = page.getByLabel('Your token');
    await choice.getByText('Trial: 50 records left').waitFor({ state: 'attached' });
    await page.getByText('Headers: Idempotency-Key').click();
    await page.getByRole('button', { name: 'Make an Idempotency-Key' }).click();
    await send().click();
    await page.getByText('1 record for 1 credit.').waitFor();
    expect([await fact('Credits').innerText(), await fact('Token').innerText()]).toEqual(['50 before, 49 after', 'Trial']);
    // The same key buys nothing twice.
    await send().click();
    await page.getByText('1 record for 0 credits.').waitFor();
    expect([await fact('Credits').innerText(), await fact('Idempotency-Replayed').innerText()]).toEqual(['49 before, 49 after', 'true']);
    await page.getByRole('textbox', { name: 'Idempotency-Key' }).fill('');

    await choice.selectOption(tokenId);
    await limit().fill('3');
    await page.getByText('Each beyond the included records costs $0.05.').waitFor();
    await send().click();
    await page.getByText('2 before, 0 after, and 1 overage record').waitFor();
    await choice.getByText('paid: 0 records left').waitFor({ state: 'attached' });
    await send().click();
    await page.getByText('0 before, 0 after, and 3 overage records').waitFor();
    for (const [wanted, refusal] of [
      ['1001', 'limit must be 1000 or less, not 1001.'],
      ['ten', 'limit must be a whole number in plain digits, not ten. Nothing was sent.'],
    ] as const) {
      await limit().fill(wanted);
      await send().click();
      await page.getByText(refusal, { exact: true }).first().waitFor();
    }
    expect(asked.filter(({ path }) => path.startsWith('/api/parcels'))).toEqual([]);

    await page.getByLabel('Request', { exact: true }).selectOption('usage');
    await send().click();
    await answer().getByText('"ledger_entry_id"').first().waitFor();
    await choice.selectOption({ label: 'Another one, pasted' });
    await page.getByLabel('Token', { exact: true }).fill(secret);
    await page.getByLabel('Request', { exact: true }).selectOption('parcels');
    await send().click();
    await page.getByText('1 record for 1 credit.').waitFor();
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

  it('answers 200 about coverage without a token', async () => {
    await page.goto('/docs/counties');
    for (const path of ['/api/counties', '/api/counties/{fips}', '/api/coverage']) {
      const open = page.getByRole('button', { name: `Try it: GET ${path}`, exact: true }).first();
      await open.click();
      await page.getByText('Costs nothing.').waitFor();
      await send().click();
      await fact('Status').getByText('200').waitFor();
      expect(await page.getByLabel('Token', { exact: true }).count()).toBe(0);
      await open.click();
    }
  });
});
