import { pino } from 'pino';
import { createLog } from '../../src/core/log.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { acquireEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { requestLimits } from '../../src/database/limits.js';
import { startApp, type TestApp } from '../harness/app.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, openClient, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { FaultProxy } from '../harness/fault-proxy.js';
import { onlyWith } from '../harness/only-with.js';
import { PgBouncer, pgbouncers } from '../harness/pgbouncer.js';
import { runCli, runService } from '../harness/process.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const log = createLog({ logLevel: 'silent' });
const authSecret = 'a secret of the tests, long enough';
const open = async (urls: { databaseUrl: string; databaseDirectUrl?: string }, to = log): Promise<Database> => {
  const database = await openDatabase({ dataDir: '/nowhere', ...urls }, to);
  closeAtEnd(() => database.close());
  return database;
};
const withPgBouncer = onlyWith(pgbouncers.length > 0, 'no pgbouncer on the PATH, and none named by PGBOUNCER');
const [first] = pgbouncers;
// Jest refuses an empty table, also of tests that are skipped.
const tried = pgbouncers.length > 0 ? pgbouncers : [{ version: 'none', program: '' }];

withPgBouncer.describe.each(tried.map(({ version, program }) => [version, program] as const))('behind PgBouncer %s', (_, program) => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
    await publishRecords(db, '25017', 1_000);
  });

  /** Four people sign up and read at once, through fewer connections than they are. */
  const useIt = async (app: TestApp) => {
    const tokens = await Promise.all(Array.from({ length: 4 }, () => app.trialToken()));
    const reads = tokens.flatMap((token) => Array.from({ length: 12 }, () => app.get('/api/parcels?limit=4', { token })));
    return (await Promise.all(reads)).map(({ status }) => status);
  };
  it('in transaction mode sells exactly what trials hold, runs jobs, and leaves sound books', async () => {
    const pooler = await PgBouncer.start(program, db.url, { pool_mode: 'transaction', default_pool_size: 4 });
    const urls = { DATABASE_URL: pooler.urlOf(db.url), DATABASE_DIRECT_URL: db.url };
    const app = await startApp(urls, { db } as TestApp);
    const statuses = await useIt(app);
    expect([...new Set(statuses)].filter((status) => ![200, 503].includes(status))).toEqual([]);
    const served = statuses.filter((status) => status === 200).length;
    expect(served).toBeGreaterThan(12);
    const [spent] = await db.query<{ records: number }>(
      `select -sum(credits)::integer as records from ledger_entry where kind in ('read', 'reversal')`,
    );
    expect(spent!.records).toBe(4 * served);
    await eventually('the mails of the sign-ups are sent', async () => {
      const [jobs] = await db.query<{ count: number }>(
        `select count(*)::integer from graphile_worker.jobs where task_identifier = 'send-mail'`,
      );
      return jobs!.count === 0;
    });
    expect(await runCli(['audit'], { ...urls, AUTH_SECRET: authSecret })).toMatchObject({ code: 0 });
  });

  it('in session mode simply works, with DATABASE_URL alone', async () => {
    const pooler = await PgBouncer.start(program, db.url, { pool_mode: 'session', default_pool_size: 80 });
    const app = await startApp({ DATABASE_URL: pooler.urlOf(db.url) }, { db } as TestApp);
    expect(new Set(await useIt(app))).toEqual(new Set([200]));
    expect(await runCli(['audit'], { DATABASE_URL: pooler.urlOf(db.url), AUTH_SECRET: authSecret })).toMatchObject({ code: 0 });
  });

  it('in transaction mode without DATABASE_DIRECT_URL ends with one line, and leaves no lock behind', async () => {
    const pooler = await PgBouncer.start(program, db.url, { pool_mode: 'transaction' });
    const { code, stderr } = await runService({ DATABASE_URL: pooler.urlOf(db.url), AUTH_SECRET: authSecret, LOG_LEVEL: 'error' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Parcel Records cannot start: .*transaction mode.*Set DATABASE_DIRECT_URL.*\n$/),
    ]);
    const locks = `select from pg_locks join pg_database d on d.oid = database where locktype = 'advisory' and datname = current_database() and objsubid = 1`;
    expect(await db.query(locks)).toEqual([]);
  });
});

withPgBouncer.describe('behind a pooler in transaction mode', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  const start = (settings = {}) => PgBouncer.start(first!.program, db.url, { pool_mode: 'transaction', ...settings });

  it('ends transactions within the same limits as without it, even if the pooler ignores our settings instead of refusing them', async () => {
    const ignored = ['options', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    for (const settings of [{}, { ignore_startup_parameters: ignored.join() }]) {
      const pooler = await start(settings);
      const { pool, dataSource } = await open({ databaseUrl: pooler.urlOf(db.url), databaseDirectUrl: db.url });
      const limits = `select setting::integer from pg_settings where name = any($1) order by array_position($1, name)`;
      const ours = [requestLimits.statement_timeout, requestLimits.lock_timeout, requestLimits.idle_in_transaction_session_timeout];
      const rows = await dataSource.transaction((manager) => manager.query(limits, [ignored.slice(1)]));
      expect(rows).toEqual(ours.map((setting) => ({ setting })));
      const client = await pool.connect();
      await client.query('begin isolation level repeatable read read only; set local statement_timeout = 7');
      expect((await client.query(limits, [ignored.slice(1)])).rows.map(({ setting }) => setting)).toEqual([7, ...ours.slice(1)]);
      await client.query('commit');
      client.release();
      // Nothing stays behind for the next client of the pooler.
      expect((await pool.query(limits, [ignored.slice(1)])).rows).toEqual([{ setting: 0 }, { setting: 0 }, { setting: 0 }]);
    }
  });

  it('warns that Postgres does not limit single statements there, with the command to run, until it was run', async () => {
    const warned = async () => {
      const lines: string[] = [];
      const pooler = await start();
      await open(
        { databaseUrl: pooler.urlOf(db.url), databaseDirectUrl: db.url },
        pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
      );
      return lines.map((line) => JSON.parse(line).msg as string).filter((message) => message.includes('pooler'));
    };
    const [message] = await warned();
    for (const [, statement] of message!.matchAll(/"(alter role [^"]*)"/g)) await db.query(statement!);
    expect(await warned()).toEqual([]);
  });

  it('refuses sessions whose defaults are not those that we need, with the command to run', async () => {
    const other = await createTestDatabase();
    await other.alter(`set timezone to 'America/New_York'`);
    await other.alter(`set default_transaction_isolation to 'serializable'`);
    const urls = { databaseUrl: (await start()).urlOf(other.url), databaseDirectUrl: other.url };
    const message = await open(urls).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(message).toContain('TimeZone America/New_York, default_transaction_isolation serializable');
    for (const [, statement] of message.matchAll(/"(alter role [^"]*)"/g)) await other.query(statement!);
    await open({ ...urls, databaseUrl: (await start()).urlOf(other.url) });
  });

  it('refuses a DATABASE_DIRECT_URL that leads to another database', async () => {
    const other = await createTestDatabase();
    await expect(open({ databaseUrl: (await start()).urlOf(db.url), databaseDirectUrl: other.url })).rejects.toThrow(
      /^DATABASE_URL and DATABASE_DIRECT_URL lead to different databases/,
    );
  });
});

describe('a database of several hosts', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  const hostOf = (url: string) => new URL(url).host;
  const listed = (...urls: string[]) => db.url.replace(hostOf(db.url), urls.map(hostOf).join());

  /** A Postgres with the same role and database, which cannot be written to. */
  const standby = async () => {
    const postgres = await acquireEmbeddedPostgres(await temporaryFolder(), log);
    closeAtEnd(() => postgres.release());
    const owner = await openClient(postgres);
    const name = db.url.replace(/^.*\//, '');
    await owner.query(`create role service login password 'service'`);
    await owner.query(`create database ${name} owner service`);
    await owner.query(`alter database ${name} set default_transaction_read_only = on`);
    return postgres.url;
  };

  it('is used at its writable host by every pool, by loads and by commands, however its address is written', async () => {
    const other = await standby();
    const url = `${listed(other, db.url)}?target_session_attrs=read-write`;
    const { hostname, port } = new URL(db.url);
    const asQuery = `${db.url.replace(/@[^/]*/, '@')}?host=${hostname},${hostname}&port=${new URL(other).port},${port}`;
    for (const databaseUrl of [url, asQuery]) {
      const { pool, controlPool, reportPool, dataSource, controlDataSource, webhookDataSource } = await open({ databaseUrl });
      const question = 'select inet_server_port() as port';
      for (const each of [pool, controlPool, reportPool]) expect((await each.query(question)).rows).toEqual([{ port: Number(port) }]);
      for (const each of [dataSource, controlDataSource, webhookDataSource])
        expect(await each.query(question)).toEqual([{ port: Number(port) }]);
    }
    expect(await runCli(['audit'], { DATABASE_URL: url, AUTH_SECRET: authSecret })).toMatchObject({ code: 0 });
    const { code, stderr } = await runService({ DATABASE_URL: `${listed(other, other)}`, AUTH_SECRET: authSecret, LOG_LEVEL: 'error' });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Parcel Records cannot start: the database .*standby.*\n$/)]);
  });

  it('is used at its other host without a restart when the first is gone or no longer answers', async () => {
    const [one, two] = [await FaultProxy.open(db.url), await FaultProxy.open(db.url)];
    two.cut();
    const { pool, dataSource } = await open({ databaseUrl: listed(one.url, two.url) });
    const answers = () =>
      Promise.all([pool.query('select 1'), dataSource.query('select 1')]).then(
        () => true,
        () => false,
      );
    expect(await answers()).toBe(true);
    two.mend();
    one.cut();
    await eventually('the second host answers', answers);
    one.mend();
    two.hang();
    await eventually('the first host answers', answers);
    two.cut(); // connections that hang could not be closed
  });
});
