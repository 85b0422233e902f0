import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFile } from '../../src/core/project-files.js';
import { LedgerExportStore } from '../../src/proofs/ledger-export.store.js';
import { hashEntry, hexOf } from '../../src/proofs/verifier/verify-ledger.js';
import { startApp, type TestApp } from '../harness/app.js';
import { openPool } from '../harness/database.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { fileOf } from '../harness/wrong-ledgers.js';
import { Books } from '../ledger/books.js';
import { check, checkInPython, sha256, withPython } from './both-verifiers.js';
import { linesIn, vectors } from './made-ledger.js';
import { tortured } from './tortured-balance.js';

let app: TestApp;
let books: Books;
let store: LedgerExportStore;
beforeAll(async () => {
  app = await startApp();
  books = Books.of(app.db);
  store = new LedgerExportStore(openPool(app.db));
  await publishRecords(app.db, '25017', 200);
});

const exportQuery = `query ($balanceId: ID!, $after: Int! = 0, $limit: Int! = 5000, $everybody: Boolean) {
  ledgerExport(balanceId: $balanceId, after: $after, limit: $limit, everybody: $everybody) { text rows next }
}`;

describe('an exported ledger', () => {
  it('has the hashes that Postgres wrote, recomputed from the file alone, whatever its texts are', async () => {
    const token = await tortured(books);
    const file = await fileOf(store, token.balanceId);
    const lines = linesIn(file);
    const entries = await app.db.query<{ hash: string }>(
      `select encode(entry_hash(e), 'hex') as hash from ledger_entry e where balance_id = $1 order by sequence`,
      [token.balanceId],
    );
    expect(lines.map((line) => hexOf(hashEntry(line, sha256)))).toEqual(entries.map(({ hash }) => hash));
    expect(new Set(lines.map(({ kind }) => kind))).toEqual(
      new Set(['grant', 'read', 'replay', 'reversal', 'expiry', 'adjustment', 'terms', 'token']),
    );
    expect(await check(file)).toMatchObject({ difference: null, entries: lines.length });
  });

  withPython.test('is read in the same way by the verifier in Python, entry by entry', async () => {
    const file = await fileOf(store, (await tortured(books)).balanceId);
    const [report] = checkInPython([file]);
    expect(report).toMatchObject({ difference: null, hashes: linesIn(file).map(({ hash }) => hash) });
    const [balance] = (await check(file)).balances;
    expect(Object.values(report!.periods)[0]).toEqual(
      balance!.periods.map(({ start, overageRecords, overageCents }) => ({ start, overageRecords, overageCents })),
    );
  });

  it('has the documented keys in their order, and times to the microsecond', async () => {
    const token = await books.newTrial();
    const [line] = linesIn(await fileOf(store, token.balanceId));
    expect(Object.keys(line!)).toEqual(Object.keys(linesIn(vectors)[0]!));
    const columns = await app.db.query(`select from information_schema.columns where table_name = 'ledger_entry'`);
    expect(Object.keys(line!)).toHaveLength(columns.length + 1); // and `hash_version`
    const [entry] = await app.db.query<{ at: string }>(
      `select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at from ledger_entry where balance_id = $1`,
      [token.balanceId],
    );
    expect(`${new Date(Math.floor(line!.at / 1000)).toISOString().slice(0, -1)}${String(line!.at % 1000).padStart(3, '0')}`).toBe(
      entry!.at,
    );
  });

  it('of the documented vectors has the hashes that Postgres makes', async () => {
    for (const line of linesIn(vectors)) {
      const [row] = await app.db.query(
        `select encode(entry_hash(jsonb_populate_record(null::ledger_entry, e || jsonb_build_object(
           'at', to_timestamp(0) + (e -> 'at')::bigint * interval '1 microsecond',
           'period_start', to_timestamp(0) + (e -> 'period_start')::bigint * interval '1 microsecond',
           'previous_hash', '\\x' || (e ->> 'previous_hash'), 'request_hash', '\\x' || (e ->> 'request_hash'), 'hash', null))), 'hex') as hash
           from (select $1::jsonb as e) line`,
        [JSON.stringify(line)],
      );
      expect(row).toEqual({ hash: line.hash });
    }
  });
});

describe('ledgerExport', () => {
  async function reader() {
    const person = await app.signUp();
    const token = await person.trialToken();
    await app.get('/api/parcels?limit=5', { token });
    const { balances } = await person.ask('{ balances { id } }');
    return { person, balanceId: balances[0].id as string };
  }

  it('gives the owner all entries, oldest first, a page at a time', async () => {
    const { person, balanceId } = await reader();
    const whole = (await person.ask(exportQuery, { balanceId })).ledgerExport;
    expect(linesIn(whole.text).map(({ kind }) => kind)).toEqual(expect.arrayContaining(['grant', 'read']));
    expect(whole).toMatchObject({ rows: linesIn(whole.text).length, next: null });
    const first = (await person.ask(exportQuery, { balanceId, limit: 1 })).ledgerExport;
    const second = (await person.ask(exportQuery, { balanceId, after: first.next })).ledgerExport;
    expect([first.rows, first.next, first.text + second.text]).toEqual([1, 1, whole.text]);
    expect((await person.ask(exportQuery, { balanceId, after: whole.rows })).ledgerExport).toEqual({ text: '', rows: 0, next: null });
    expect(await check(whole.text)).toMatchObject({ difference: null });
  });

  it('treats somebody else’s balance like an unknown one, except for operators who ask for everybody’s', async () => {
    const { person, balanceId } = await reader();
    const [stranger, operator] = [await app.signUp(), await app.signUpOperator()];
    for (const unknown of [balanceId, '00000000-0000-4000-8000-000000000000', "' or true --"]) {
      expect((await stranger.ask(exportQuery, { balanceId: unknown })).ledgerExport).toBeNull();
    }
    expect((await operator.ask(exportQuery, { balanceId })).ledgerExport).toBeNull();
    const own = (await person.ask(exportQuery, { balanceId })).ledgerExport;
    expect((await operator.ask(exportQuery, { balanceId, everybody: true })).ledgerExport).toEqual(own);
    await expect(stranger.ask(exportQuery, { balanceId, everybody: true })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('refuses more than 5,000 entries at once', async () => {
    const { person, balanceId } = await reader();
    for (const wrong of [{ limit: 5001 }, { limit: 0 }, { after: -1 }]) {
      await expect(person.ask(exportQuery, { balanceId, ...wrong })).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});

describe('the compiled verifier', () => {
  it('runs alone under node, with the documented script', async () => {
    const folder = await temporaryFolder();
    copyFileSync(projectFile('dist/src/proofs/verifier/verify-ledger.js'), join(folder, 'verify-ledger.js'));
    const script = readFileSync(projectFile('schema/check.mjs'), 'utf8');
    const file = await fileOf(store, (await tortured(books)).balanceId);
    const reads = linesIn(file).filter(({ kind }) => kind === 'read');
    writeFileSync(join(folder, 'check.mjs'), script);
    writeFileSync(join(folder, 'mine.mjs'), script.replace('grant_records: 4000', 'grant_records: 100'));
    writeFileSync(join(folder, 'ledger.ndjson'), file);
    writeFileSync(join(folder, 'receipts.txt'), reads.map(({ hash }) => `${hash}\n`).join(''));
    const run = (receipts: string, check = 'mine.mjs') =>
      execFileSync(process.execPath, [check, 'ledger.ndjson', receipts], { cwd: folder, encoding: 'utf8', env: {}, stdio: 'pipe' });
    expect(run('receipts.txt')).toContain(
      `${reads.length} of ${reads.length} receipts have their entry.\n0 charged reads have no receipt.`,
    );
    expect(() => run('receipts.txt', 'check.mjs')).toThrow('Command failed'); // the plan includes more
    writeFileSync(join(folder, 'foreign.txt'), 'ab'.repeat(32));
    expect(() => run('foreign.txt')).toThrow('Command failed');
  });

  it('needs nothing beside it, and nothing of node or of a page', () => {
    const compiled = readFileSync(projectFile('dist/src/proofs/verifier/verify-ledger.js'), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    expect(compiled.match(/\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b|\bwindow\b|\bdocument\b/)).toBeNull();
  });
});
