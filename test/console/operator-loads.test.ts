import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadCounty } from '../../src/loader/load-county.js';
import { openAs, page } from '../harness/browser.js';
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

describe('an operator', () => {
  it('finds a county, notes something, and rolls back its release', async () => {
    await openAs(page, operator, '/admin/counties?status=loaded');
    await page.getByRole('link', { name: 'Middlesex County' }).click();
    await page.getByText('30', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Status and note' }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('asked the assessor for 2026');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('asked the assessor for 2026').first().waitFor();
    await page.getByRole('button', { name: 'Roll back' }).click();
    const [earlier] = await app.db.query<{ id: number }>('select min(id) as id from parcel_release where county_fips = $1', [middlesex]);
    await page
      .getByRole('dialog', { name: `Roll back to release ${earlier!.id}?` })
      .getByText('with 20 records')
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('20', { exact: true }).first().waitFor();
    expect((await app.get(`/api/counties/${middlesex}`)).json.parcel_count).toBe(20);
    await page.getByRole('link', { name: 'Activity log' }).click();
    const entry = page
      .getByRole('row')
      .filter({ hasText: 'set county status' })
      .filter({ has: page.getByRole('link', { name: middlesex }) });
    await entry.locator('summary').click();
    await entry.getByText('empty → became asked the assessor for 2026').waitFor();
    expect(await entry.getByText('loaded').count()).toBe(0); // the status stayed as it was
  });

  it('withdraws a county that is loaded, and brings it back', async () => {
    const essex = '25009';
    const release = await publishRecords(app.db, essex, 14);
    await openAs(page, operator, `/admin/counties/${essex}`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await dialog.getByText('its 14 records can no longer be read', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Withdraw county' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('withdrawn', { exact: true }).waitFor();
    expect((await app.get(`/api/counties/${essex}`)).json).toMatchObject({ status: 'unavailable', parcel_count: 0 });
    expect(await page.getByRole('button', { name: 'Withdraw' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page
      .getByRole('dialog', { name: `Roll back to release ${release}?` })
      .getByRole('button', { name: 'Roll back' })
      .click();
    await dialog.waitFor({ state: 'detached' });
    expect((await app.get(`/api/counties/${essex}`)).json).toMatchObject({ status: 'loaded', parcel_count: 14 });
  });

  it('who notes something of a county that is loaded meanwhile is told so, and does not withdraw it', async () => {
    const barnstable = '25001';
    await openAs(page, operator, `/admin/counties/${barnstable}`);
    const dialog = page.getByRole('dialog');
    const open = () => page.getByRole('button', { name: 'Status and note' }).click();
    const save = async () => {
      await dialog.getByRole('textbox', { name: 'Note' }).fill('only a note');
      await dialog.getByRole('button', { name: 'Save' }).click();
    };
    await open();
    await publishRecords(app.db, barnstable, 7);
    await save();
    await dialog.getByText('has changed since you saw it', { exact: false }).waitFor();
    expect((await app.get(`/api/counties/${barnstable}`)).json).toMatchObject({ status: 'loaded', parcel_count: 7 });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('7', { exact: true }).first().waitFor();
    await open();
    await save();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('only a note').first().waitFor();
    expect((await app.get(`/api/counties/${barnstable}`)).json).toMatchObject({ status: 'loaded', parcel_count: 7 });
  });

  it('who rolls back what a colleague has rolled back just now is told so, and goes back no further', async () => {
    const bristol = '25005';
    for (const count of [11, 12, 13]) await publishRecords(app.db, bristol, count);
    await openAs(page, operator, `/admin/counties/${bristol}`);
    const colleague = await page.context().newPage();
    await colleague.goto(`/admin/counties/${bristol}`);
    for (const each of [page, colleague]) await each.getByRole('button', { name: 'Roll back' }).click();
    await colleague.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await colleague.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').getByText('has changed since you saw it', { exact: false }).waitFor();
    expect((await app.get(`/api/counties/${bristol}`)).json.parcel_count).toBe(12);
  });

  it('loads a file: sends it, sees what would become of it, starts it, and finds it published', async () => {
    const file = join(app.config.dataDir, 'loving.geojson');
    await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features: [1, 2, 3].map(square) }));
    await openAs(page, operator, `/admin/counties/${loving}`);
    await page.getByRole('link', { name: 'Load a file' }).click();
    await page.getByRole('heading', { name: 'Load a file for Loving County, Texas' }).waitFor();
    await page.locator('input[type=file]').setInputFiles(file);
    await proceed('columns');
    await page.getByRole('region', { name: 'Mapping' }).getByRole('cell').filter({ hasText: 'APN-1' }).first().waitFor();
    await proceed('check');
    await page.getByText('3 rows read: 3 records, 0 rejected.').waitFor();
    await proceed('load');
    await page.getByRole('button', { name: 'Load and publish' }).click();
    await page.getByRole('heading', { name: 'Loads' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'loving.geojson' }).getByText('published', { exact: true }).waitFor();
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(
      ['File', 'County', 'State', 'Release', 'Loaded', 'Rejected', 'Started', 'Finished', 'By'], // and no actions where none can be taken
    );
    expect((await app.get(`/api/counties/${loving}`)).json).toMatchObject({ status: 'loaded', parcel_count: 3 });
    await page.getByRole('link', { name: 'Activity log' }).click();
    const entry = page
      .getByRole('row')
      .filter({ hasText: 'start load' })
      .filter({ has: page.getByRole('link', { name: loving }) });
    await entry.locator('summary').first().click();
    await entry.getByText('loving.geojson').waitFor();
    await entry.getByText('"countyFips": "48301"', { exact: false }).waitFor();
  });

  it('sees how far a running load is and how long it will take, in the list and on its release', async () => {
    const norfolk = '25021';
    await publishRecords(app.db, norfolk, 3);
    const file = join(app.config.dataDir, 'norfolk.csv');
    await writeFile(file, 'APN,LON,LAT\n1,-71.2,42.18\n2,-71.2,42.19\n3,-71.2,42.2\n');
    // A load waits for the row of its county before it is published.
    const other = await openPool(app.db).connect();
    await other.query('begin');
    await other.query('select from county where fips = $1 for no key update', [norfolk]);
    try {
      await openAs(page, operator, `/admin/counties/${norfolk}/load`);
      await page.locator('input[type=file]').setInputFiles(file);
      await proceed('columns', 'check', 'load');
      await page.getByRole('button', { name: 'Load and publish' }).click();
      const row = page.getByRole('row').filter({ hasText: 'norfolk.csv' });
      await row.getByText('3 rows · 100% · finishing').waitFor();
      const progress = (percent: number, rows: number) =>
        app.db.query(`update load_job set bytes_read = $2, bytes_total = 100, rows_read = $3 where county_fips = $1`, [
          norfolk,
          percent,
          rows,
        ]);
      await progress(10, 1000);
      await row.getByText('1,000 rows · 10%').waitFor();
      await progress(20, 2000);
      await row.getByText(/^2,000 rows · 20% · \d+ (s|min) left$/).waitFor();
      await row.getByRole('link', { name: /^\d+$/ }).click();
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

  it('finds loads of the command line among those of the console, and cannot repeat one from here that failed', async () => {
    const hampden = '25013';
    const load = async (name: string, text: string) => {
      await writeFile(join(app.config.dataDir, name), text);
      return loadCounty({ database: app.db, county: hampden, files: [join(app.config.dataDir, name)] });
    };
    const parcels = 'APN,LON,LAT,OWNER\n1,-72.59,42.1,A\n';
    const { releaseId } = await load('hampden.csv', parcels);
    await expect(load('broken.csv', `${parcels},,,B\n,,,C\n`)).rejects.toThrow('rejected');
    await openAs(page, operator, '/admin/loads');
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('hampden.csv').waitFor();
    expect(await row('hampden.csv').getByRole('cell').allInnerTexts()).toEqual(
      expect.arrayContaining(['Hampden County, MA', 'published', String(releaseId), '1', 'command line']),
    );
    await row('broken.csv').getByText('failed', { exact: true }).waitFor();
    await row('broken.csv').getByText('2 of 3 rows', { exact: false }).waitFor();
    expect(await row('broken.csv').getByRole('button').count()).toBe(0);
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
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard release' }).click();
    await page.getByText('discarded', { exact: true }).waitFor();
    await page.goto('/admin/releases?state=discarded');
    await release(held).getByText('discarded', { exact: true }).waitFor();
  });

  it('checks and loads the county’s own service, and sees on its release what came from there', async () => {
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
    await own.getByRole('button', { name: 'Fetch and load' }).click();
    const row = page.getByRole('row').filter({ hasText: url });
    await row.getByText('published', { exact: true }).waitFor();
    await row.getByRole('link', { name: /^\d+$/ }).last().click();
    await page.getByRole('link', { name: url }).waitFor();
    await page.getByText('bytes', { exact: false }).waitFor();
    await page.goto(`/admin/counties/${dukes}/load`);
    await own.getByText('From the county’s profile.').waitFor();
    expect(await own.getByRole('textbox').inputValue()).toBe(url);
  });

  it('corrects a column by a select that shows values, and need not say it again for the next file', async () => {
    const nantucket = '25019';
    const upload = async (name: string, text: string) => {
      const file = join(app.config.dataDir, name);
      await writeFile(file, text);
      await page.goto(`/admin/counties/${nantucket}/load`);
      await page.locator('input[type=file]').setInputFiles(file);
      await proceed('columns');
    };
    const roll = (owner: string) => `PIN,${owner},HOLDER,LON,LAT\n1,101,HOUSE A,-70.1,41.28\n2,102,HOUSE B,-70.1,41.28\n`;
    const select = () => page.getByRole('combobox', { name: 'Column of owner_name', exact: true });
    const load = () => page.getByRole('button', { name: 'Load and publish' });
    await openAs(page, operator, `/admin/counties/${nantucket}/load`);
    await upload('nantucket.csv', roll('ROLE'));
    await page.getByText('Every record would be without owner_name, situs_address').waitFor();
    expect(await select().locator('option:checked').innerText()).toBe('– empty –');
    await select().selectOption({ label: 'HOLDER, 100% filled: HOUSE A · HOUSE B' });
    await page.getByRole('row').filter({ hasText: 'owner_name' }).getByRole('cell', { name: 'HOUSE A · HOUSE B', exact: true }).waitFor();
    await page.getByText('Every record would be without situs_address').waitFor();
    const role = page.getByRole('combobox', { name: 'ROLE', exact: true });
    expect(await role.getAttribute('aria-describedby').then((id) => page.locator(`[id="${id}"]`).textContent())).toContain('101 · 102');
    await role.selectOption('use_code');
    await page.getByRole('row').filter({ hasText: 'use_code' }).getByRole('cell', { name: '101 · 102', exact: true }).waitFor();
    await role.waitFor({ state: 'detached' });
    await proceed('check', 'load');
    await page.getByText('owner_name=HOLDER, use_code=ROLE', { exact: true }).waitFor();
    await load().click();
    await page.getByRole('row').filter({ hasText: 'nantucket.csv' }).getByText('published', { exact: true }).waitFor();

    await upload('nantucket-next.csv', roll('ROLE'));
    await page.getByText('version 1', { exact: true }).waitFor();
    expect(await select().inputValue()).toBe('HOLDER');
    await page.goto(`/admin/counties/${nantucket}`);
    const profiles = page.getByRole('region', { name: 'Profiles' }).first();
    await profiles.getByText('1, in use').waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      profiles.getByRole('button', { name: 'Download version 1' }).click(),
    ]);
    const profile = JSON.parse(await readFile(await download.path(), 'utf8'));
    const choose = (name: string, content: object) =>
      page
        .getByRole('dialog')
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(content)) });
    await profiles.getByRole('button', { name: 'Import a profile' }).click();
    const dialog = page.getByRole('dialog');
    await choose('wrong.json', { ...profile, crs: 5 });
    await dialog.getByText(/crs must be a text of 1 to 2000 characters; it is 5/).waitFor();
    await choose('same.json', profile);
    await dialog.getByText('It matches the profile in use.').waitFor();
    await choose('corrected.json', { ...profile, license: 'CC0', map: { ...profile.map, owner_name: { columns: ['ROLE'] } } });
    await dialog.getByText('new: owner_name=ROLE').waitFor();
    await dialog.getByText('new: “License” CC0').waitFor();
    await dialog.getByText('no longer: owner_name=HOLDER').waitFor();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await profiles.getByText('2, in use').waitFor();
    await profiles.getByRole('link', { name: /^release/ }).click();
    await page.getByText('version 1', { exact: true }).waitFor();
  });

  it('is shown what a file would change, and publishes it only after ticking what speaks against it', async () => {
    const load = async (name: string, count: number) => {
      const file = join(app.config.dataDir, name);
      const features = Array.from({ length: count }, (_, i) => square(i, 100 + i));
      await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features }));
      await page.goto(`/admin/counties/${loving}/load`);
      await page.locator('input[type=file]').setInputFiles(file);
      await proceed('columns', 'check', 'load');
      await page.getByRole('button', { name: /^Load and (publish|hold)/ }).click();
      await page.getByRole('heading', { name: 'Loads' }).waitFor();
    };
    await openAs(page, operator, `/admin/counties/${loving}/load`);
    await load('some.geojson', 12);
    const row = page.getByRole('row').filter({ hasText: 'some.geojson' });
    await row.getByRole('link', { name: /^Review release/ }).click();
    await page.getByRole('button', { name: 'Publish anyway' }).click();
    await page
      .getByRole('dialog')
      .getByRole('checkbox', { name: /3 of the 3 parcel ids are gone/ })
      .check();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Publish release/ })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('current', { exact: true }).waitFor();
    expect((await app.get(`/api/counties/${loving}`)).json.parcel_count).toBe(12);

    await load('few.geojson', 2);
    await page
      .getByRole('row')
      .filter({ hasText: 'few.geojson' })
      .getByRole('link', { name: /^Review release/ })
      .click();
    await page.getByText('2 records instead of 12', { exact: false }).first().waitFor();
    await page
      .getByRole('region', { name: 'Columns', exact: true })
      .getByRole('row')
      .filter({ hasText: 'apn' })
      .getByText('certain')
      .waitFor();
    await page.getByRole('link', { name: 'Choose its columns' }).click();
    await page.getByRole('heading', { name: 'Step 2 of 4: Columns' }).waitFor();
    await page.getByText('few.geojson', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard release' }).click();
    await page.getByText('discarded', { exact: true }).waitFor();
    expect((await app.get(`/api/counties/${loving}`)).json.parcel_count).toBe(12);
    await page.goto('/admin/loads');
    const decided = page.getByRole('row').filter({ hasText: 'few.geojson' });
    await decided.getByText('discarded', { exact: true }).waitFor();
    expect(await decided.getByText('Review').count()).toBe(0);
  });

  it.each([
    ['discarding', 'Discard', 'Discard release'],
    ['publishing', 'Publish anyway', /^Publish release/],
  ] as const)('sees what another operator has decided when %s fails for it', async (_, open, confirmIt) => {
    const release = await holdRelease();
    await openAs(page, operator, `/admin/releases/${release}`);
    await page.getByRole('button', { name: open }).click();
    const other = await app.signUpOperator();
    await other.ask('mutation ($id: Int!) { discardRelease(releaseId: $id) { state } }', { id: release });
    await page.getByRole('dialog').getByRole('button', { name: confirmIt }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByText('discarded', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: open }).count()).toBe(0);
  });

  describe('whose change the server refused, and then would not say how things are now', () => {
    const refused = { errors: [{ message: 'Too many requests.', extensions: { code: 'too_many_requests' } }] };
    const refuse = () => page.route('**/graphql', (route) => route.fulfill({ status: 429, json: refused }));

    it('finds the note that was typed, and saves it by a second try', async () => {
      await openAs(page, operator, '/admin/counties/25003');
      await page.getByRole('button', { name: 'Status and note' }).click();
      const dialog = page.getByRole('dialog');
      const note = dialog.getByRole('textbox', { name: 'Note' });
      await note.fill('the assessor answers in March');
      await refuse();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The county could not be updated').waitFor();
      await dialog.getByText('Too many requests.').waitFor();
      expect(await note.inputValue()).toBe('the assessor answers in March');
      await page.unroute('**/graphql');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('the assessor answers in March').first().waitFor();
    });

    it('finds the dialog of a release that is held as it was, with the reason', async () => {
      await openAs(page, operator, `/admin/releases/${await holdRelease()}`);
      await page.getByRole('button', { name: 'Publish anyway' }).click();
      const dialog = page.getByRole('dialog');
      await refuse();
      await dialog.getByRole('button', { name: /^Publish release/ }).click();
      await page.getByText('The release could not be updated').waitFor();
      await dialog.getByText('Too many requests.').waitFor();
    });
  });

  describe('who sends a file', () => {
    const files = () => page.locator('input[type=file]');
    const sendAgain = () => page.getByRole('button', { name: 'Upload again' }).click();
    const isHere = (names: string) => page.getByText(names, { exact: true }).waitFor();
    const proceeding = () => page.getByRole('button', { name: 'Continue' });
    const squares = async (name: string) => {
      const file = join(app.config.dataDir, name);
      await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features: [1, 2, 3, 4].map((i) => square(i)) }));
      return file;
    };

    it('and then chooses another one goes on with neither before that is sent', async () => {
      await openAs(page, operator, `/admin/counties/${loving}/load`);
      await files().setInputFiles(await squares('first.geojson'));
      await proceeding().waitFor();
      const roll = join(app.config.dataDir, 'of-first.csv');
      await writeFile(roll, 'APN,OWNER\nAPN-1,A\nAPN-2,B\nAPN-3,C\nAPN-4,D\n');
      await files().nth(1).setInputFiles(roll);
      await page.locator('button:disabled', { hasText: 'Continue' }).waitFor();
      await page.getByRole('button', { name: 'Remove the tax roll' }).click();
      await page.locator('button:enabled', { hasText: 'Continue' }).waitFor();
      await files().nth(1).setInputFiles(roll);
      await proceed('columns');
      await isHere('first.geojson with of-first.csv');
      await page.getByRole('button', { name: 'Back' }).click();
      await files()
        .first()
        .setInputFiles(await squares('second.geojson'));
      await proceed('columns');
      await isHere('second.geojson with of-first.csv');
    });

    it('finds it again after a reload, at the same step, with the tax roll and all that was chosen', async () => {
      await openAs(page, operator, `/admin/counties/${loving}/load`);
      await files().setInputFiles(await squares('kept.geojson'));
      const roll = join(app.config.dataDir, 'of-kept.csv');
      await writeFile(roll, 'APN,HOLDER\nAPN-1,A\nAPN-2,B\n');
      await files().nth(1).setInputFiles(roll);
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

    it('is told before the load what would refuse or hold it', async () => {
      const worcester = '25027';
      await publishRecords(app.db, worcester, 20);
      const file = join(app.config.dataDir, 'worcester.csv');
      await writeFile(file, `APN,OWNER,LON,LAT\n${Array.from({ length: 10 }, (_, i) => `${i},A,-71.8,42.27`).join('\n')}\n,B,,\n,C,,\n`);
      await openAs(page, operator, `/admin/counties/${worcester}/load`);
      await files().setInputFiles(file);
      await proceed('columns', 'check');
      await page.getByRole('alert').filter({ hasText: '2 of 12 rows' }).waitFor();
      await page.getByRole('region', { name: 'Rows that would be rejected' }).getByText('Neither a parcel number nor a geometry').waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByText('How to read the file, and where it is from').click();
      await page.getByRole('textbox', { name: 'Rejected rows allowed' }).fill('20');
      await page.getByRole('textbox', { name: 'Rejected rows allowed' }).press('Enter');
      await proceed('check');
      await page.getByText('12 rows read: 10 records to replace the current 20, 2 rejected.').waitFor();
      await page.getByRole('note').filter({ hasText: 'held for your review' }).getByText('10 records instead of 20').waitFor();
      await proceed('load');
      await page.getByRole('button', { name: 'Load and hold for review' }).waitFor();
    });

    it('is asked before leaving meanwhile, and can cancel it', async () => {
      await page.route('**/admin/uploads/*', () => {});
      await openAs(page, operator, `/admin/counties/${loving}/load`);
      const sending = page.waitForRequest((request) => request.method() === 'PUT');
      await files().setInputFiles(await squares('slow.geojson'));
      await sending;
      const asking = page.waitForEvent('dialog');
      await page.evaluate('setTimeout(() => location.reload())');
      const question = await asking;
      expect(question.type()).toBe('beforeunload');
      await question.dismiss();
      const cut = page.waitForEvent('requestfailed', (request) => request.method() === 'PUT');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await cut;
      await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.unroute('**/admin/uploads/*');
      await sendAgain();
      await proceeding().waitFor();
    });

    it('is asked before another page of the console is opened meanwhile, by a link or by Back', async () => {
      await page.route('**/admin/uploads/*', () => {});
      await openAs(page, operator, `/admin/counties/${loving}`);
      await page.getByRole('link', { name: 'Load a file' }).click();
      const sending = page.waitForRequest((request) => request.method() === 'PUT');
      await files().setInputFiles(await squares('asked.geojson'));
      await sending;
      const loads = page.getByRole('link', { name: 'Loads', exact: true });
      for (const leave of [() => loads.click(), () => page.evaluate('history.back()')]) {
        const asking = page.waitForEvent('dialog');
        const left = leave();
        const question = await asking;
        expect(question.message()).toContain('still running');
        await question.dismiss();
        await left;
        expect(new URL(page.url()).pathname).toBe(`/admin/counties/${loving}/load`);
        await page.getByRole('button', { name: 'Cancel' }).waitFor();
      }
    });

    it('sends it to nobody any more once the page is left', async () => {
      await page.route('**/admin/uploads/*', () => {});
      await openAs(page, operator, `/admin/counties/${loving}/load`);
      const sending = page.waitForRequest((request) => request.method() === 'PUT');
      await files().setInputFiles(await squares('left.geojson'));
      await sending;
      const cut = page.waitForEvent('requestfailed', (request) => request.method() === 'PUT');
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
      await files().setInputFiles(await squares('late.geojson'));
      const opening = page.waitForEvent('popup');
      await page.getByRole('link', { name: 'Sign in again' }).click();
      const beside = await opening;
      await beside.getByLabel('Email address').fill(other.email);
      await beside.getByRole('textbox', { name: 'Password' }).fill(other.password);
      await beside.getByRole('button', { name: 'Sign in', exact: true }).click();
      await beside.waitForURL(`**/admin/counties/${loving}/load`);
      await beside.close();
      await sendAgain();
      await proceeding().waitFor();
    });
  });

  it('drops a file onto the page instead of choosing it', async () => {
    await openAs(page, operator, `/admin/counties/${loving}/load`);
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['APN,OWNER\\nAPN-7,A\\n'], 'dropped.csv'));
      return transfer;
    })()`);
    await page.getByText('Choose a file, or drop it here').first().dispatchEvent('drop', { dataTransfer: data });
    await proceed('columns');
    await page.getByText('dropped.csv', { exact: true }).waitFor();
  });

  it('is told that a file is too large before a byte of it is sent', async () => {
    const file = join(app.config.dataDir, 'large.csv');
    await writeFile(file, '');
    await truncate(file, 4 * 1024 ** 3 + 1); // sparse: it takes no room
    const uploads: string[] = [];
    page.on('request', (request) => request.method() === 'PUT' && uploads.push(request.url()));
    await openAs(page, operator, `/admin/counties/${loving}/load`);
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('alert').filter({ hasText: 'too large' }).waitFor();
    expect(uploads).toEqual([]);
  });

  it('finds a county by its name, and has the list sorted', async () => {
    await openAs(page, operator, '/admin/counties');
    await page.getByRole('searchbox', { name: 'Name or FIPS' }).fill('middlesex');
    await page.getByText('3 counties', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Most records first');
    await page.getByRole('row').nth(1).getByRole('link', { name: 'Middlesex County' }).click();
    await page.waitForURL(`**/admin/counties/${middlesex}`);
  });

  it('chooses the columns that tie a tax roll to shapes by how many rows they tie', async () => {
    const shapes = join(app.config.dataDir, 'shapes.geojson');
    const roll = join(app.config.dataDir, 'roll.csv');
    await writeFile(shapes, JSON.stringify({ type: 'FeatureCollection', features: [1, 2, 3, 4].map((i) => square(i)) }));
    await writeFile(roll, 'PARCEL,OWNER,APN\nAPN-1,A,APN-9\nAPN-2,B,APN-8\nAPN-3,C,APN-1\nAPN-7,D,x\n');
    await openAs(page, operator, `/admin/counties/${loving}/load`);
    await page.locator('input[type=file]').first().setInputFiles(shapes);
    await page.getByRole('region', { name: 'Tax roll (optional)' }).locator('input[type=file]').setInputFiles(roll);
    await proceed('columns');
    await page.getByText('Joined on APN=PARCEL', { exact: true }).waitFor();
    await page.getByText(/^3 of 4 shapes have a row in the tax roll \(75%\). Those without a match, such as APN-4, become/).waitFor();
    await page.getByText(/^3 of 4 rows of the tax roll have a shape \(75%\). Those without a match, such as APN-7, become/).waitFor();
    await page.getByRole('button', { name: 'Join on APN', exact: true }).click();
    await page.getByText('Joined on APN', { exact: true }).waitFor();
    await page.getByText(/^1 of 4 rows of the tax roll have a shape/).waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/--[a-z]/);
    await page.getByText('How to read the file, and where it is from').click();
    await page.getByRole('textbox', { name: 'Only rows where' }).fill('APN=APN-2');
    await page.keyboard.press('Tab');
    await page.getByText(/^0 of 4 rows of the tax roll have a shape/).waitFor();
  });

  it('sees the rejected rows, their files and the reasons', async () => {
    const files = await Promise.all(
      ['north', 'south'].map(async (name, part) => {
        const file = join(app.config.dataDir, `${name}.geojson`);
        const squares = Array.from({ length: 30 }, (_, i) => square(i % 10, 100 * part + i));
        const nowhere = { type: 'Feature', properties: { APN: '', OWNER: `of the ${name}` }, geometry: null };
        await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features: [...squares, nowhere] }));
        return file;
      }),
    );
    const options = { accept: ['loss', 'ids', 'places', 'spread', 'values', 'empty'] };
    const request = { database: app.db, county: loving, options, onProgress: () => {} };
    const { releaseId } = await loadCounty({ ...request, files });
    await openAs(page, operator, `/admin/releases/${releaseId}`);
    const table = page.getByRole('region', { name: 'Rejected rows' });
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
function square(number: number, apn = number) {
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
