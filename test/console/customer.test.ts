import { hash } from 'node:crypto';
import type { APIResponse, Locator, Page } from 'playwright-core';
import { startApp, type TestApp } from '../harness/app.js';
import { browser, fillSignIn, fillSignUp, holdRequests, openAs, openPage, openPages, page, storeToken } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  const release = await publishRecords(app.db, '25017', 30);
  // A row of squares, so that there is something to draw.
  await app.db.query(
    `update parcel set record = jsonb_set(record::jsonb, '{geometry}', jsonb_build_object('type', 'Polygon', 'coordinates', jsonb_build_array(
       (select jsonb_agg(jsonb_build_array(-71.2 + (ordinal + x) * 0.001, 42.4 + y * 0.001) order by corner)
          from (values (1, 0, 0), (2, 0.9, 0), (3, 0.9, 0.9), (4, 0, 0.9), (5, 0, 0)) c (corner, x, y)))))::text
      where release_id = $1`,
    [release],
  );
});
openPages(() => app.config.baseUrl, { permissions: ['clipboard-read', 'clipboard-write'] });

/** Opens the console as a new person. */
async function openAsNew(): Promise<Person> {
  const person = await app.signUp();
  await openAs(page, person);
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  return person;
}

/** Opens a page as a new person with a trial token that has read `records` records. */
async function openWithToken(path?: string, records = 0): Promise<string> {
  const { person, token } = await app.signUpWithTrial();
  for (let left = records; left > 0; left -= 25) await person.read(token, Math.min(left, 25)); // the county has 30
  await openAs(page, person, path);
  return token;
}

/** Takes the trial token in the console; answers with its raw value, as shown. */
async function takeTrialToken(): Promise<string> {
  await page.getByRole('button', { name: 'Get the trial token' }).click();
  return storeToken(page);
}

describe('a visitor', () => {
  it('sees coverage as numbers, as a map that answers keys and clicks and zooms into a state, and as a table, with records first or alone', async () => {
    await page.goto('/');
    await page.getByText('1 county ready').waitFor();
    await page.getByText('30 records; 3,232 not yet').waitFor();
    const map = page.getByRole('application', { name: 'Coverage of counties' });
    await map.focus();
    await map.press('ArrowRight');
    await map.press('ArrowRight');
    await page.getByRole('status').filter({ hasText: 'Planned' }).waitFor();
    await map.press('Enter');
    await page.locator('a:focus', { hasText: 'More about this county' }).waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.getByRole('button', { name: 'Close', exact: true }).press('Enter');
    await page.getByRole('link', { name: 'More about this county' }).waitFor({ state: 'detached' });
    expect(await page.getByText('the first load is running').count()).toBe(0);
    await map.scrollIntoViewIfNeeded();
    const whole = (await map.boundingBox())!;
    const douglas = { x: whole.width * 0.35, y: whole.height * 0.46 };
    await map.click({ position: douglas });
    const card = page.getByRole('region', { name: 'Douglas, Colorado' });
    await card.getByText('on the list, no records yet').waitFor();
    const [box, mapBox] = [(await card.boundingBox())!, (await map.boundingBox())!];
    expect(Math.abs(box.x - (mapBox.x + douglas.x))).toBeLessThan(60);
    await card.getByRole('link', { name: 'More about this county' }).click();
    await page.getByRole('heading', { name: 'Douglas County, Colorado' }).waitFor();
    await page.getByText('No records yet. This county is planned.').waitFor();
    await page.goBack();
    await card.waitFor();
    await page.goBack();
    await card.waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${app.config.baseUrl}/`);
    const states = await page.getByRole('region', { name: 'Coverage by state' }).getByRole('rowheader').allTextContents();
    expect(states).toEqual(states.toSorted());
    await page.getByRole('link', { name: 'Massachusetts' }).click();
    await page.getByRole('rowheader', { name: 'Middlesex County' }).waitFor();
    expect(page.url()).toContain('?state=MA');
    await page.reload();
    const rows = page.getByRole('region', { name: 'Counties of Massachusetts' }).getByRole('rowheader');
    await rows.first().waitFor();
    expect([await rows.count(), await rows.first().innerText()]).toEqual([14, 'Middlesex County']);
    const widthShown = async () => Number((await map.getAttribute('viewBox'))!.split(' ')[2]);
    const isZoomedIn = () => eventually('the state fills the map', async () => (await widthShown()) < 400);
    const isWhole = () => eventually('the whole country is shown', async () => (await widthShown()) === 3900);
    await isZoomedIn();
    const { width, height } = (await map.boundingBox())!;
    await map.click({ position: { x: width * 0.45, y: height * 0.5 } }); // in the middle of the state
    await page.getByRole('region', { name: 'Worcester, Massachusetts' }).waitFor();
    await page.getByRole('button', { name: 'Whole country' }).click();
    await isWhole();
    await page.getByRole('button', { name: 'Zoom to Massachusetts' }).click();
    await isZoomedIn();
    await page.getByRole('button', { name: 'Only with records' }).click();
    await rows.filter({ hasText: 'Worcester' }).waitFor({ state: 'detached' });
    expect(await rows.allInnerTexts()).toEqual(['Middlesex County']);
    await page.getByRole('link', { name: 'All states' }).click();
    await page.getByRole('region', { name: 'Coverage by state' }).waitFor();
    expect(await page.getByRole('region', { name: 'Coverage by state' }).getByRole('rowheader').allInnerTexts()).toEqual(['Massachusetts']);
    await isWhole();
    expect(new URL(page.url()).searchParams.get('with')).toBe('records');
  });

  it('is answered within the screen of a phone by a tap on the map and by the search, of which Enter right behind the text takes the first place', async () => {
    const phone = await openPage(browser, { baseURL: app.config.baseUrl, viewport: { width: 390, height: 600 }, hasTouch: true });
    await phone.goto('/');
    const map = phone.getByRole('application', { name: 'Coverage of counties' });
    const { width, height } = (await map.boundingBox())!;
    await map.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    await map.tap({ position: { x: width * 0.35, y: height * 0.46 } });
    const link = phone.getByRole('region', { name: 'Douglas, Colorado' }).getByRole('link');
    await link.and(phone.locator(':focus')).waitFor();
    await eventually('the card is on the screen', async () => {
      const { y, height } = (await link.boundingBox())!;
      return y >= 0 && y + height <= 600;
    });

    const field = phone.getByRole('combobox', { name: 'Find a county, city, state or ZIP code' });
    await field.fill('cambridge');
    await phone.getByRole('option').nth(3).waitFor();
    const list = phone.getByRole('listbox');
    await eventually('the list is on the screen', async () => {
      const shown = (await list.boundingBox())!;
      return shown.y >= 0 && shown.y + shown.height <= 600;
    });
    for (const _ of [1, 2]) await field.press('ArrowDown');
    const marked = phone.getByRole('option', { selected: true });
    expect(await marked.getAttribute('id')).toBe(await field.getAttribute('aria-activedescendant'));
    const [first] = (await marked.innerText()).split('\n');
    await field.press('Enter');
    await phone.getByRole('heading', { name: first! }).waitFor();

    await field.tap();
    await phone.keyboard.type('boston, massachusetts');
    await phone.keyboard.press('Enter');
    await phone.getByRole('heading', { name: 'Suffolk County, Massachusetts' }).waitFor();
  });

  it('finds a county by its city, ZIP code, state or name, and learns before buying what is in it and what it costs', async () => {
    await page.goto('/');
    const field = page.getByRole('combobox', { name: 'Find a county, city, state or ZIP code' });
    await field.fill('cambridge');
    await page.getByRole('option', { name: 'Middlesex County, Massachusetts Cambridge · Loaded, 30 records' }).waitFor();
    await page.getByRole('option', { name: 'Dorchester County, Maryland' }).waitFor();
    await field.fill('st. louis, mo');
    await page.getByRole('option', { name: 'St. Louis city, Missouri' }).waitFor();
    await field.fill('charleston, west virginia');
    await page.getByRole('option', { name: 'Kanawha County, West Virginia Charleston · 54039 · Planned' }).waitFor();
    await field.fill('02139');
    await page.getByRole('option', { name: 'Middlesex County, Massachusetts ZIP 02139 · Loaded, 30 records' }).waitFor();
    await field.fill('new j');
    await page.getByRole('option', { name: 'New Jersey state' }).click();
    await page.locator('h3:focus', { hasText: 'New Jersey' }).waitFor();
    await page.getByRole('rowheader', { name: 'Hudson County' }).waitFor();
    await field.fill('middlesex');
    await page.getByRole('option', { name: 'Middlesex County, Massachusetts Loaded, 30 records', selected: true }).waitFor();
    await field.press('ArrowDown');
    await field.press('ArrowUp');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Middlesex County, Massachusetts' }).waitFor();
    expect(page.url()).toBe(`${app.config.baseUrl}/counties/25017`);
    expect(await page.title()).toBe('Middlesex County, MA parcel records – Parcel Records');
    await page.getByText('made up for a test').first().waitFor();
    await page.getByRole('rowheader', { name: 'land_value' }).waitFor();
    await page.getByText('All 30 records').waitFor();
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByRole('tabpanel').getByText('county_fips=25017').waitFor();
    await page.reload();
    await page.getByRole('tab', { name: 'Python', selected: true }).waitFor();
    await page.goto('/counties/99999');
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  });

  it('reads numbers, money and times as the language of the page writes them, in a browser of another one, too, and is at the same place after Back', async () => {
    const german = await openPage(browser, { baseURL: app.config.baseUrl, locale: 'de-DE' });
    await german.goto('/counties/25017');
    await german.getByText('One month, with 4,000 records').waitFor();
    await german.getByText(/^[A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d\s[AP]M$/).waitFor(); // published at
    const readIt = german.getByRole('heading', { name: 'Read the records' });
    await readIt.evaluate((heading) => heading.scrollIntoView());
    const topOf = () => readIt.evaluate((heading) => heading.getBoundingClientRect().top);
    const top = await topOf();
    await german.getByRole('link', { name: 'Read the docs' }).evaluate((link: { click(): void }) => link.click());
    await german.getByRole('heading', { name: 'Get started' }).waitFor();
    await german.goBack();
    await readIt.waitFor();
    await eventually('the place is back', async () => Math.abs((await topOf()) - top) < 2);
  });

  it('sees a small county as it is, as large as the map of its page allows, and the coarse shapes of a state where there are no finer ones', async () => {
    const letFinerShapesCome = await holdRequests(page, '**/state-shapes-*');
    await page.goto('/counties/25025');
    const map = page.getByRole('img', { name: 'Location of Suffolk County' });
    const outline = () => map.locator('path[class*=active]').first();
    await outline().waitFor();
    const [coarse, view] = [await outline().getAttribute('d'), await map.getAttribute('viewBox')];
    letFinerShapesCome();
    await eventually('the shape is a finer one', async () => (await outline().getAttribute('d')) !== coarse);
    expect((await outline().getAttribute('d'))!.length).toBeGreaterThan(4 * coarse!.length);
    expect(await map.getAttribute('viewBox')).toBe(view);
    expect((await outline().boundingBox())!.width).toBeGreaterThan(0.3 * (await map.boundingBox())!.width);

    // The map of a state answers with its coarse shapes where the finer ones cannot be had.
    await page.route('**/state-shapes-*', (route) => route.abort());
    await page.goto('/?state=RI');
    const ofState = page.getByRole('application', { name: 'Coverage of counties' });
    const { width, height } = (await ofState.boundingBox())!;
    await ofState.click({ position: { x: width * 0.45, y: height * 0.3 } });
    await page.getByRole('region', { name: 'Providence, Rhode Island' }).waitFor();
    await page.unrouteAll();
  });

  it('sees a county without a usable source in the map of its page as in the legend', async () => {
    const barnstable = '25001';
    await app.db.query(`update county set status = 'unavailable' where fips = $1`, [barnstable]);
    await page.goto(`/counties/${barnstable}`);
    const map = page.getByRole('img', { name: 'Location of Barnstable County' });
    await map.waitFor();
    const missing = await map.evaluate((svg) => {
      const fills = [...svg.querySelectorAll('path')].map((path) => svg.ownerDocument.defaultView!.getComputedStyle(path).fill);
      const patterns = fills.flatMap((fill) => /#([\w-]+)/.exec(fill)?.[1] ?? []);
      return [patterns.length > 0, patterns.filter((id) => !svg.querySelector(`pattern[id=${id}]`))];
    });
    expect(missing).toEqual([true, []]);
  });

  it('learns everywhere that of a county only a part can be bought, and how much that is', async () => {
    const essex = '25009';
    const release = await publishRecords(app.db, essex, 5);
    await app.db.query(`update parcel_release set parts = $2, report = '{"spread": {"cells": 1000, "filled": 33}}' where id = $1`, [
      release,
      JSON.stringify([{ name: 'salem', loadedBy: release, first: 1, records: 5 }]),
    ]);
    await app.db.query('update county set current_release_id = current_release_id where fips = $1', [essex]);
    await eventually('the pages know it', async () => (await app.get(`/page-data/counties/${essex}`)).json.county.isPartial);
    expect((await app.get(`/api/counties/${essex}`)).json).toMatchObject({ status: 'loaded', area_share: 0.033, part_names: ['salem'] });

    await page.goto('/?state=MA');
    await page.getByText('1 county ready, 1 in part').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Essex County, MA: 5 records of Salem, 3.3% of its area' }).waitFor();
    await page.getByRole('row', { name: 'Essex County' }).getByText('Partial').waitFor();
    await page.getByRole('combobox', { name: 'Find a county, city, state or ZIP code' }).fill('essex');
    await page.getByRole('option', { name: 'Essex County, Massachusetts Partial, 5 records' }).click();
    await page.getByText('Partial: Salem, 3.3% of its area').waitFor();
    const price = page.getByRole('region', { name: 'Price of the loaded records' });
    await price.getByText('The county is only partly loaded: Salem, 3.3% of its area.').waitFor();
    await app.db.query(
      `update county set status = 'planned', current_release_id = null, parcel_count = 0, loaded_at = null where fips = $1`,
      [essex],
    );
    await page.getByRole('link', { name: 'Counties of Massachusetts' }).click();
    await page.getByRole('application', { name: 'Coverage of counties' }).waitFor();
  });

  it('gets past the header by the first key, finds a field in the docs by the keyboard alone, and another page by its contents on a phone', async () => {
    await page.goto('/docs');
    await page.getByRole('heading', { name: 'First request' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#main');
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: 'Search the docs' });
    await field.and(page.locator(':focus')).waitFor();
    await field.fill('land_v');
    await page.getByRole('option', { name: 'land_value field of a record' }).waitFor();
    await field.press('Enter');
    await page.locator('#record-land_value:focus').waitFor();
    expect(page.url()).toBe(`${app.config.baseUrl}/docs/fields#record-land_value`);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText('Contents', { exact: true }).click();
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Metering' }).click();
    const answer = page.getByRole('region', { name: 'Answer: GET /api/usage' });
    await answer.getByText('"included_records"').waitFor();
    await answer.locator('summary').first().click();
    await answer.getByText('"included_records"').waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});

describe('a new customer', () => {
  it('goes from the first page, where an address that has an account is told what to do, to a token, to records, to the line of the ledger that names them', async () => {
    await page.goto('/');
    await page.getByRole('link', { name: 'Get 50 free records' }).click();
    await fillSignUp(page, (await app.signUp()).email);
    await page.getByRole('alert').filter({ hasText: 'Sign in, or reset your password.' }).waitFor();
    await fillSignUp(page);
    const token = await takeTrialToken();
    expect(token).toMatch(/^pk_trial_\w+$/);
    await page.getByText('50 of 50 included records left').waitFor();

    await page.getByText('Waiting for your call').waitFor();
    const answer = await app.get('/api/parcels?limit=7', { token });
    expect(answer.json.parcels).toHaveLength(7);
    await page.getByText('Received: 7 records').waitFor();
    await page.getByText('43 of 50 included records left').waitFor();

    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('7 in total').waitFor();
    await page.getByText('2 entries', { exact: true }).waitFor(); // the first call was shown, which delivers it no second time
    await page.getByLabel('Find').fill(answer.headers.get('x-request-id') ?? '');
    await page.getByText('1 entry', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Ledger entries' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Parcels' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/usage/entries/${answer.json.metering.ledger_entry_id}`);
    const returned = page.getByRole('region', { name: 'Returned records' });
    for (const { parcel_id } of answer.json.parcels) await returned.getByTitle(parcel_id, { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Map of 7 parcels' }).waitFor();
    await page.getByText('43', { exact: true }).waitFor();

    // That it was shown here is in the ledger, but is no line of the list unless asked for.
    await page.goto('/console/usage');
    await page.getByText('2 entries', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('shown in console');
    await page.getByText('1 entry', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'shown in console' }).waitFor();
    await page.getByRole('region', { name: 'Ledger entries' }).getByRole('link').click();
    await page.getByText('shown in console: the records of an earlier read, shown here free of charge').waitFor();
  });

  it('reads in words what a balance costs and what became of a token, and follows a retry to the read that paid for it, and back', async () => {
    const { person, token } = await app.signUpWithTrial();
    await openAs(page, person, '/console/usage?kind=terms');
    await page.getByRole('cell', { name: 'Plan trial: 50 records a period, no overage. The period ends' }).waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('token');
    await page.getByRole('cell', { name: `The SHA-256 of its secret is ${hash('sha256', token)}.` }).waitFor();
    await page.getByRole('region', { name: 'Ledger entries' }).getByRole('link').click();
    await page.getByText('token: a token of this balance was created or revoked').waitFor();

    const read = () => app.get('/api/parcels?limit=2', { token, headers: { 'idempotency-key': 'once' } });
    const [first, again] = [await read(), await read()];
    await page.goto(`/console/usage/entries/${again.json.metering.ledger_entry_id}`);
    await page.getByText('Repeats').waitFor();
    await page.getByRole('link', { name: first.json.metering.ledger_entry_id }).click();
    await page.getByText('Repeated free of charge by').waitFor();
    await page.getByRole('link', { name: again.json.metering.ledger_entry_id }).click();
    await page.getByText('Repeats').waitFor();
  });

  it('closes the first steps for good, gets one token by a double click, the first call with it wherever there is none yet, and another once it is revoked', async () => {
    await openAsNew();
    const steps = page.getByText('First steps: 0 of 3 done');
    await steps.click();
    await page.getByRole('heading', { name: 'Your first token' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your first token' }).waitFor();
    expect(await page.getByRole('button', { name: 'Get the trial token' }).count()).toBe(1);
    await steps.click();
    await page.getByRole('heading', { name: 'Your first token' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Get the trial token' }).dblclick();
    const shown = (where: Locator | Page) => where.getByRole('tabpanel').first().innerText();
    const rawToken = (await page.getByRole('region', { name: 'Token', exact: true }).innerText()).trim();
    const withToken: string[] = [];
    for (const language of ['JavaScript', 'Python', 'curl']) {
      await page.getByRole('dialog').getByRole('tab', { name: language }).click();
      withToken.push(await shown(page.getByRole('dialog')));
    }
    expect(withToken.every((code) => code.includes(rawToken) && !code.includes('API_TOKEN'))).toBe(true);
    await storeToken(page);
    await page.getByText('Waiting for your call').waitFor();
    const inSteps = await shown(page);
    expect(inSteps).toBe(withToken[2]!.replace(rawToken, '$API_TOKEN'));
    await page.getByText('First steps').click();
    expect(await shown(page.getByRole('region', { name: 'Latest requests', exact: true }))).toBe(inSteps);
    await page.getByText('First steps').click();
    await page.getByRole('link', { name: 'Requests', exact: true }).click();
    await page.getByText('No requests in the last 30 days.').waitFor();
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('rowheader', { name: 'Trial' }).waitFor();
    expect([await page.getByRole('alert').count(), await page.getByRole('rowheader').count()]).toEqual([0, 1]);

    await page.getByRole('button', { name: 'Revoke Trial' }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await steps.waitFor();
    expect(await page.getByText('Waiting for your call').count()).toBe(0);
    await page.getByRole('button', { name: 'Get the trial token' }).waitFor();
    await page.goto('/docs');
    expect(await shown(page)).toBe(inSteps);
  });

  it('takes another trial token where the answer with the first one was lost, and sees it whatever was asked for before', async () => {
    await openAsNew();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('IssueTrialToken')) return route.fallback();
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Get the trial token' }).click();
    await page.getByText('The server could not be reached').waitFor();
    await page.unroute('**/graphql');
    await page.reload();
    const replace = page.getByRole('button', { name: 'I lost the token' });
    await replace.waitFor();
    // What was asked for before the change is answered after it.
    const issued = page.waitForResponse((response) => response.request().postData()?.includes('IssueTrialToken') ?? false);
    let ofBefore: Promise<APIResponse> | undefined;
    await page.route('**/graphql', async (route) => {
      const asked = route.request().postData() ?? '';
      if (asked.includes('IssueTrialToken')) {
        await ofBefore;
        return route.continue();
      }
      if (ofBefore || !asked.includes('query Overview')) return route.fallback();
      ofBefore = route.fetch();
      const response = await ofBefore;
      await issued;
      await route.fulfill({ response });
    });
    await replace.click();
    await page.getByRole('button', { name: 'Revoke and get a new one' }).click();
    await storeToken(page);
    // The trial that was revoked is still there, beside the new one.
    await page.getByRole('region', { name: 'Balances' }).getByText('of 50 included records left').nth(1).waitFor();
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    await page.getByText('active', { exact: true }).waitFor();
  });

  it('does not lose a token that is not stored yet by a reload or by Back', async () => {
    await openAsNew();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('button', { name: 'Get the trial token' }).click();
    const rawToken = page.getByRole('region', { name: 'Token', exact: true });
    await rawToken.waitFor();
    await page.evaluate('history.back()');
    const asking = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.reload())');
    const question = await asking;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    expect(new URL(page.url()).pathname).toBe('/console/tokens');
    expect(await rawToken.textContent()).toContain('pk_trial_');
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))`);
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Not copied: press Ctrl+C' }).waitFor();
    expect(await page.evaluate('String(getSelection())')).toBe(await rawToken.textContent());
    await storeToken(page);
    const copyId = page.getByRole('button', { name: /^Copy token id / });
    await copyId.click();
    await page.getByRole('alert').filter({ hasText: 'Not copied: press Ctrl+C' }).waitFor();
    expect(await copyId.getAttribute('title')).toBe(`Copy ${await page.evaluate('String(getSelection())')}`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
  });

  it('names a token, revokes it for the very next request, once the network is back, and is led to Billing by nothing where no plan is sold', async () => {
    const token = await openWithToken('/console/usage', 50);
    await page.getByRole('note').filter({ hasText: 'Requests are refused with 402 exhausted.' }).waitFor();
    // This server has no payment processor.
    const ways = page.locator('a[href^="/console/billing"]');
    expect(await ways.count()).toBe(0);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('button', { name: 'Rename Trial' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('  ');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    expect(await name.evaluate((input) => input.matches(':invalid'))).toBe(true);
    await name.fill('Nightly job');
    await page.mouse.click(5, 5); // a slip beside the dialog
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Revoke Nightly job' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline').waitFor();
    await page.getByRole('button', { name: 'Revoke Nightly job' }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('The server could not be reached').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    expect((await app.get('/api/parcels?limit=1', { token })).json.error).toBe('revoked');
    await page.getByRole('heading', { name: 'Your trial has ended' }).waitFor();
    expect(await ways.count()).toBe(0);
    await page.goto('/console/billing');
    await page.getByRole('note').filter({ hasText: 'Billing is not set up' }).waitFor();
  });

  it('takes the ledger home as a file, even when the server asks to wait', async () => {
    await openWithToken('/console/usage', 3);
    let asksToWait = true;
    await page.route('**/graphql', (route) => {
      if (!asksToWait || !route.request().postData()?.includes('ledgerCsv')) return route.fallback();
      asksToWait = false;
      return route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { errors: [{ message: 'Try again in a moment.' }] } });
    });
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
    const file = await (await downloading).createReadStream();
    const lines = (await file.toArray()).join('').trim().split('\r\n');
    expect(asksToWait).toBe(false);
    expect(lines[0]).toMatch(/^id,at,kind,token,/);
    expect(lines.slice(1).map((line) => line.split(',')[2])).toEqual(['read', 'grant']);
  });

  it('changes name, address and password, signs in once more where that takes it, and deletes the account, which stops its tokens', async () => {
    const person = await openAsNew();
    const token = await person.trialToken();
    await app.db.query(
      `update auth.session set "createdAt" = now() - interval '10 minutes', "ipAddress" = '2001:0db8:0000:0001:0000:0000:0000:0000'
        where "userId" = $1`,
      [person.id],
    );
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByText('this session').waitFor();
    await page.getByText('from 2001:db8:0:1::, signed in').waitFor();
    await page.getByRole('button', { name: 'Change name' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Grace Example');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('Name changed.').waitFor();

    const changeAddress = async () => {
      await page.getByRole('button', { name: 'Change address' }).click();
      await page.getByRole('textbox', { name: 'New email address' }).fill(`new-${person.email}`);
      await page.getByRole('button', { name: 'Send the link' }).click();
    };
    await changeAddress();
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await fillSignIn(page, person);
    await changeAddress();
    await page.getByText(`Open the link we sent to new-${person.email}`).waitFor();

    await page.getByRole('button', { name: 'Change password' }).click();
    const present = page.getByRole('textbox', { name: 'Current password' });
    await present.fill('not the password');
    await page.getByRole('textbox', { name: 'New password' }).fill('another long password');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('The current password is wrong.').waitFor();
    await present.fill(person.password);
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('Password changed. All other devices were signed out.').waitFor();
    expect((await person.elsewhere().signIn('another long password')).status).toBe(200);
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('textbox', { name: 'Your password' }).fill('another long password');
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('Your account was deleted.').waitFor();
    expect((await app.get('/api/parcels?limit=1', { token })).json.error).toBe('revoked');
  });

  it('is not taken for signed out while the server is away, signs in again when the session has ended, comes back, and signs out', async () => {
    const person = await openAsNew();
    // The server leaves it out when it cannot read the session.
    await page.route('**/console', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('name="signed-in-user"', '') });
    });
    await page.route('**/api/auth/get-session', (route) => route.fulfill({ status: 503, json: { error: 'unavailable', message: 'away' } }));
    await page.reload();
    await page.getByText('The console could not be loaded').waitFor();
    await page.unroute('**/api/auth/get-session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();

    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('Sign in to continue where you left off.').waitFor();
    await fillSignIn(page, person);
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Get 50 free records' }).waitFor();
    await page.goto('/console/usage');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('finds an entry by what its id begins with and a token by its name, on a phone from the menu', async () => {
    const { person, token } = await app.signUpWithTrial();
    const { ledger_entry_id: entryId } = (await person.get('/api/parcels?limit=3', { token })).json.metering;
    await page.setViewportSize({ width: 390, height: 700 });
    await openAs(page, person);
    const find = async (text: string) => {
      await page.getByRole('button', { name: 'Open the menu' }).click();
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('combobox', { name: /^Find/ }).fill(text);
    };
    await find(entryId.slice(0, -4));
    await page.getByRole('option', { name: /in the ledger/ }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('1 entry', { exact: true }).waitFor();
    await find('tri');
    await page.getByRole('option', { name: /Trial token/ }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(new URL(page.url()).search).toMatch(/^\?token=/);
  });
});
