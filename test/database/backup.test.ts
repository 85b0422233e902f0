import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Client } from 'pg';
import { createLog } from '../../src/core/log.js';
import { projectFile } from '../../src/core/project-files.js';
import { backUp, tablesOf } from '../../src/database/backup.js';
import { acquireEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { migrate, migrationClasses } from '../../src/database/migrating/migrate.js';
import { Caller } from '../harness/caller.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, openClient } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { Person } from '../harness/person.js';
import { runCli, ServiceProcess } from '../harness/process.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { check } from '../proofs/both-verifiers.js';

const log = createLog({ logLevel: 'silent' });
const authSecret = 'a secret that all servers of a test share';

interface Read {
  key: string;
  /** The receipt: `Ledger-Hash`. */
  hash: string;
  remaining: number;
  text: string;
}

let folder: string;
let backup: string;

/** Each table's and sequence's content. A restore changes which database this is, and counts as a change of what is published. */
async function contentOf(db: Client): Promise<Record<string, string>> {
  const tables = (await tablesOf(db)).filter(({ name }) => !['database_home', 'coverage_version'].includes(name));
  const content: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await db.query(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, chr(10) order by t::text)), '') as rows from ${name} t`,
    );
    content[name] = rows[0].rows;
  }
  const { rows } = await db.query(
    `select sequencename as name, last_value from pg_sequences where schemaname in ('public', 'auth', 'graphile_worker')`,
  );
  for (const { name, last_value: last } of rows) content[name] = last;
  return content;
}

async function guardsOf(db: Client): Promise<string[]> {
  const { rows } = await db.query(`
    select pg_get_triggerdef(oid) || ' ' || tgenabled::text as guard from pg_trigger where not tgisinternal
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint where conrelid <> 0
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    union all select relname || ' ' || coalesce(relacl::text, '') from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    order by 1`);
  return rows.map(({ guard }) => guard);
}

describe('a machine that is lost after its backup', () => {
  let lost: string;
  let restored: string;
  let person: Person;
  let token: string;
  const reads: Read[] = [];
  let before: number;
  let during: number;

  async function read(caller: Caller, key: string): Promise<Read> {
    const { status, headers, json } = await caller.get('/api/parcels?limit=3', { token, headers: { 'Idempotency-Key': key } });
    expect(status).toBe(200);
    return { key, hash: headers.get('ledger-hash')!, remaining: json.metering.credits_remaining, text: JSON.stringify(json.parcels) };
  }

  beforeAll(async () => {
    folder = await temporaryFolder();
    [lost, restored] = [await temporaryFolder(), await temporaryFolder()];
    backup = join(folder, 'backup.gz');
    const service = await ServiceProcess.start({ DATA_DIR: lost });
    person = await Person.signUp(service.url);
    const issued = await runCli(['--json', 'token', 'issue', '--email', person.email, '--plan', 'paid'], { DATA_DIR: lost });
    token = JSON.parse(issued.stdout).raw_token;
    const caller = new Caller(service.url);
    const readOnce = async () => reads.push(await read(caller, randomUUID()));
    for (let i = 0; i < 5; i++) await readOnce();
    before = reads.length;
    let isBackedUp = false;
    const backingUp = runCli(['backup', backup], { DATA_DIR: lost }).finally(() => (isBackedUp = true));
    while (!isBackedUp) await readOnce();
    during = reads.length;
    expect(await backingUp).toMatchObject({ code: 0, stdout: expect.stringMatching(/^backed up \d+ rows of \d+ tables, as of 2/) });
    for (let i = 0; i < 5; i++) await readOnce();
    await service.end('SIGKILL');
  });

  it('keeps serving reads during the backup, which only its owner can read and which leaves nothing else behind', async () => {
    expect(during).toBeGreaterThan(before);
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['backup.gz']);
  });

  it('is restored on another one, where the audit succeeds', async () => {
    const done = await runCli(['restore', backup], { DATA_DIR: restored });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('database confirm') });
    const audit = await runCli(['--json', 'audit'], { DATA_DIR: restored });
    expect(audit).toMatchObject({ code: 0 });
    expect(JSON.parse(audit.stdout).ok).toBe(true);
  });

  it('continues there with its AUTH_SECRET as of the backup: earlier reads are repeated free, later receipts have no entry', async () => {
    await copyFile(join(lost, 'auth-secret'), join(restored, 'auth-secret'));
    const service = await ServiceProcess.start({ DATA_DIR: restored });
    await eventually('the copy says that it sends nothing', async () => service.said.includes('database confirm'));
    const caller = new Caller(service.url);
    const { json: usage } = await caller.get('/api/usage', { token });
    const kept = reads.findIndex(({ remaining }) => remaining === usage.balance.credits_remaining) + 1;
    expect(kept).toBeGreaterThanOrEqual(before);
    expect(kept).toBeLessThanOrEqual(during);
    const again = await read(caller, reads[0]!.key);
    expect(again).toMatchObject({ text: reads[0]!.text, remaining: usage.balance.credits_remaining });
    const there = person.at(service.url);
    const { balances } = await there.ask('{ balances { id } }');
    const { ledgerExport } = await there.ask('query ($balanceId: ID!) { ledgerExport(balanceId: $balanceId) { text } }', {
      balanceId: balances[0].id,
    });
    const { receipts } = await check(ledgerExport.text, { receipts: reads.map(({ hash }) => hash).join('\n') });
    expect(receipts!.withoutEntry).toEqual(reads.slice(kept).map(({ hash }) => hash));
    const { status } = await there.post('/api/auth/request-password-reset', { body: { email: person.email } });
    expect(status).toBe(200);
    const mails = () => readdir(join(restored, 'outbox')).catch(() => []);
    expect(await runCli(['audit', '--new'], { DATA_DIR: restored })).toMatchObject({ code: 0 });
    expect(await mails()).toEqual([]);
    expect(await runCli(['database', 'confirm', '--reason', 'the other one is lost'], { DATA_DIR: restored })).toMatchObject({ code: 0 });
    await eventually('the mail is sent', async () => (await mails()).length > 0);
    await service.end('SIGTERM');
  });

  it('is rehearsed by a script in a database of its own, and kept for as many days as asked', async () => {
    const backups = await temporaryFolder();
    const old = join(backups, 'parcel-records-2026-01-01T000000Z.backup');
    await writeFile(old, '');
    await utimes(old, 0, 0);
    const run = (words: string[], env: object) =>
      promisify(execFile)('sh', words, { env: { PATH: process.env.PATH, HOME: process.env.HOME, AUTH_SECRET: authSecret, ...env } });
    await run([projectFile('src/server/deploy/backup.sh'), backups], { DATA_DIR: restored });
    const [newest, ...others] = await readdir(backups);
    expect(others).toEqual([]);
    const { stdout } = await run([projectFile('src/server/deploy/rehearse.sh'), join(backups, newest!)], { DATA_DIR: '/nowhere' });
    expect(stdout).toMatch(/^restored \d+ rows[\s\S]*holds/);
  });

  it('is moved through a pipe from the embedded Postgres to another one by a role that is not a superuser', async () => {
    const foreign = await createTestDatabase('template0');
    const embedded = await acquireEmbeddedPostgres(restored, log);
    closeAtEnd(() => embedded.release());
    const before = await contentOf(await openClient(embedded));
    const cli = `'${process.execPath}' '${projectFile('dist/src/cli.js')}'`;
    const { PATH, HOME } = process.env;
    const done = await promisify(execFile)(
      'bash',
      ['-c', `set -o pipefail; ${cli} backup - | DATABASE_URL=$TO AUTH_SECRET=$SECRET ${cli} restore -`],
      {
        env: { PATH, HOME, DATA_DIR: restored, TO: foreign.url, SECRET: authSecret },
      },
    );
    expect(done.stdout).toMatch(/^restored \d+ rows/);
    const there = await openClient(foreign);
    expect(await contentOf(there)).toEqual(before);
    const audit = await runCli(['audit'], { DATABASE_URL: foreign.url, AUTH_SECRET: authSecret });
    expect(audit).toMatchObject({ code: 0 });
    expect(await guardsOf(there)).toEqual(await guardsOf(await openClient(await createTestDatabase())));
  });
});

describe('a restore', () => {
  const restoreInto = (url: string, ...args: string[]) => runCli(['restore', ...args], { DATABASE_URL: url, AUTH_SECRET: authSecret });
  const altered = async (change: (bytes: Buffer) => Buffer): Promise<string> => {
    const file = join(folder, `${randomUUID()}.gz`);
    await writeFile(file, change(await readFile(backup)));
    return file;
  };
  const changedAt = (bytes: Buffer, place: number): Buffer => {
    const changed = Buffer.from(bytes);
    changed[place]! ^= 1;
    return changed;
  };

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['was cut off', (bytes) => bytes.subarray(0, bytes.length - 1000)],
    ['had a byte changed', (bytes) => changedAt(bytes, bytes.length >> 1)],
    [
      'had a row changed, and was packed again',
      (bytes) => gzipSync(changedAt(gunzipSync(bytes), gunzipSync(bytes).indexOf('@example.com'))),
    ],
    ['is another file', () => Buffer.from('no backup')],
  ])('refuses a backup that %s before it writes anything', async (_, change) => {
    const { url, query } = await createTestDatabase('template0');
    expect(await restoreInto(url, await altered(change))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: This backup cannot be used: /),
    });
    expect(await query(`select from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
  });

  it('refuses a database that has tables unless it may drop them, whatever guards the ledger has', async () => {
    const { url, query } = await createTestDatabase();
    expect(await restoreInto(url, backup)).toMatchObject({ code: 1, stderr: expect.stringContaining('--overwrite') });
    await query(`update county set note = 'here before'`);
    for (let i = 0; i < 2; i++) expect(await restoreInto(url, backup, '--overwrite')).toMatchObject({ code: 0 });
    expect(await query(`select from county where note = 'here before'`)).toEqual([]);
    const [{ oid }] = (await query('select database_oid::integer as oid from database_home')) as [{ oid: number }];
    expect(oid).toBe(0); // held, although it is the same database as before
  });

  it('refuses a database that a server uses', async () => {
    const db = await createTestDatabase();
    await openClient(db, { application_name: 'parcel-records api' });
    expect(await restoreInto(db.url, backup, '--overwrite')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('parcel-records api'),
    });
  });

  it('migrates a backup of an older version', async () => {
    const [old, fresh] = [await createTestDatabase('template0'), await createTestDatabase('template0')];
    const names = (await migrationClasses()).map(({ name }) => name);
    const older = names.slice(0, -1);
    await migrate(old.url, log, undefined, undefined, older);
    await old.query(`insert into county (fips, name, state, note) values ('48301', 'Loving County', 'TX', 'of yesterday')`);
    const file = join(folder, 'old.gz');
    await backUp(old.url, '0.9.0', createWriteStream(file));
    expect(await restoreInto(fresh.url, file)).toMatchObject({ code: 0 });
    expect(await fresh.query(`select note from county where fips = '48301'`)).toEqual([{ note: 'of yesterday' }]);
    expect((await fresh.query('select name from migrations')).map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(await fresh.query('select database_oid::integer as oid from database_home')).toEqual([{ oid: 0 }]);
  });

  it('refuses a backup of a newer version, and says which', async () => {
    const [newer, fresh] = [await createTestDatabase(), await createTestDatabase('template0')];
    await newer.query(`insert into migrations (timestamp, name) values (1999999999999, 'Tomorrow1999999999999')`);
    const file = join(folder, 'newer.gz');
    await backUp(newer.url, '7.0.0', createWriteStream(file));
    expect(await restoreInto(fresh.url, file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/newer version of the service \(7\.0\.0, with Tomorrow1999999999999\)/),
    });
  });
});
