import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { createLog } from '../../src/core/log.js';
import type { LockWait } from '../../src/database/migrating/lock-waits.js';
import { migrate } from '../../src/database/migrating/migrate.js';
import type { StatementRunner } from '../../src/database/statement-runner.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, openClient, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { ServiceProcess } from '../harness/process.js';
import { rawRequest } from '../harness/raw-request.js';
import { Books, type BookToken } from '../ledger/books.js';

const log = createLog({ logLevel: 'silent' });

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
  const other = await openClient(db, { application_name: 'the backup of tonight' });
  const book = Books.of(db);
  const token = await book.paid({ grant: 100_000 });
  return { db, env: { DATABASE_URL: db.url, AUTH_SECRET: 'a secret of the tests, long enough' }, other, book, token };
}

/** Repeats a statement as running servers do, until it is told to stop. @returns how often it succeeded */
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

/** A starting service's answer at /ready; null before it listens. */
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
  let answer: { status: number; ok: boolean; waits_for: { pid: number }[] } | null = null;
  await eventually('/ready names the session', async () => {
    answer = await readinessOf(service);
    return Boolean(answer?.waits_for.some((wait) => wait.pid === pid));
  });
  expect(answer).toEqual({ status: 503, ok: false, waits_for: expect.arrayContaining([named]) });
  expect((await rawRequest(service.url, 'GET', '/health')).status).toBe(200);
  expect((await rawRequest(service.url, 'GET', '/api/coverage')).status).toBe(503);
  const said = service.said.split('\n').filter((line) => line.includes('the migration waits for locks'));
  expect(said.flatMap((line) => JSON.parse(line).waitsFor)).toContainEqual(named);
}

const pidOf = async (client: Client) => (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;

describe('an upgrade beside running servers', () => {
  it('delays no spend longer than a lock may take when it changes a table beside a backup, and ends after the backup', async () => {
    const { db, other, book, token } = await prepare(await createTestDatabase());
    const spends = repeatedly(db, async (client) => {
      const requestId = randomUUID();
      await book.spend(token, 1, { on: client, requestId });
      await client.query('select claim_undelivered($1, $2)', [[token.balanceId], [requestId]]);
    });
    await other.query('begin isolation level repeatable read');
    await other.query('lock table credit_balance, api_token, ledger_entry, undelivered_read in access share mode');
    let waits: LockWait[] = [];
    const change = async (of: StatementRunner) => void (await of.query('alter table undelivered_read add column note text'));
    const upgrade = migrate(db.url, log, change, (found) => (waits = found));
    const backup = { lock: 'undelivered_read', pid: await pidOf(other) };
    await eventually('the backup is named', async () => waits.some(({ lock, pid }) => lock === backup.lock && pid === backup.pid));
    const before = spends.count();
    await eventually('spends go on', async () => spends.count() > before + 100);
    expect(waits).toContainEqual(expect.objectContaining(backup));
    await other.query('commit');
    await upgrade;
    await spends.stop();
    expect(await db.query('select note from undelivered_read')).toEqual([]);
  });

  it('delays no new token longer than a lock may take, in two workers beside a load, and ends after the load', async () => {
    const { db, env, other, book, token } = await prepare(await createTestDatabase());
    await db.query(`update sql_file set checksum = 'of the version before'`);
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

  it('waits for an index that is built beside an open transaction without starting over', async () => {
    const { db, other } = await prepare(await createTestDatabase());
    await other.query('begin isolation level repeatable read; select from county limit 1');
    let waits: LockWait[] = [];
    const change = async (of: StatementRunner) => void (await of.query('create index concurrently ledger_entry_new on ledger_entry (at)'));
    const upgrade = migrate(db.url, log, change, (found) => (waits = found));
    const pid = await pidOf(other);
    await eventually('the open transaction is named', async () => waits.some((wait) => wait.lock === 'virtualxid' && wait.pid === pid));
    const build = `select pid, query_start from pg_stat_activity where datname = current_database() and query like 'create index concurrently%'`;
    const [begun] = await db.query(build);
    expect(begun).toBeDefined();
    // Longer than such a start waits for the lock of a table.
    await db.query('select pg_sleep(2)');
    expect(await db.query(build)).toEqual([begun]);
    await other.query('commit');
    await upgrade;
    expect(await db.query(`select indisvalid from pg_index where indexrelid = 'ledger_entry_new'::regclass`)).toEqual([
      { indisvalid: true },
    ]);
  });

  it('names the start that it waits for when another one migrates', async () => {
    const { env, other } = await prepare(await createTestDatabase());
    await other.query('begin; select pg_advisory_xact_lock(7205759403792794)');
    const service = await ServiceProcess.begin(env);
    await isNamed(service, 'migration', await pidOf(other));
    await other.query('commit');
    await service.isUp;
  });
});
