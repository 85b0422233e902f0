import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadCounty } from '../../src/loader/load-county.js';
import { fillSignIn, openAs, page } from '../harness/browser.js';
import { openPool } from '../harness/database.js';
import { type FileServer, openFileServer } from '../harness/file-server.js';
import { app, holdRelease, middlesex, openOperatorPages, operator } from '../harness/operator-pages.js';
import { publishRecords } from '../harness/records.js';

const loving = '48301';

let source: FileServer;

openOperatorPages(async () => {
  source = await openFileServer();
  return { SOURCE_PRIVATE_HOSTS: source.host };
});

/** Goes on through the steps of a load. */
async function proceed(...steps: string[]): Promise<void> {
  for (const step of steps) {
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL((url) => url.searchParams.get('step') === step);
  }
}

/** @returns the path of a file with this text */
async function write(name: string, text: string): Promise<string> {
  const file = join(app.config.dataDir, name);
  await writeFile(file, text);
  return file;
}

const squares = (name: string, count: number, from = 0) =>
  write(
    name,
    JSON.stringify({ type: 'FeatureCollection', features: Array.from({ length: count }, (_, i) => square(i + 1, from + i + 1)) }),
  );

const files = () => page.locator('input[type=file]');
const row = (text: string) => page.getByRole('row').filter({ hasText: text });
const dialog = () => page.getByRole('dialog');

/** Chooses a file to load for a county, and goes on through the steps. */
async function prepare(fips: string, file: string, ...steps: string[]): Promise<void> {
  await openAs(page, operator, `/admin/counties/${fips}/load`);
  await files().first().setInputFiles(file);
  await proceed(...steps);
}

/** Confirms the dialog that is open. */
async function confirm(name: string | RegExp): Promise<void> {
  await dialog().getByRole('button', { name }).click();
  await dialog().waitFor({ state: 'detached' });
}

describe('an operator', () => {
  it('finds a county by its name, has the list sorted, notes something, and rolls back its release', async () => {
    await openAs(page, operator, '/admin/counties');
    await page.getByRole('searchbox', { name: 'Name or FIPS' }).fill('middlesex');
    await page.getByText('3 counties', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Most records first');
    await page.getByRole('row').nth(1).getByRole('link', { name: 'Middlesex County' }).click();
    await page.waitForURL(`**/admin/counties/${middlesex}`);
    await page.getByText('30', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Status and note' }).click();
    await dialog().getByRole('textbox', { name: 'Note' }).fill('asked the assessor for 2026');
    await confirm('Save');
    await page.getByText('asked the assessor for 2026').first().waitFor();
    await page.getByRole('button', { name: 'Roll back' }).click();
    await dialog().getByText('with 20 records').waitFor();
    await confirm('Roll back');
    await page.getByText('20', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Activity log' }).click();
    const entry = row('set county status').filter({ has: page.getByRole('link', { name: middlesex }) });
    await entry.locator('summary').click();
    await entry.getByText('empty → became asked the assessor for 2026').waitFor();
    expect(await entry.getByText('loaded').count()).toBe(0); // the status stayed as it was
  });

  it('withdraws a county that is loaded, and brings it back', async () => {
    const essex = '25009';
    const release = await publishRecords(app.db, essex, 14);
    await openAs(page, operator, `/admin/counties/${essex}`);
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await dialog().getByText('its 14 records can no longer be read', { exact: false }).waitFor();
    await confirm('Withdraw county');
    await page.getByText('withdrawn', { exact: true }).waitFor();
    expect((await app.get(`/api/counties/${essex}`)).json).toMatchObject({ status: 'unavailable', parcel_count: 0 });
    await page.getByRole('button', { name: 'Withdraw', disabled: true }).waitFor();
    await page.getByRole('button', { name: 'Roll back' }).click();
    await dialog()
      .getByRole('heading', { name: `Roll back to release ${release}?` })
      .waitFor();
    await confirm('Roll back');
    await page.getByText('14', { exact: true }).first().waitFor();
  });

  it('whose change the server refused finds what was typed; if the county was loaded meanwhile, is told so and does not withdraw it', async () => {
    const barnstable = '25001';
    await openAs(page, operator, `/admin/counties/${barnstable}`);
    const open = () => page.getByRole('button', { name: 'Status and note' }).click();
    const save = () => dialog().getByRole('button', { name: 'Save' }).click();
    const note = dialog().getByRole('textbox', { name: 'Note' });
    await open();
    await note.fill('only a note');
    const refused = { errors: [{ message: 'Too many requests.', extensions: { code: 'too_many_requests' } }] };
    await page.route('**/graphql', (route) => route.fulfill({ status: 429, json: refused }));
    await save();
    await page.getByText('The county could not be updated').waitFor();
    await dialog().getByText('Too many requests.').waitFor();
    expect(await note.inputValue()).toBe('only a note');
    await page.unroute('**/graphql');
    await publishRecords(app.db, barnstable, 7);
    await save();
    await dialog().getByText('has changed since you saw it', { exact: false }).waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('7', { exact: true }).first().waitFor();
    await open();
    await note.fill('only a note');
    await save();
    await page.getByText('only a note').first().waitFor();
    expect((await app.get(`/api/counties/${barnstable}`)).json).toMatchObject({ status: 'loaded', parcel_count: 7 });
  });

  it('loads a file: sends it, sees what would become of it, starts it, and finds it published', async () => {
    await openAs(page, operator, `/admin/counties/${loving}`);
    await page.getByRole('link', { name: 'Load a file' }).first().click();
    await page.getByRole('heading', { name: 'Load a file for Loving County, Texas' }).waitFor();
    await files().setInputFiles(await squares('loving.geojson', 3));
    await proceed('columns');
    await page.getByRole('region', { name: 'Mapping' }).getByRole('cell').filter({ hasText: 'APN-1' }).first().waitFor();
    await proceed('check');
    await page.getByText('3 rows read: 3 records, 0 rejected.').waitFor();
    await proceed('load');
    await page.getByRole('button', { name: 'Load and publish' }).click();
    await page.getByRole('heading', { name: 'Loads' }).waitFor();
    await row('loving.geojson').getByText('published', { exact: true }).waitFor();
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(
      ['File', 'County', 'State', 'Release', 'Loaded', 'Rejected', 'Started', 'Finished', 'By'], // and no actions where none can be taken
    );
    expect((await app.get(`/api/counties/${loving}`)).json).toMatchObject({ status: 'loaded', parcel_count: 3 });
    await page.getByRole('link', { name: 'Activity log' }).click();
    const entry = row('start load').filter({ has: page.getByRole('link', { name: loving }) });
    await entry.locator('summary').first().click();
    await entry.getByText('"countyFips": "48301"', { exact: false }).waitFor();
  });

  it('sees how far a running load is and how long it will take, in the list and on its release', async () => {
    const norfolk = '25021';
    await publishRecords(app.db, norfolk, 3);
    const file = await write('norfolk.csv', 'APN,LON,LAT\n1,-71.2,42.18\n2,-71.2,42.19\n3,-71.2,42.2\n');
    // A load waits for the row of its county before it is published.
    const other = await openPool(app.db).connect();
    await other.query('begin');
    await other.query('select from county where fips = $1 for no key update', [norfolk]);
    try {
      await prepare(norfolk, file, 'columns', 'check', 'load');
      await page.getByRole('button', { name: 'Load and publish' }).click();
      const load = row('norfolk.csv');
      await load.getByText('3 rows · 100% · finishing').waitFor();
      const progress = (percent: number, rows: number) =>
        app.db.query('update load_job set bytes_read = $1, bytes_total = 100, rows_read = $2 where county_fips = $3', [
          percent,
          rows,
          norfolk,
        ]);
      await progress(10, 1000);
      await load.getByText('1,000 rows · 10%').waitFor();
      await progress(20, 2000);
      await load.getByText(/^2,000 rows · 20% · \d+ (s|min) left$/).waitFor();
      await load.getByRole('link', { name: /^\d+$/ }).click();
      await page.getByText(`norfolk.csv, started by ${operator.email}`).waitFor();
      await page.getByText('2,000 rows · 20%').waitFor();
      await progress(40, 4000);
      await page.getByText(/^4,000 rows · 40% · \d+ (s|min) left$/).waitFor();
    } finally {
      await other.query('rollback');
      other.release();
    }
    await page.getByText('held', { exact: true }).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
  });

  it('finds a release among those of all counties by its county and its state', async () => {
    const nowhere = await publishRecords(app.db, '25003', 2);
    const held = await holdRelease();
    await openAs(page, operator, '/admin');
    await page.getByRole('link', { name: 'Releases', exact: true }).click();
    const release = (id: number) => page.getByRole('row').filter({ has: page.getByRole('link', { name: new RegExp(`(^| )${id}$`) }) });
    await release(nowhere).getByText('Berkshire County, MA (25003)').waitFor();
    await release(held).getByText('held', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'County' }).fill('berksh');
    await page.getByText('1 release', { exact: true }).waitFor();
    await release(nowhere).getByText('current', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('held');
    await page.getByText('No releases match county “berksh” and state “held”.').waitFor();
    await page.getByRole('searchbox', { name: 'County' }).fill(middlesex);
    await page.getByRole('link', { name: `Review release ${held}` }).click();
    await page.getByRole('heading', { name: `Release ${held}` }).waitFor();
  });

  it('loads the county’s own service like a file: checks it, sees its columns and rows, and on its release what came from there', async () => {
    const dukes = '25007';
    const url = source.publish('/dukes.csv', 'APN,OWNER,LON,LAT\n1,HOUSE A,-70.64,41.39\n2,HOUSE B,-70.64,41.39\n');
    await openAs(page, operator, `/admin/counties/${dukes}/load`);
    const own = page.getByRole('region', { name: 'From the county’s own service' });
    await own.getByRole('textbox').fill(`http://${source.host}/gone.csv`);
    await own.getByRole('button', { name: 'Check' }).click();
    await own.getByText('404').waitFor();
    await own.getByRole('textbox').fill(url);
    await own.getByRole('button', { name: 'Check' }).click();
    await own.getByText('It last changed on Mar 1, 2026.').waitFor();
    const answer = source.hold();
    await own.getByRole('button', { name: 'Fetch and continue' }).click();
    await page.getByText('A large county takes a few minutes.', { exact: false }).waitFor();
    answer();
    await page.getByRole('cell', { name: 'HOUSE A · HOUSE B', exact: true }).waitFor();
    await proceed('check');
    await page.getByText('2 rows read: 2 records, 0 rejected.').waitFor();
    const asked = source.asked.length;
    await proceed('load');
    await page.getByRole('button', { name: 'Load and publish' }).click();
    await row(url).getByText('published', { exact: true }).waitFor();
    expect(source.asked).toHaveLength(asked); // what was fetched for the check is loaded
    await row(url).getByRole('link', { name: /^\d+$/ }).last().click();
    await page.getByRole('link', { name: url }).waitFor();
    await page.getByText('bytes', { exact: false }).waitFor();
    await page.goto(`/admin/counties/${dukes}/load`);
    await own.getByText('From the county’s profile.').waitFor();
    expect(await own.getByRole('textbox').inputValue()).toBe(url);
  });

  it('corrects a column by a select that shows values, and need not say it again for the next file', async () => {
    const nantucket = '25019';
    const roll = 'PIN,ROLE,HOLDER,LON,LAT\n1,101,HOUSE A,-70.1,41.28\n2,102,HOUSE B,-70.1,41.28\n';
    const select = () => page.getByRole('combobox', { name: 'Column of owner_name', exact: true });
    await prepare(nantucket, await write('nantucket.csv', roll), 'columns');
    await page.getByText('Every record would be without owner_name, situs_address').waitFor();
    expect(await select().locator('option:checked').innerText()).toBe('– empty –');
    await select().selectOption({ label: 'HOLDER, 100% filled: HOUSE A · HOUSE B' });
    await row('owner_name').getByRole('cell', { name: 'HOUSE A · HOUSE B', exact: true }).waitFor();
    await page.getByText('Every record would be without situs_address').waitFor();
    const role = page.getByRole('combobox', { name: 'ROLE', exact: true });
    expect(await role.getAttribute('aria-describedby').then((id) => page.locator(`[id="${id}"]`).textContent())).toContain('101 · 102');
    await role.selectOption('use_code');
    await row('use_code').getByRole('cell', { name: '101 · 102', exact: true }).waitFor();
    await role.waitFor({ state: 'detached' });
    await proceed('check', 'load');
    await page.getByText('owner_name=HOLDER, use_code=ROLE', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Load and publish' }).click();
    await row('nantucket.csv').getByText('published', { exact: true }).waitFor();

    await prepare(nantucket, await write('nantucket-next.csv', roll), 'columns');
    await page.getByText('version 1', { exact: true }).waitFor();
    expect(await select().inputValue()).toBe('HOLDER');
    await page.goto(`/admin/counties/${nantucket}`);
    const profiles = page.getByRole('region', { name: 'Profiles', exact: true });
    await profiles.getByText('1, in use').waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      profiles.getByRole('button', { name: 'Download version 1' }).click(),
    ]);
    const profile = JSON.parse(await readFile(await download.path(), 'utf8'));
    const choose = (name: string, content: object) =>
      dialog()
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(content)) });
    await profiles.getByRole('button', { name: 'Import a profile' }).click();
    await choose('wrong.json', { ...profile, crs: 5 });
    await dialog()
      .getByText(/crs must be a text of 1 to 2000 characters; it is 5/)
      .waitFor();
    await choose('same.json', profile);
    await dialog().getByText('It matches the profile in use.').waitFor();
    await choose('corrected.json', { ...profile, license: 'CC0', map: { ...profile.map, owner_name: { columns: ['ROLE'] } } });
    await dialog().getByText('new: owner_name=ROLE').waitFor();
    await dialog().getByText('new: “License” CC0').waitFor();
    await dialog().getByText('no longer: owner_name=HOLDER').waitFor();
    await dialog().getByRole('button', { name: 'Import', exact: true }).click();
    await profiles.getByText('2, in use').waitFor();
    await profiles.getByRole('link', { name: /^release/ }).click();
    await page.getByText('version 1', { exact: true }).waitFor();
  });

  it('is told before a load what would refuse or hold it, then what it changed; publishes it after ticking that, or discards it', async () => {
    const worcester = '25027';
    await publishRecords(app.db, worcester, 20);
    const rows = Array.from({ length: 10 }, (_, i) => `${i},A,-71.8,42.27\n`).join('');
    await prepare(worcester, await write('worcester.csv', `APN,OWNER,LON,LAT\n${rows},B,,\n,C,,\n`), 'columns', 'check');
    await page.getByRole('alert').filter({ hasText: '2 of 12 rows' }).waitFor();
    await page.getByRole('region', { name: 'Rows that would be rejected' }).getByText('Neither a parcel number nor a geometry').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('How to read the file, and where it is from').click();
    await page.getByRole('textbox', { name: 'Rejected rows allowed' }).fill('20');
    await page.getByRole('textbox', { name: 'Rejected rows allowed' }).press('Enter');
    await proceed('check');
    await page.getByText('12 rows read: 10 records to replace the current 20, 2 rejected.').waitFor();
    await page.getByRole('note').filter({ hasText: 'held for your review' }).getByText('10 records instead of 20').waitFor();
    const hold = async (name: string) => {
      await proceed('load');
      await page.getByRole('button', { name: 'Load and hold for review' }).click();
      await row(name)
        .getByRole('link', { name: /^Review release/ })
        .click();
    };
    await hold('worcester.csv');
    await page.getByText('20 → 10', { exact: true }).waitFor();
    const columns = page.getByRole('region', { name: 'Columns', exact: true });
    await columns.getByRole('row').filter({ hasText: 'apn' }).getByText('certain').waitFor();
    await page.getByText('Empty in all records: owner_name_2,', { exact: false }).waitFor();
    await page.getByRole('link', { name: 'Choose its columns' }).click();
    await page.getByRole('heading', { name: 'Step 2 of 4: Columns' }).waitFor();
    await page.getByText('worcester.csv', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Publish anyway' }).click();
    await dialog()
      .getByRole('checkbox', { name: /20 of the 20 parcel ids are gone/ })
      .waitFor();
    for (const finding of await dialog().getByRole('checkbox').all()) await finding.check();
    await confirm(/^Publish release/);
    await page.getByText('current', { exact: true }).waitFor();
    expect((await app.get(`/api/counties/${worcester}`)).json.parcel_count).toBe(10);

    await prepare(worcester, await write('few.csv', 'APN,OWNER,LON,LAT\n1,A,-71.8,42.27\n2,A,-71.8,42.27\n'), 'columns', 'check');
    await hold('few.csv');
    await page.getByText('2 records instead of 10', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await confirm('Discard release');
    await page.getByText('discarded', { exact: true }).waitFor();
    await page.goto('/admin/loads');
    await row('few.csv').getByText('discarded', { exact: true }).waitFor();
    expect(await row('few.csv').getByText('Review').count()).toBe(0);
  });

  it('sees what another operator has decided when publishing fails for it', async () => {
    const release = await holdRelease();
    await openAs(page, operator, `/admin/releases/${release}`);
    await page.getByRole('button', { name: 'Publish anyway' }).click();
    const other = await app.signUpOperator();
    await other.ask('mutation ($id: Int!) { discardRelease(releaseId: $id) { state } }', { id: release });
    await dialog()
      .getByRole('button', { name: /^Publish release/ })
      .click();
    await dialog().getByRole('alert').waitFor();
    await page.getByText('discarded', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Publish anyway' }).count()).toBe(0);
  });

  describe('who sends a file', () => {
    const sendAgain = () => page.getByRole('button', { name: 'Upload again' }).click();
    const isHere = (names: string) => page.getByText(names, { exact: true }).waitFor();
    const proceeding = (state = 'enabled') => page.locator(`button:${state}`, { hasText: 'Continue' }).waitFor();
    /** Chooses a file whose upload does not arrive. */
    const stall = async () => {
      await page.route('**/admin/uploads/*', () => {});
      await openAs(page, operator, `/admin/counties/${loving}`);
      await page.getByRole('link', { name: 'Load a file' }).click();
      const sending = page.waitForRequest((request) => request.method() === 'PUT');
      await files().setInputFiles(await squares('stalled.geojson', 4));
      await sending;
    };
    const isCut = () => page.waitForEvent('requestfailed', (request) => request.method() === 'PUT');

    it('drops it onto the page, or is told that it is too large before a byte of it is sent', async () => {
      const large = await write('large.csv', '');
      await truncate(large, 4 * 1024 ** 3 + 1); // sparse: it takes no room
      const uploads: string[] = [];
      page.on('request', (request) => request.method() === 'PUT' && uploads.push(request.url()));
      await openAs(page, operator, `/admin/counties/${loving}/load`);
      await files().setInputFiles(large);
      await page.getByRole('alert').filter({ hasText: 'too large' }).waitFor();
      expect(uploads).toEqual([]);
      await page.reload();
      const data = await page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['APN,OWNER\\nAPN-7,A\\n'], 'dropped.csv'));
        return transfer;
      })()`);
      await page.getByText('Choose a file, or drop it here').first().dispatchEvent('drop', { dataTransfer: data });
      await proceed('columns');
      await isHere('dropped.csv');
    });

    it('chooses the columns that tie a tax roll to it by how many rows they tie; with another file, goes on once that is sent', async () => {
      await openAs(page, operator, `/admin/counties/${loving}/load`);
      await files().setInputFiles(await squares('first.geojson', 4));
      await proceeding();
      const roll = await write('roll.csv', 'PARCEL,OWNER,APN\nAPN-1,A,APN-9\nAPN-2,B,APN-8\nAPN-3,C,APN-1\nAPN-7,D,x\n');
      await files().nth(1).setInputFiles(roll);
      await proceeding('disabled');
      await page.getByRole('button', { name: 'Remove the tax roll' }).click();
      await proceeding();
      await files().nth(1).setInputFiles(roll);
      await proceed('columns');
      await isHere('first.geojson with roll.csv');
      await isHere('Joined on APN=PARCEL');
      await page.getByText(/^3 of 4 shapes have a row in the tax roll \(75%\). Those without a match, such as APN-4, become/).waitFor();
      await page.getByText(/^3 of 4 rows of the tax roll have a shape \(75%\). Those without a match, such as APN-7, become/).waitFor();
      await page.getByRole('button', { name: 'Join on this: APN', exact: true }).click();
      await isHere('Joined on APN');
      await page.getByText(/^1 of 4 rows of the tax roll have a shape/).waitFor();
      expect(await page.locator('main').innerText()).not.toMatch(/--[a-z]/);
      await page.getByText('How to read the file, and where it is from').click();
      await page.getByRole('textbox', { name: 'Only rows where' }).fill('APN=APN-2');
      await page.keyboard.press('Tab');
      await page.getByText(/^0 of 4 rows of the tax roll have a shape/).waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
      await files()
        .first()
        .setInputFiles(await squares('second.geojson', 4));
      await proceed('columns');
      await isHere('second.geojson with roll.csv');
    });

    it('finds it again after a reload, at the same step, with the tax roll and all that was chosen', async () => {
      await prepare(loving, await squares('kept.geojson', 4));
      await files()
        .nth(1)
        .setInputFiles(await write('of-kept.csv', 'APN,HOLDER\nAPN-1,A\nAPN-2,B\n'));
      await proceed('columns');
      await page.getByRole('combobox', { name: 'Column of owner_name', exact: true }).selectOption('HOLDER');
      await page.getByText('How to read the file, and where it is from').click();
      await page.getByRole('textbox', { name: 'License' }).fill('CC0');
      await page.keyboard.press('Tab');
      await proceed('check', 'load');
      const chosen = async () => {
        await isHere('kept.geojson with of-kept.csv');
        await isHere('owner_name=HOLDER');
        await isHere('CC0');
      };
      await chosen();
      await page.reload();
      await chosen();
      await page.goBack();
      await page.getByText('2 of 4 shapes have a row in the tax roll (50%).', { exact: false }).waitFor();
      await page.goBack();
      expect(await page.getByRole('combobox', { name: 'Column of owner_name', exact: true }).inputValue()).toBe('HOLDER');
      await page.getByRole('button', { name: '1. File' }).press('Enter');
      await page.getByRole('heading', { name: 'Step 1 of 4: File' }).waitFor();
      await page.getByRole('button', { name: 'Remove the tax roll' }).click();
      await page.getByRole('button', { name: '4. Load' }).press('Enter');
      await isHere('kept.geojson');
    });

    it('is asked before leaving meanwhile by a reload, a link or Back, and can cancel it', async () => {
      await stall();
      const loads = page.getByRole('link', { name: 'Loads', exact: true });
      for (const leave of [
        () => page.evaluate('setTimeout(() => location.reload())'),
        () => loads.click(),
        () => page.evaluate('history.back()'),
      ]) {
        const asking = page.waitForEvent('dialog');
        const left = leave();
        const question = await asking;
        if (question.type() !== 'beforeunload') expect(question.message()).toContain('still running');
        await question.dismiss();
        await left;
        expect(new URL(page.url()).pathname).toBe(`/admin/counties/${loving}/load`);
      }
      const cut = isCut();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await cut;
      await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.unroute('**/admin/uploads/*');
      await sendAgain();
      await proceeding();
    });

    it('sends it to nobody any more once the page is left', async () => {
      await stall();
      const cut = isCut();
      page.once('dialog', (question) => question.accept());
      await page.getByRole('link', { name: 'Loads', exact: true }).click();
      await cut;
      await page.getByRole('heading', { name: 'Loads' }).waitFor();
    });

    it('after the session has ended signs in beside it, and the file is still chosen', async () => {
      const other = await app.signUpOperator();
      // A page that learns at its start that nobody is signed in leaves for the sign-in.
      const known = page.waitForResponse('**/api/auth/get-session*');
      await openAs(page, other, `/admin/counties/${loving}/load`);
      await files().waitFor({ state: 'attached' });
      await known;
      await app.db.query('delete from auth.session where "userId" = $1', [other.id]);
      await files().setInputFiles(await squares('late.geojson', 4));
      const opening = page.waitForEvent('popup');
      await page.getByRole('link', { name: 'Sign in again' }).click();
      const beside = await opening;
      await fillSignIn(beside, other);
      await beside.waitForURL(`**/admin/counties/${loving}/load`);
      await beside.close();
      await sendAgain();
      await proceeding();
    });
  });

  it('sees the rejected rows, their files and the reasons', async () => {
    const files = await Promise.all(
      ['north', 'south'].map((name, part) => {
        const squares = Array.from({ length: 30 }, (_, i) => square(i % 10, 100 * part + i));
        const nowhere = { type: 'Feature', properties: { APN: '', OWNER: `of the ${name}` }, geometry: null };
        return write(`${name}.geojson`, JSON.stringify({ type: 'FeatureCollection', features: [...squares, nowhere] }));
      }),
    );
    const options = { accept: ['loss', 'ids', 'places', 'spread', 'values', 'empty'] };
    const request = { database: app.db, county: loving, options, onProgress: () => {} };
    const { releaseId } = await loadCounty({ ...request, files });
    await openAs(page, operator, `/admin/releases/${releaseId}`);
    const table = page.getByRole('region', { name: 'List of rejected rows' });
    const row = table.getByRole('row').filter({ hasText: 'south.geojson' });
    await row.getByText('Neither a parcel number nor a geometry').waitFor();
    await row.getByText('of the south', { exact: true }).click();
    await row.getByText('"OWNER": "of the south"').waitFor();
    expect(await table.getByRole('rowheader').allInnerTexts()).toEqual(['31', '31']);

    const ofOne = await loadCounty({ ...request, files: files.slice(0, 1) });
    await page.goto(`/admin/releases/${ofOne.releaseId}`);
    await table.getByText('of the north', { exact: true }).waitFor();
    expect(await table.getByText('File', { exact: true }).count()).toBe(0);
  });
});

/** A parcel of a hundredth of a degree within Loving County, Texas. */
function square(number: number, apn: number) {
  const [west, south, size] = [-103.6 + number * 0.01, 31.8, 0.009];
  const ring = [
    [west, south],
    [west + size, south],
    [west + size, south + size],
    [west, south + size],
    [west, south],
  ];
  return { type: 'Feature', properties: { APN: `APN-${apn}` }, geometry: { type: 'Polygon', coordinates: [ring] } };
}
