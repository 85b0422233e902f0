import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { projectFile } from '../../src/core/project-files.js';
import { addJob } from '../../src/jobs/task.js';
import { LedgerExportStore } from '../../src/proofs/ledger-export.store.js';
import type { LedgerLine } from '../../src/proofs/verifier/verify-ledger.js';
import { startApp, type TestApp } from '../harness/app.js';
import { bringSession, openAs, openBrowser, openPage } from '../harness/browser.js';
import { openPool } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { fileOf } from '../harness/wrong-ledgers.js';
import { Books } from '../ledger/books.js';
import { fileOfLines, linesIn, MadeLedger } from '../proofs/made-ledger.js';
import { tortured } from '../proofs/tortured-balance.js';

let app: TestApp;
let browser: Browser;
let page: Page;
let store: LedgerExportStore;
/** Two balances: one with every kind of entry and texts that are hard to quote, and one with overage. */
let ledger: string;
let lines: LedgerLine[];

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser();
  store = new LedgerExportStore(openPool(app.db));
  await publishRecords(app.db, '25017', 200);
  const books = Books.of(app.db);
  const overdrawn = await books.paid({ grant: 100, cap: 100 });
  await books.spend(overdrawn, 120);
  ledger = (await fileOf(store, (await tortured(books)).balanceId)) + (await fileOf(store, overdrawn.balanceId));
  lines = linesIn(ledger);
});
beforeEach(async () => {
  page = await openPage(browser, { baseURL: app.config.baseUrl, acceptDownloads: true });
});

const asFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
const receiptsOf = (file: string) => linesIn(file).filter(({ kind }) => kind === 'read' || kind === 'replay');

type GivenFile = ReturnType<typeof asFile>;

/** Fills the form of /verify and starts. */
async function start(files: GivenFile[], { receipts = '', key = '', included = '100', price = '5' } = {}): Promise<void> {
  await page.goto('/verify');
  await page.getByLabel('Files', { exact: true }).waitFor();
  await page.locator('input[type=file]').setInputFiles(files);
  if (receipts) await page.getByLabel('Receipts (optional)', { exact: true }).fill(receipts);
  await page.getByLabel('Included records a period').fill(included);
  await page.getByLabel('Price of an overage record, in cents').fill(price);
  if (key) await page.getByLabel('Key of the checkpoints').fill(key);
  await page.getByRole('button', { name: 'Check', exact: true }).press('Enter');
}

/** The same, and waits for the result. */
async function check(
  file: string,
  { proofs = [] as string[], ...texts }: { proofs?: string[]; receipts?: string; key?: string; included?: string; price?: string } = {},
): Promise<void> {
  await start([...(file ? [asFile('ledger.ndjson', file)] : []), ...proofs.map((proof, i) => asFile(`${i}`, proof))], texts);
  await page.locator('h2:focus', { hasText: 'Result' }).waitFor();
}

const result = () => page.locator('section', { has: page.locator('#result-title') });
const says = (text: string | RegExp) => result().getByText(text).first().waitFor();

/** Has the server sign a checkpoint, and waits until it is public. */
async function sign(): Promise<void> {
  const [before] = await app.db.query<{ signed: number }>('select count(*)::integer as signed from log_checkpoint');
  await addJob(app.database.pool, 'sign-checkpoint', {}, { key: 'sign-checkpoint', queue: 'sign-checkpoint' });
  await eventually('a new public checkpoint', async () => {
    const rows = await app.db.query<{ note: string }>('select note from log_checkpoint order by origin_id, size');
    return rows.length > before!.signed && (await app.get('/ledger/checkpoint')).text === rows.at(-1)!.note;
  });
}

/** A person who read `reads` times, with the receipts that the answers had. */
async function reader(reads = 3) {
  const { person, token } = await app.signUpWithTrial();
  const answers = [];
  for (let i = 0; i < reads; i++) answers.push(await app.get('/api/parcels?limit=2', { token }));
  const { balances } = await person.ask('{ balances { id } }');
  return {
    person,
    balanceId: balances[0].id as string,
    receipts: answers.map(({ headers }) => `${headers.get('Ledger-Hash')} ${headers.get('X-Request-Id')}`),
    entryIds: answers.map(({ json }) => json.metering.ledger_entry_id as string),
  };
}

describe('/verify, for a person without an account', () => {
  it('says that a ledger with every kind of entry is right, with the cents of each period, and sends nothing', async () => {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET' || request.postData() !== null) sent.push(`${request.method()} ${request.url()}`);
    });
    await check(ledger, {
      receipts: receiptsOf(ledger)
        .map(({ hash }) => hash)
        .join('\n'),
    });
    await says(`All ${lines.length} entries are right`);
    await says(`${receiptsOf(ledger).length} of ${receiptsOf(ledger).length} receipts match an entry.`);
    await says('You have a receipt for every charged read.');
    const centsOf = (grant: LedgerLine) =>
      lines
        .filter(({ balance_id, period_start }) => balance_id === grant.balance_id && period_start === grant.period_start)
        .reduce((sum, { overage_cents }) => sum + overage_cents, 0);
    const cents = lines.filter(({ kind }) => kind === 'grant').map(centsOf);
    expect(await result().locator('td[data-label="Overage in cents"]').allTextContents()).toEqual(cents.map(String));
    expect(cents.at(-1)).toBe(100);
    expect(sent).toEqual([]);
    expect((await page.context().cookies()).length).toBe(0);
  });

  it('names a price and a grant that were not agreed, and lists what changed a balance beside its reads', async () => {
    await check(ledger, { included: '', price: '' });
    await says('Something is wrong');
    await says(/^Entry 2 .* sets grant_records to 100, and 4000 was agreed/);
    await check(ledger, { price: '4' });
    await says(/sets overage_unit_cents to 5, and 4 was agreed/);
    await check(ledger);
    await says('overage_cap was null, is 500');
    expect(await result().locator('td[data-label="Price in cents"]').first().textContent()).toBe('5');
  });

  it('names receipts without an entry, and charged reads without a receipt', async () => {
    const charged = lines.filter(
      ({ kind, id, records }) =>
        kind === 'read' && records > 0 && !lines.some(({ reverses, repeats }) => reverses === id || repeats === id),
    );
    const kept = receiptsOf(ledger).filter(({ id }) => id !== charged[1]!.id);
    await check(ledger, { receipts: kept.map(({ hash }) => hash).join('\n') });
    await says('1 charged read without a receipt');
    await says(charged[1]!.id);
    const foreign = createHash('sha256').update('another ledger').digest('hex');
    await check(ledger, { receipts: `${kept[0]!.hash}\n${foreign}` });
    await says('1 of 2 receipts match an entry.');
    await result().getByRole('listitem').filter({ hasText: foreign }).waitFor();
  });

  it('takes dropped files, each for what it is, whatever its name', async () => {
    await page.goto('/verify');
    await page.getByLabel('Files', { exact: true }).waitFor();
    const dropped = [
      [
        'a.b',
        receiptsOf(ledger)
          .map(({ hash }) => hash)
          .join('\n'),
      ],
      ['mine', ledger],
    ];
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      for (const [name, text] of ${JSON.stringify(dropped)}) transfer.items.add(new File([text], name));
      return transfer;
    })()`);
    await page.getByText('You can also drop files here').dispatchEvent('drop', { dataTransfer: data });
    await page.getByLabel('Included records a period').fill('100');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await says('You have a receipt for every charged read.');
  });

  it('shows its progress through 50,000 entries, can be cancelled, and keeps the result as text', async () => {
    const made = MadeLedger.opened();
    made.terms({ overage_cap: null });
    while (made.lines.length < 50_000) made.read(1, { idempotency_key: `key ${made.lines.length}` });
    const path = join(await temporaryFolder(), 'large.ndjson');
    await writeFile(path, fileOfLines(made.lines));
    await page.goto('/verify');
    await page.getByLabel('Files', { exact: true }).waitFor();
    await page.locator('input[type=file]').setInputFiles(path);
    const button = page.getByRole('button', { name: 'Check', exact: true });
    await page.getByLabel('Included records a period').fill('100');
    const between = page.getByRole('status').filter({ hasText: /^[\d,]+ entries checked, ([1-9]|[1-9]\d)(\.\d)?%$/ });
    await button.click();
    await between.waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await between.waitFor({ state: 'detached' });
    expect(await page.getByRole('heading', { name: 'Result' }).count()).toBe(0);
    await button.click();
    await between.waitFor();
    await says('All 50,000 entries are right');
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save this result as text' }).click();
    expect(readFileSync(await (await waiting).path(), 'utf8')).toMatch(/^50000 entries are right\.\nBalance /);
  });

  it('takes alone, or together, whatever we hand out, and says in one sentence that a file is none of it', async () => {
    const { person, balanceId, entryIds } = await reader();
    await sign();
    const kept = (await app.get('/ledger/checkpoint')).text;
    await sign();
    const { text: key } = await app.get('/ledger/key');
    await openAs(page, person, `/console/usage/entries/${entryIds[0]}`);
    await page.getByRole('button', { name: 'Show the fields of APN-2' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Proof of this record' }).click();
    const recordProof = readFileSync(await (await saved).path(), 'utf8');
    await check('', { proofs: [recordProof], key });
    await says('Everything is right');
    await says(/^Record 2 of release \d+ of county 25017 is as in the checkpoint signed by .*"APN-2"/);
    await check('', { proofs: [kept], key });
    await says(/^The newest checkpoint goes on from the kept one: all its \d+ leaves are as they were\.$/);
    await check('', { proofs: [kept.replace(/\n(\d+)\n/, '\n1\n')] });
    await says(/^FORK: /);
    const file = await fileOf(store, balanceId);
    const { sequence, hash } = linesIn(file).at(-1)!;
    await check(file, { receipts: `Ledger: ${sequence} ${hash}` });
    await says(`Entry ${sequence} of balance ${balanceId} has the hash that the invoice names.`);
    await start([asFile('invoice.pdf', '%PDF-1.7')]);
    await page
      .getByText('“invoice.pdf” is none of the files that we hand out: a ledger file, a proof, receipts or a checkpoint.')
      .waitFor();
  });

  it('offers the very verifier that it runs', async () => {
    await page.goto('/verify');
    const waiting = page.waitForEvent('download');
    await page.getByRole('link', { name: 'verify-ledger.js' }).click();
    const download = await waiting;
    expect(download.suggestedFilename()).toBe('verify-ledger.js');
    expect(readFileSync(await download.path(), 'utf8')).toBe(
      readFileSync(projectFile('dist/src/proofs/verifier/verify-ledger.js'), 'utf8'),
    );
  });

  it('works on an unencrypted connection, and says that signatures could not be checked there', async () => {
    const { person, balanceId } = await reader(1);
    await sign();
    const { ledgerProof } = await person.ask('query ($id: ID!) { ledgerProof(balanceId: $id) }', { id: balanceId });
    const { text: key } = await app.get('/ledger/key');
    const file = await fileOf(store, balanceId);
    page = await openPage(browser, { baseURL: 'http://plain.example' });
    await page.context().route('http://plain.example/**', async (route) => {
      const response = await route.fetch({ url: route.request().url().replace('http://plain.example', app.config.baseUrl) });
      const { 'cross-origin-opener-policy': _, ...headers } = response.headers(); // Chromium complains of it there
      await route.fulfill({ response, headers });
    });
    await check(file, { proofs: [ledgerProof], key });
    expect(await page.evaluate('isSecureContext')).toBe(false);
    await says(/this browser does not support Ed25519 here/);
    await says(/^All \d entries are right$/);
  });
});

describe('the console', () => {
  const checkEntry = async (person: Person, path: string) => {
    await openAs(page, person, path);
    await page.getByRole('button', { name: 'Check this entry' }).click();
  };

  it('checks an entry in the browser: first its hash, after the next checkpoint its signature, too', async () => {
    const { person, entryIds, receipts } = await reader();
    await openAs(page, person, '/console/usage');
    await page.getByRole('button', { name: 'Proof of the trial balance' }).click();
    await page.getByText('Not in a checkpoint yet. The next one is signed within the hour.').waitFor();
    await checkEntry(person, `/console/usage/entries/${entryIds[0]}`);
    await page.getByText('This entry is correct, but not in a checkpoint yet').waitFor();
    await page.getByText('The next checkpoint is signed within the hour.').waitFor();
    await page.getByText(receipts[0]!.split(' ')[0]!, { exact: true }).waitFor();
    await sign();
    await page.getByRole('button', { name: 'Check this entry' }).click();
    await page.getByText('This entry is correct and in a checkpoint').waitFor();
    // Two reads, and a replay: the page showed the records again.
    await page.getByText('The 3 entries after it, up to number').waitFor();
    await page.getByText('signed with the key that we publish').waitFor();
    const operator = await app.signUpOperator();
    page = await openPage(browser, { baseURL: app.config.baseUrl });
    await checkEntry(operator, `/admin/ledger/${entryIds[0]}`);
    await page.getByText('This entry is correct and in a checkpoint').waitFor();
  });

  it('says what is wrong with an entry that was changed in the database', async () => {
    const { person, entryIds } = await reader();
    await sign();
    await app.db.query(
      `begin; set local session_replication_role = replica; update ledger_entry set request_id = 'another' where id = '${entryIds[1]}'; commit`,
    );
    await checkEntry(person, `/console/usage/entries/${entryIds[0]}`);
    await page.getByText('Something is wrong').waitFor();
    await page.getByText(/^The hash of entry \d+ does not fit its content\.$/).waitFor();
  });

  it('offers a balance’s ledger file and proof to its owner and to operators; /verify then compares with the checkpoint by a key, and names a wrong one', async () => {
    const { person, balanceId, receipts } = await reader();
    await sign();
    const saved = async (label: string) => {
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: `${label} of the trial balance` }).click();
      return readFileSync(await (await waiting).path(), 'utf8');
    };
    await openAs(page, await app.signUpOperator(), `/admin/accounts/${person.id}`);
    const ofOperators = [await saved('Ledger file'), await saved('Proof')];
    page = await openPage(browser, { baseURL: app.config.baseUrl, acceptDownloads: true });
    await openAs(page, person, '/console/usage');
    const [file, proof] = [await saved('Ledger file'), await saved('Proof')];
    expect([file, proof]).toEqual(ofOperators);
    expect(file).toBe(await fileOf(store, balanceId));

    const { text: key } = await app.get('/ledger/key');
    await check(file, { receipts: receipts.join('\n'), proofs: [proof], key });
    await says(`${receipts.length} of ${receipts.length} receipts match an entry.`);
    await says(/The first \d entries of balance .* are as in the checkpoint signed by/);
    await says('The signatures of the checkpoints match the key.');
    await check(file, { proofs: [proof] });
    await says('The signatures of the checkpoints were not checked, because no key was given.');
    const [name, id] = key.split('+');
    await check(file, { proofs: [proof], key: `${name}+${id}+${Buffer.alloc(33, 1).toString('base64')}` });
    await says('The key does not have the id that it names.');
  });

  it('tells operators when the newest checkpoint was signed, and why none is', async () => {
    await sign();
    const operator = await app.signUpOperator();
    await bringSession(page.context(), operator);
    await page.goto('/admin');
    await page.getByText('Newest checkpoint of the ledgers’ log: ').getByRole('time').waitFor();
    await app.db.query(`insert into alarm (source, text) values ('job', 'the stored tree does not give the last signed root')`);
    await page.reload();
    const problem = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
    await problem
      .filter({ hasText: 'No checkpoint has been signed, and mail and Stripe have waited, since' })
      .getByText('the stored tree does not give the last signed root')
      .waitFor();
  });
});
