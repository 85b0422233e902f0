import { startApp, type TestApp } from '../harness/app.js';
import { openAs, openPages, page } from '../harness/browser.js';
import { cutMap, loadSquares } from '../harness/parcel-maps.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';

// The first record of a county is its free sample, so the middle of three squares is one that is sold.
const middlesex = '25017';
const suffolk = '25025';

const onePixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');

let app: TestApp;
let requested: string[];

beforeAll(async () => {
  app = await startApp();
  await loadSquares(app, middlesex, ['10-1', '10-2', '10-3']);
  await loadSquares(app, suffolk, ['20-1'], 400);
  await publishRecords(app.db, '25003', 5);
  await cutMap(app, '25003');
});
openPages(() => app.config.baseUrl);
beforeEach(() => {
  requested = [];
  page.on('request', (request) => requested.push(request.url()));
});

const openMap = () => page.getByRole('button', { name: 'Show the parcels' }).click();

/** The map itself, when all of it is drawn. */
async function drawnMap(of: string) {
  await page.locator('.maplibregl-map[aria-busy="false"]').waitFor();
  return page.getByRole('region', { name: `Map of ${of}` });
}

/** Chooses the parcel in the middle of the map by the keyboard. */
async function chooseMiddle(of: string): Promise<void> {
  await (await drawnMap(of)).focus();
  await page.keyboard.press('Enter');
}

describe('the map of a receipt', () => {
  it('links the parcels of a read with their rows and with all fields of their records, both ways', async () => {
    const person = await app.signUp();
    const answer = await app.get(`/api/parcels?county_fips=${middlesex}`, { token: await person.trialToken() });
    await openAs(page, person, `/console/usage/entries/${answer.json.metering.ledger_entry_id}`);
    const map = await drawnMap('3 parcels');
    const rows = page.getByRole('region', { name: 'Returned records' });
    const marked = rows.locator('tr[data-marked]');

    await map.focus();
    await page.keyboard.press('Enter');
    const second = page.getByRole('region', { name: 'All fields of 10-2' });
    await second.getByRole('row', { name: 'owner_name OWNER 1' }).waitFor();
    expect(await marked.allTextContents()).toEqual([expect.stringContaining('10-2')]);

    await rows.getByRole('button', { name: 'Show the fields of 10-3' }).click();
    await page.getByRole('region', { name: 'All fields of 10-3' }).getByRole('row', { name: 'owner_name OWNER 2' }).waitFor();
    await rows.getByRole('row', { name: '10-1' }).hover();
    expect((await marked.allTextContents()).join()).toMatch(/10-1.*10-3|10-3.*10-1/);

    expect(await second.count()).toBe(0);

    // The parcel that was chosen in the list was in view, so the map stayed where it was.
    await map.focus();
    await page.keyboard.press('Enter');
    await second.waitFor();
  });

  it('draws the point of a parcel without a shape, and says which records are nowhere', async () => {
    const release = await publishRecords(app.db, '56001', 3);
    await app.db.query(
      `update parcel set record = replace(record, '"latitude":null,"longitude":null', '"latitude":42.4,"longitude":-71.2') where release_id = $1 and ordinal = 2`,
      [release],
    );
    const { person, token } = await app.signUpWithTrial();
    const answer = await app.get('/api/parcels?county_fips=56001', { token });
    await openAs(page, person, `/console/usage/entries/${answer.json.metering.ledger_entry_id}`);
    await chooseMiddle('1 parcel');
    await page.getByRole('region', { name: 'All fields of APN-2' }).waitFor();
    await page.getByText('2 records have no location.').waitFor();
  });
});

describe('one parcel', () => {
  const found = (number: string) => page.getByRole('region', { name: 'Parcels found' }).getByRole('row', { name: number });
  const buyIt = (number: string) => page.getByRole('button', { name: `Buy for 1 credit: the record of ${number}` });
  const readsOf = async (person: Person) => (await person.ask('{ ledger(kind: "read") { total } }')).ledger.total;

  it('is found by its number, shown on the map, and bought once by a double click, which opens the entry with its record', async () => {
    const { person } = await app.signUpWithTrial();
    await openAs(page, person, '/console');
    await page.getByRole('link', { name: 'Find a parcel' }).click();
    await page.getByText('Choose the county of the parcel first.').waitFor();
    await page.getByRole('combobox', { name: 'County' }).selectOption({ label: 'Middlesex County, MA' });
    const field = page.getByRole('searchbox', { name: 'Parcel number or address' });
    await field.fill('99-9');
    await field.press('Enter');
    await page.getByText('No parcel has this number or address.').waitFor();
    await field.fill('10 3');
    await field.press('Enter');
    await found('10-3').waitFor();
    expect(await page.getByText('OWNER').count()).toBe(0);
    await page.getByRole('button', { name: 'Show 10-3 on the map' }).click();
    await drawnMap('the parcels of Middlesex County');
    await buyIt('10-3').dblclick();
    await page.getByRole('heading', { name: 'Ledger entry' }).waitFor();
    await page.getByRole('region', { name: 'Returned records' }).getByRole('row', { name: 'OWNER 2' }).waitFor();
    expect(await readsOf(person)).toBe(1);
    await page.goBack();
    await buyIt('10-3').click();
    await page.getByRole('heading', { name: 'Ledger entry' }).waitFor();
    expect(await readsOf(person)).toBe(1);
  });

  it('is found on the map by the keyboard, and needs a token to be bought; what the token refuses is said with what to do next', async () => {
    const person = await app.signUp();
    await openAs(page, person, `/console/find?county=${middlesex}`);
    await chooseMiddle('the parcels of Middlesex County');
    await found('10-2').waitFor();
    expect(await buyIt('10-2').count()).toBe(0);
    await page.getByRole('link', { name: 'Create one under Tokens' }).waitFor();
    await person.trialToken();
    await page.reload();
    await buyIt('10-2').waitFor();
    await person.post(`/api/tokens/${(await person.get('/api/tokens')).json.tokens[0].id}/revoke`);
    await buyIt('10-2').click();
    await page.getByText('This API token was revoked. Issue a new one in the console.').waitFor();
    await page.getByRole('link', { name: 'Your tokens, their credits and caps' }).waitFor();
    expect(await readsOf(person)).toBe(0);
  });
});

describe('the map of a county', () => {
  const placeSearch = () => page.getByRole('combobox', { name: 'Find a place on the map' });

  it('is loaded when somebody wants to see it, from our own server alone, and opens that of another county by its search', async () => {
    await page.goto(`/counties/${middlesex}`);
    await page.getByRole('heading', { name: 'Map of the parcels' }).waitFor();
    expect(requested.filter((url) => /parcel-tiles|parcel-map-[^/]+\.js|maplibre/.test(url))).toEqual([]);
    await openMap();
    await drawnMap('the parcels of Middlesex County');
    expect(requested.some((url) => /parcel-tiles\/25017\/\d+\/\d+\/\d+\/\d+$/.test(url))).toBe(true);
    await placeSearch().fill('10-2');
    await page.getByText('Signed in, you can find parcels by number and address.').waitFor();
    await placeSearch().fill('suffolk, ma');
    await placeSearch().press('Enter');
    await page.waitForURL(`**/counties/${suffolk}#map`);
    await drawnMap('the parcels of Suffolk County');
    expect(requested.filter((url) => !url.startsWith(app.config.baseUrl) && !url.startsWith('data:'))).toEqual([]);
  });

  it.each([
    ['a customer', () => app.signUp(), '/counties/'],
    ['an operator', () => app.signUpOperator(), '/admin/counties/'],
  ])(
    'says to %s the number and the price of the parcel that is chosen, finds one by its number, and says where none has a shape',
    async (_, who, path) => {
      await openAs(page, await who(), path + middlesex);
      await openMap();
      await chooseMiddle('the parcels of Middlesex County');
      await page.getByText('Parcel 10-2').waitFor();
      await page.getByText('Its record costs one credit.').waitFor();
      expect(await page.getByText('OWNER 1').count()).toBe(0);
      for (let zooms = 0; zooms < 4; zooms++) await (await drawnMap('the parcels of Middlesex County')).press('Minus');
      await placeSearch().fill('10 3');
      await page.getByRole('option', { name: '10-3' }).click();
      await page.getByText('Parcel 10-3').waitFor();
      expect(await page.getByRole('link', { name: 'Buy it' }).getAttribute('href')).toBe(`/console/find?county=${middlesex}&search=10-3`);
      await chooseMiddle('the parcels of Middlesex County'); // to where the map has moved
      expect(await page.getByText('Parcel 10-3').isVisible()).toBe(true);
      await placeSearch().fill('berkshire');
      await placeSearch().press('Enter');
      await page.getByText('The county publishes no shapes: none of its 5 records has one, so there is no map.').waitFor();
    },
  );

  it('says what else there is in a browser that cannot draw it', async () => {
    await page.addInitScript('HTMLCanvasElement.prototype.getContext = () => null');
    await page.goto(`/counties/${middlesex}#map`);
    await page.getByText('This browser cannot draw the map').waitFor();
    await page.getByText('The API returns each shape as GeoJSON').waitFor();
  });

  it('is drawn over the street map that the operator has set, whose name it shows, and by a policy that allows no other', async () => {
    const tiles = 'https://tiles.example';
    const settings = { BASEMAP_URL: `${tiles}/{z}/{x}/{y}.png?key=a`, BASEMAP_ATTRIBUTION: '© <a href="https://osm.example">Streets</a>' };
    const other = await startApp(settings, app);
    const asked: string[] = [];
    await page.route(`${tiles}/**`, async (route) => {
      asked.push(`${route.request().url()} ${(await route.request().allHeaders()).referer}`);
      await route.fulfill({ headers: { 'access-control-allow-origin': '*' }, contentType: 'image/png', body: onePixel });
    });
    const policyOf = async ({ url }: TestApp) => (await fetch(url)).headers.get('content-security-policy');
    await page.goto(`${other.config.baseUrl}/counties/${middlesex}#map`);
    await drawnMap('the parcels of Middlesex County');
    await page.getByRole('link', { name: 'Streets' }).waitFor();
    expect(asked[0]).toMatch(/^https:\/\/tiles\.example\/\d+\/\d+\/\d+\.png\?key=a http:\/\/localhost:\d+\/$/);
    expect(await policyOf(other)).toContain(`connect-src 'self' ${tiles};`);
    expect(await policyOf(app)).toContain("connect-src 'self';");
    await other.close();
  });

  it('says that it is being made, and is there when somebody looks again', async () => {
    await loadSquares(app, middlesex, ['30-1', '30-2', '30-3', '30-4', '30-5']);
    await app.db.query('delete from parcel_map where release_id = (select current_release_id from county where fips = $1)', [middlesex]);
    await page.goto(`/counties/${middlesex}#map`);
    await page.getByText('The map of the newest records is being made.').waitFor();
    await cutMap(app, middlesex);
    await page.getByRole('button', { name: 'Look again' }).click();
    await drawnMap('the parcels of Middlesex County');
  });

  it('opens the free sample record in full, and says so if the records are withdrawn meanwhile', async () => {
    await page.goto(`/counties/${suffolk}#map`);
    await chooseMiddle('the parcels of Suffolk County');
    const fields = page.getByRole('region', { name: 'The free sample record' });
    await fields.getByRole('row', { name: 'apn 20-1' }).first().waitFor();
    await fields.getByRole('row', { name: 'owner_name hidden here' }).waitFor();
    await app.db.query(
      `update county set status = 'planned', current_release_id = null, parcel_count = 0, loaded_at = null where fips = $1`,
      [suffolk],
    );
    await page.getByRole('region', { name: 'Map of the parcels of Suffolk County' }).focus();
    await page.keyboard.press('Minus');
    await page.getByText('This county no longer has records, so there is no map.').waitFor();
  });
});
