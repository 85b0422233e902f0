import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { type AuditOptions, type AuditProgress, audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { roundGauges } from '../../src/audit/audit-round.js';
import { AuditRunStore, lastSeenAudit } from '../../src/audit/audit-run.store.js';
import { checkpointChecks } from '../../src/audit/checkpoint/checkpoint-checks.js';
import { entriesCheck } from '../../src/audit/entries/entries-check.js';
import { chainInvariant, entryRules, lastInvariant } from '../../src/audit/entries/entry-rules.js';
import { runAudit } from '../../src/audit/run-audit.js';
import { createLog } from '../../src/core/log.js';
import { openDataSource, typeParsers } from '../../src/database/database.js';
import type { BooksCheck } from '../../src/ledger/books-check.js';
import { keysOf } from '../../src/proofs/log/log-room.js';
import { entities } from '../../src/server/entities.js';
import { closeAtEnd } from '../harness/closing.js';
import { openPool, type TestDatabase } from '../harness/database.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { BreakableBooks, breakBooks, saveTables } from './breakable-books.js';
import { breaksOf, forgedNote, invariantsByWord } from './breaks.js';

let whole: BreakableBooks;
/** A copy that is put back after each test. */
let books: BreakableBooks;
let db: TestDatabase;
let pool: Pool;
let runs: AuditRunStore;
let dataSource: DataSource;
let dataDir: string;
let restore: () => Promise<unknown>;

beforeAll(async () => {
  whole = await BreakableBooks.open();
  books = await whole.copy();
  ({ db, pool } = books);
  dataSource = await openDataSource(db.url, 'test', 2, createLog({ logLevel: 'silent' }), entities);
  closeAtEnd(() => dataSource.destroy());
  dataDir = await temporaryFolder();
  runs = new AuditRunStore(dataSource, dataDir);
  restore = await saveTables(db);
});
afterEach(() => restore());

const brokenOf = (findings: { invariant: string; firstBreak: string | null }[]) =>
  findings.filter(({ firstBreak }) => firstBreak !== null).map(({ invariant }) => invariant);
const invariants = auditChecks.flatMap((check) => check.invariants);
/** The same, two entries at a time: whatever compares entries does so over the ends of slices. */
const slicedChecks = [entriesCheck(2), ...auditChecks.slice(1)];
const changedEntry = (sequence: number) =>
  `update ledger_entry set request_id = 'another' where balance_id = bob() and sequence = ${sequence}`;
const ways = breaksOf({ newest: '\n0', leaves: [] });

describe('a superuser of the database is noticed when', () => {
  it.each(ways)('$how: $night $elsewhere', async ({ how, night, elsewhere, words }) => {
    const { sql } = breaksOf(whole.kept).find((way) => way.how === how)!;
    // What changes the schema is done to another copy, since rows alone are put back.
    const broken = /\b(?:alter|drop|create (?!temporary))/.test(sql) ? await whole.copy() : books;
    await breakBooks(broken.db, sql);
    const named = night.map((word) => invariantsByWord[word]!).toSorted();
    expect(brokenOf(await audit(broken.pool, auditChecks)).toSorted()).toEqual(named);
    const ofEntries = named.filter((invariant) => entryRules.some((rule) => rule.invariant === invariant));
    expect(brokenOf(await audit(broken.pool, [entriesCheck(2)])).toSorted()).toEqual(ofEntries);
    const said = Object.entries(await broken.whoNotices()).filter(([, text]) => text !== null);
    expect(said.map(([watcher]) => watcher).join(' ')).toBe(elsewhere);
    expect(said.map(([, text]) => text).join('\n')).toContain(words);
    if (broken !== books) await broken.close();
  });

  it('in all but at most eight of over a hundred ways, none of which changes what a customer pays', () => {
    expect(ways.length).toBeGreaterThan(105);
    expect(ways.filter(({ night, elsewhere }) => night.length === 0 && elsewhere === '').map(({ how }) => how)).toEqual([
      'a delivered read is taken back before the next checkpoint',
      'a replay is made up, as if the console had shown the records',
      'what was billed is forgotten', // the comparison with Stripe notices: test/billing/comparison.test.ts
      'an audit that held was made up', // audit_age_seconds, which no row changes: below
      'the next audit is put off', // the same
      'a county sells its older release again',
    ]);
  });

  it('has a checkpoint believed that the key has not signed, or that the log no longer reaches', async () => {
    const found = async (note: string, vkey = books.kept.vkey) =>
      (await audit(pool, checkpointChecks({ note, vkeys: [vkey] }))).map(({ firstBreak }) => firstBreak)[0];
    expect(await found(books.kept.newest)).toBeNull();
    expect(await found(forgedNote(books.kept, 0))).toContain('is not signed by the key');
    const theirs = keysOf(['what a forger makes up, also 32 long'])[0].vkeyOf(books.kept.newest.split('\n')[0]!);
    expect(await found(books.kept.newest, theirs)).toContain('is not signed by the key');
    await breakBooks(db, 'delete from log_leaves where first_index >= (select min(size) from log_checkpoint)');
    expect(await found(books.kept.newest)).toContain('it was cut back');
  });
});

describe('the audit', () => {
  it('finds sound books sound, having looked at something in each check, and nobody else finds a fault', async () => {
    expect(Object.values(await books.whoNotices())).toEqual(Array(6).fill(null));
    const entry = await books.spend(books.bob, 1);
    await db.query('insert into undelivered_read select balance_id, request_id, id from ledger_entry where id = $1', [entry]);
    const findings = await audit(pool, auditChecks);
    expect(findings.map(({ checked, ...finding }) => ({ ...finding, isEmpty: checked === 0 }))).toEqual(
      invariants.map((invariant) => ({ invariant, firstBreak: null, isEmpty: false })),
    );
  });

  it('has each of its checks tried above', () => {
    expect(Object.values(invariantsByWord).toSorted()).toEqual(invariants.toSorted());
    expect([...new Set(ways.flatMap(({ night }) => night))].toSorted()).toEqual(Object.keys(invariantsByWord).toSorted());
  });

  it.each([
    ['reason', ' ', 'operator'],
    ['actor', 'a gift', ''],
  ])('never finds an adjustment with a blank %s, since none can be written', async (_, reason, actor) => {
    await expect(db.query('select adjust_balance(bob(), 1, $1, $2)', [reason, actor])).rejects.toThrow('says who made it, and why');
    expect(brokenOf(await audit(pool, auditChecks))).toEqual([]);
  });

  it('says what differs from the ledger, and how', async () => {
    await breakBooks(db, `update credit_balance set overage_cap = 99, account_id = 'mallory' where id = bob()`);
    const { firstBreak } = (await audit(pool, auditChecks)).find(({ invariant }) => invariant === invariantsByWord.terms)!;
    expect(firstBreak).toMatch(/: overage_cap is 99, its ledger says 100; owner is "mallory", its ledger says "bob"$/);
  });

  it('remembers each balance as it is, and no broken one', async () => {
    const remembered = () => db.query('select * from audited_balance order by balance_id');
    await audit(pool, slicedChecks);
    const all = await remembered();
    expect(all).toEqual(
      await db.query(
        `select id as balance_id, entry_count as entries, chain_head as head, remaining, overage_records, period_start from credit_balance order by id`,
      ),
    );
    await breakBooks(db, `delete from audited_balance; update credit_balance set remaining = remaining + 1 where id = bob()`);
    await audit(pool, slicedChecks);
    expect((await remembered()).map(({ balance_id }) => balance_id)).not.toContain(books.bob.balanceId);
  });

  it('keeps no snapshot from one slice of the entries or records to the next', async () => {
    const client = await pool.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    let slices = 0;
    for (const check of slicedChecks.filter(({ isInSlices }) => isInSlices)) {
      for await (const _ of check.run(client, null)) {
        const seen = await db.query('select state, backend_xmin, xact_start from pg_stat_activity where pid = $1', [rows[0].pid]);
        expect(seen).toEqual([{ state: 'idle', backend_xmin: null, xact_start: null }]);
        slices++;
      }
    }
    client.release();
    expect(slices).toBeGreaterThan(10);
  });

  it('says which check is running and how far it has come', async () => {
    const seen: AuditProgress[] = [];
    await audit(pool, auditChecks, { onProgress: (progress) => seen.push(progress) });
    const count = auditChecks.length;
    expect(new Set(seen.map(({ number }) => number))).toEqual(new Set(auditChecks.map((_, index) => index + 1)));
    expect(seen.filter((progress) => progress.count !== count || progress.share < 0 || progress.share > 1)).toEqual([]);
    expect(seen.at(-1)).toMatchObject({ number: count, share: 1 });
  });

  it('is not bound by the time limit of a request in any check, but leaves the connection with it', async () => {
    const limited = openPool(db, { types: typeParsers, statement_timeout: 2_500, max: 1 });
    const limit = async (client: Pick<Pool, 'query'>) => (await client.query('show statement_timeout')).rows[0].statement_timeout;
    const seen: string[] = [];
    const looking = (isInSlices: boolean): BooksCheck => ({
      invariants: ['a limit'],
      ...(isInSlices && { isInSlices }),
      async *run(client) {
        seen.push(await limit(client as unknown as Pool));
        yield { checked: 1, firstBreak: null, share: 1 };
      },
    });
    await audit(limited, [looking(true), looking(false)]);
    expect([seen, await limit(limited)]).toEqual([['0', '0'], '2500ms']);
  });

  it('stops when it is told to', async () => {
    const signal = AbortSignal.abort(new Error('the server stops'));
    await expect(audit(pool, auditChecks, { signal })).rejects.toThrow('the server stops');
    expect(brokenOf(await audit(pool, auditChecks))).toEqual([]);
  });
});

describe('the audit of what is new', () => {
  const auditNew = () => runAudit(pool, runs, auditChecks, { actor: 'command line', scope: 'new' });
  const checkedOf = ({ findings }: Awaited<ReturnType<typeof auditNew>>) =>
    findings.find(({ invariant }) => invariant === chainInvariant)!.checked;
  beforeEach(async () => {
    await runAudit(pool, runs, auditChecks, { actor: 'schedule' });
    await db.moveClock('2 hours');
  });

  it('is kept in DATA_DIR as it was seen, whatever a row says', async () => {
    await breakBooks(db, changedEntry(2));
    await runAudit(pool, runs, auditChecks, { actor: 'schedule' });
    await db.query(`insert into audit_run (actor, findings) values ('schedule', '[]')`);
    expect(await runs.last()).toMatchObject({ ok: true });
    expect(await lastSeenAudit(dataDir)).toMatchObject({ held: false });
  });

  it('checks everything as long as no audit has succeeded', async () => {
    await db.query('delete from audit_run');
    expect((await auditNew()).since).toBeNull();
  });

  it('checks the entries since the last audit that succeeded, each chain from the entry before', async () => {
    await books.spend(books.bob, 1);
    const news = await auditNew();
    expect(news.run.ok).toBe(true);
    expect(checkedOf(news)).toBe(2);
  });

  it('overlooks an old entry that was changed, which the full audit finds', async () => {
    await breakBooks(db, changedEntry(2));
    expect((await auditNew()).run.ok).toBe(true);
    expect(brokenOf(await audit(pool, auditChecks))).toEqual([chainInvariant]);
  });

  it('checks new entries across slices, and nothing when there is nothing new', async () => {
    for (let i = 0; i < 5; i++) await books.spend(books.bob, 1);
    await books.spend(books.ann, 1);
    const sliced = await runAudit(pool, runs, slicedChecks, { actor: 'command line', scope: 'new' });
    expect([sliced.run.ok, checkedOf(sliced)]).toEqual([true, 5 + 1 + 1 + 1]);
    expect(checkedOf(await auditNew())).toBe(0);
  });

  it('can be deceived about a new entry by whoever changes what is remembered; the full audit cannot', async () => {
    await books.spend(books.bob, 1);
    await breakBooks(
      db,
      `
      update ledger_entry e set request_id = 'another' from credit_balance b
       where b.id = bob() and e.balance_id = b.id and e.sequence = b.entry_count;
      delete from audited_balance;
      insert into audited_balance select id, entry_count, chain_head, remaining, overage_records, period_start from credit_balance`,
    );
    expect((await auditNew()).run.ok).toBe(true);
    expect(brokenOf(await audit(pool, auditChecks))).toEqual([chainInvariant]);
  });

  it('reports a changed new entry again and again until it is mended', async () => {
    await books.spend(books.bob, 1);
    const [{ sequence } = { sequence: 0 }] = await db.query<{ sequence: number }>('select max(sequence) as sequence from ledger_entry');
    await breakBooks(db, changedEntry(sequence));
    expect(brokenOf((await auditNew()).findings)).toEqual([chainInvariant]);
    await db.moveClock('2 hours');
    expect(brokenOf((await auditNew()).findings)).toEqual([chainInvariant]);
  });

  it('notices that the first new entry does not follow the last old one', async () => {
    await books.spend(books.bob, 1);
    await breakBooks(
      db,
      `
      update ledger_entry set previous_hash = sha256('x') where balance_id = bob()
         and sequence = (select entry_count from credit_balance where id = bob());
      update ledger_entry e set hash = entry_hash(e) where previous_hash = sha256('x');
      update credit_balance b set chain_head = e.hash from ledger_entry e where e.balance_id = b.id and e.previous_hash = sha256('x')`,
    );
    expect(brokenOf((await auditNew()).findings)).toEqual([chainInvariant]);
  });

  it('checks all of a balance, even without a new entry', async () => {
    await breakBooks(db, `update credit_balance set remaining = remaining + 1 where id = bob()`);
    expect(brokenOf((await auditNew()).findings)).toEqual([lastInvariant]);
  });

  it('checks everything when there is a check that was never run before', async () => {
    const [_, ...others] = auditChecks;
    await db.query('delete from audit_run');
    await runAudit(pool, runs, others, { actor: 'schedule' });
    expect((await auditNew()).since).toBeNull();
  });
});

describe('the audit of a night', () => {
  let nights: AuditRunStore;
  let total: number;
  const night = (options: AuditOptions = {}) => runAudit(pool, nights, slicedChecks, { actor: 'schedule', scope: 'night', ...options });
  const checkedIn = async () => (await night()).run.entriesChecked;
  const dayLater = async (days = 1) => {
    const file = join(nights.dataDir, 'audit-round.json');
    const rounds = Object.entries<{ beganAtMs: number }>(JSON.parse(await readFile(file, 'utf8')));
    const earlier = rounds.map(([name, round]) => [name, { ...round, beganAtMs: round.beganAtMs - days * 24 * 60 * 60 * 1000 }]);
    await writeFile(file, JSON.stringify(Object.fromEntries(earlier)));
  };

  beforeEach(async () => {
    nights = new AuditRunStore(dataSource, await temporaryFolder());
    total = (await runAudit(pool, nights, auditChecks, { actor: 'schedule' })).run.entriesChecked;
    await db.moveClock('2 hours');
  });

  it('checks what is new, and a 28th of the rest', async () => {
    const share = await checkedIn();
    expect(share).toBeGreaterThanOrEqual(total / 28);
    expect(share).toBeLessThan(total / 28 + 2);
    for (let i = 0; i < 10; i++) await books.spend(books.bob, 1);
    await dayLater();
    const both = await checkedIn();
    expect(both).toBeGreaterThanOrEqual(10);
    expect(both).toBeLessThan(10 + total / 28 + 4);
  });

  it.each([
    ['an old entry', 'chain', changedEntry(2)],
    ['an old record', 'hashed', `update parcel set record = replace(record, '7 Main', '7 Maim') where ordinal = 7`],
    ['an old hour', 'sums', 'update hourly_usage set records = 1'],
  ])('finds within 28 nights that %s was changed, and reports it again until it is mended', async (_, word, sql) => {
    await breakBooks(db, sql);
    let broken: string[] = [];
    for (let n = 0; n < 28 && broken.length === 0; n++) {
      broken = brokenOf((await night()).findings);
      await dayLater();
    }
    expect(broken).toEqual([invariantsByWord[word]]);
    expect(brokenOf((await night()).findings)).toEqual(broken);
  });

  it('resumes where it was killed, and says how far it has come', async () => {
    expect(await roundGauges(nights.dataDir)).toEqual({});
    await night();
    await dayLater(20);
    const { audit_round_share: before } = await roundGauges(nights.dataDir);
    let steps = 0;
    const killed = night({
      onProgress: () => {
        if (++steps === 100) throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    const { audit_round_share: share, audit_round_age_seconds: age } = await roundGauges(nights.dataDir);
    expect(share).toBeGreaterThan(before!);
    expect(age).toBeGreaterThan(20 * 24 * 60 * 60);
    expect(await checkedIn()).toBeLessThan((21 / 28 - share!) * total + 4);
    await dayLater(8);
    await night();
    expect(await roundGauges(nights.dataDir)).toMatchObject({ audit_round_share: 0 });
  });
});
