import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { migrationClasses } from '../../src/database/migrating/migrate.js';
import { applySqlFiles } from '../../src/database/migrating/sql-files.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, openPool, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { runCli, ServiceProcess } from '../harness/process.js';
import { rawRequest } from '../harness/raw-request.js';
import { Books, type BookToken } from '../ledger/books.js';

// A request waits for a lock no longer than this.
const lockTimeoutMs = 2_000;

interface Start {
  db: TestDatabase;
  env: Record<string, string>;
  /** Another session, to hold something. */
  other: Client;
  book: Books;
  token: BookToken;
}

async function prepare(db: TestDatabase): Promise<Start> {
  const other = new Client({ connectionString: db.url, application_name: 'the backup of tonight' });
  await other.connect();
  closeAtEnd(() => other.end());
  const book = Books.of(db);
  const token = await book.paid({ grant: 100_000 });
  return { db, env: { DATABASE_URL: db.url, AUTH_SECRET: 'a secret of the tests, long enough' }, other, book, token };
}

/** Repeats a statement as the servers of the release before do, until it is told to stop. @returns how often it succeeded */
function repeatedly(db: TestDatabase, work: (client: Client) => Promise<unknown>): { count: () => number; stop: () => Promise<void> } {
  const client = new Client({ connectionString: db.url, lock_timeout: lockTimeoutMs });
  let count = 0;
  let isOver = false;
  const running = (async () => {
    await client.connect();
    for (; !isOver; count++) await work(client);
    await client.end();
  })();
  running.catch(() => client.end()); // `stop` tells
  const stop = () => {
    isOver = true;
    return running;
  };
  closeAtEnd(() => stop().catch(() => {}));
  return { count: () => count, stop };
}

/** What a service that starts answers at /ready; null before it listens. */
const readinessOf = async (service: ServiceProcess) =>
  rawRequest(service.url, 'GET', '/ready').then(
    ({ status, text }) => ({ status, ...JSON.parse(text) }),
    () => null,
  );

/** Waits until a start that is under way names the session that it waits for, at /ready and in its log. */
async function isNamed(service: ServiceProcess, lock: string, pid: number): Promise<void> {
  const named = {
    lock,
    pid,
    role: 'service',
    application: 'the backup of tonight',
    state: 'idle in transaction',
    since: expect.any(String),
  };
  let answer: { status: number; ok: boolean; waits_for: object[] } | null = null;
  await eventually('/ready names a session', async () => {
    answer = await readinessOf(service);
    return Boolean(answer?.waits_for.length);
  });
  expect(answer).toEqual({ status: 503, ok: false, waits_for: expect.arrayContaining([named]) });
  expect((await rawRequest(service.url, 'GET', '/health')).status).toBe(200);
  expect((await rawRequest(service.url, 'GET', '/api/coverage')).status).toBe(503);
  const said = service.said.split('\n').filter((line) => line.includes('the migration waits for locks'));
  expect(JSON.parse(said[0]!).waitsFor).toEqual(expect.arrayContaining([named]));
}

const pidOf = async (client: Client) => (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;

describe('an upgrade beside running servers', () => {
  it('from the first release, with its books and beside a backup, delays no spend longer than a lock may take, and ends after the backup', async () => {
    const { db, env, other, book, token } = await prepare(await firstRelease());
    const firstRead = randomUUID();
    await book.spend(token, 5, { key: 'of the first release', requestId: firstRead });
    await db.query('select claim_undelivered($1, $2)', [[token.balanceId], [firstRead]]); // otherwise a slow upgrade reverses it
    const spends = repeatedly(db, async (client) => {
      const requestId = randomUUID();
      await book.spend(token, 1, { on: client, requestId });
      await client.query('select claim_undelivered($1, $2)', [[token.balanceId], [requestId]]);
    });
    await other.query('begin isolation level repeatable read');
    await other.query('lock table credit_balance, api_token, ledger_entry, undelivered_read in access share mode');
    const service = await ServiceProcess.begin(env);
    await isNamed(service, 'undelivered_read', await pidOf(other));
    const before = spends.count();
    await eventually('spends go on', async () => spends.count() > before + 100);
    expect((await readinessOf(service))!.status).toBe(503);
    await other.query('commit');
    await service.isUp;
    await spends.stop();
    expect((await readinessOf(service))!.status).toBe(200);
    expect(await book.spend(token, 5, { key: 'of the first release' })).toMatchObject({ decision: 'replayed', records: 5 });
    const { findings } = JSON.parse((await runCli(['--json', 'audit'], env)).stdout) as { findings: { first_break: string | null }[] };
    expect(findings.filter(({ first_break: broken }) => broken !== null)).toEqual([]);
  });

  it('beside a load delays no new token longer than a lock may take, in two workers, and ends after the load', async () => {
    const { db, env, other, book, token } = await prepare(await createTestDatabase());
    await db.query(`update sql_file set checksum = 'of the release before'`);
    const tokens = repeatedly(db, (client) =>
      client.query(`select add_token($1, $2, 'token', sha256(gen_random_uuid()::text::bytea), service_now())`, [
        token.balanceId,
        token.accountId,
      ]),
    );
    await other.query(`begin; update county set status = 'loading' where fips = '25017'`);
    const service = await ServiceProcess.begin({ ...env, WORKERS: '2' });
    await isNamed(service, 'county', await pidOf(other));
    const before = tokens.count();
    await eventually('tokens are issued', async () => tokens.count() > before + 100);
    expect((await readinessOf(service))!.status).toBe(503);
    await other.query('commit');
    await service.isUp;
    await tokens.stop();
    expect((await readinessOf(service))!.status).toBe(200);
    expect(await book.spend(token, 5)).toMatchObject({ decision: 'granted' });
  });

  it('waits for an index that is built beside an open transaction without beginning anew', async () => {
    const { db, env, other } = await prepare(await createTestDatabase());
    await db.query(`delete from migrations where name = 'FreeEntries1790000000013'`);
    await db.query('drop index ledger_entry_free');
    await other.query('begin isolation level repeatable read; select from county limit 1');
    const service = await ServiceProcess.begin(env);
    await isNamed(service, 'virtualxid', await pidOf(other));
    const build = `select pid, query_start from pg_stat_activity where datname = current_database() and query like '%create index concurrently%' and pid <> pg_backend_pid()`;
    const [begun] = await db.query(build);
    expect(begun).toBeDefined();
    // Longer than such a start waits for the lock of a table.
    await db.query('select pg_sleep(2)');
    expect(await db.query(build)).toEqual([begun]);
    await other.query('commit');
    await service.isUp;
    expect(await db.query(`select indisvalid from pg_index where indexrelid = 'ledger_entry_free'::regclass`)).toEqual([
      { indisvalid: true },
    ]);
  });

  it('names the start that it waits for, where another one migrates', async () => {
    const { env, other } = await prepare(await createTestDatabase());
    await other.query('begin; select pg_advisory_xact_lock(7205759403792794)');
    const service = await ServiceProcess.begin(env);
    await isNamed(service, 'migration', await pidOf(other));
    await other.query('commit');
    await service.isUp;
  });
});

/** A database as a server of the first release left it: its tables, and the functions that spend. */
async function firstRelease(): Promise<TestDatabase> {
  const db = await createTestDatabase('template0');
  const client = await openPool(db, { max: 1 }).connect();
  await applySqlFiles(client as unknown as Client, ['database'], false);
  const migrations = (await migrationClasses()).slice(0, 6);
  const dataSource = new DataSource({ type: 'postgres', url: db.url, migrations, migrationsTransactionMode: 'each' });
  await dataSource.initialize();
  await dataSource.runMigrations();
  await dataSource.destroy();
  await applySqlFiles(client as unknown as Client, ['counties', 'ledger', 'tokens'], false);
  await client.query(`
    insert into county (fips, name, state) values ('25017', 'Middlesex County', 'MA');
    insert into parcel_release (county_fips, state, source, format, read_count, loaded_count, published_at, ended_at)
    values ('25017', 'published', 'made up for a test', 'none', 10, 10, service_now(), service_now());
    insert into parcel (release_id, ordinal, apn, record) select 1, n, 'APN-' || n, '{}' from generate_series(1, 10) n;
    update county set current_release_id = 1, release_history = '{1}', parcel_count = 10, status = 'loaded', loaded_at = service_now()`);
  // The ledger had no entries of terms.
  await client.query(`create or replace function record_terms(inout b credit_balance) language plpgsql as 'begin end'`);
  // Its balances had no caps of tokens.
  const { rows } = await client.query<{ text: string }>(`select pg_get_functiondef('spend_for_receipt'::regproc) as text`);
  const columns = 'null::jsonb as token_caps, null::jsonb as token_records';
  await client.query(rows[0]!.text.replace('c.token_caps, c.token_records', columns));
  client.release();
  return db;
}
