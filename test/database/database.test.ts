import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { isUnreachableDatabase } from '../../src/core/errors.js';
import { createLog } from '../../src/core/log.js';
import { projectFile } from '../../src/core/project-files.js';
import { shareConnections } from '../../src/database/connection-shares.js';
import { openDatabase, openDataSource } from '../../src/database/database.js';
import { withFileLock } from '../../src/database/embedded/file-lock.js';
import { requestLimits } from '../../src/database/limits.js';
import { connectAlone } from '../../src/database/service-client.js';
import type { StatementRunner } from '../../src/database/statement-runner.js';
import { openServiceDatabase } from '../../src/server/service-database.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, openClient, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { FaultProxy } from '../harness/fault-proxy.js';
import { runCli } from '../harness/process.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const log = createLog({ logLevel: 'silent' });
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});

/** All tables of ours, those of better-auth and of the job library among them. */
const tablesOf = (of: TestDatabase) =>
  of.query(
    `select table_schema, table_name from information_schema.tables where table_schema <> all ('{pg_catalog,information_schema}') order by 1, 2`,
  );

describe('a database with defaults of its own', () => {
  const ours = {
    ...{ timezone: 'UTC', datestyle: 'ISO, MDY', isolation: 'read committed', jit: 'off', memory: '5MB', path: 'public' },
    // so soon Postgres ends a session of a machine that is gone, together with its locks
    endsAfterSeconds: 60,
  };

  it('counts days in UTC, writes times as we read them, shows what others commit, compiles nothing and ends sessions of lost machines soon in every session of ours, beside what the address asks for', async () => {
    const other = await createTestDatabase();
    await other.alter(`set timezone to 'America/New_York'`);
    await other.alter('set datestyle to German, DMY');
    await other.alter(`set default_transaction_isolation to 'repeatable read'`);
    await other.alter('set jit to on');
    await other.alter('set search_path to anything, public');
    const databaseUrl = `${other.url}?options=-c%20work_mem%3D5MB`;
    const servers = await openServiceDatabase({ databaseUrl, dataDir: '/nowhere' }, log);
    closeAtEnd(() => servers.close());
    const load = await connectAlone(servers.url, 'load');
    closeAtEnd(() => load.end());
    const { pool, controlPool, reportPool, dataSource, controlDataSource, webhookDataSource } = servers;
    const settings = `select current_setting('timezone') as timezone, current_setting('datestyle') as datestyle,
                             current_setting('transaction_isolation') as isolation, current_setting('jit') as jit,
                             current_setting('work_mem') as memory, current_setting('search_path') as path,
                             current_setting('tcp_keepalives_idle')::integer + current_setting('tcp_keepalives_interval')::integer
                               * current_setting('tcp_keepalives_count')::integer as "endsAfterSeconds"`;
    for (const each of [pool, controlPool, reportPool, load]) expect((await each.query(settings)).rows).toEqual([ours]);
    for (const each of [dataSource, controlDataSource, webhookDataSource]) expect(await each.query(settings)).toEqual([ours]);
  });
});

describe('a database with time limits of its own', () => {
  // Postgres 17 and newer know the last one.
  const named = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'transaction_timeout'];
  const limitsOf = `select name, setting::integer from pg_settings where name = any($1) order by array_position($1, name)`;

  it('does not apply them to loads and migrations, or to requests sooner than we do', async () => {
    const other = await createTestDatabase();
    for (const name of named) await other.alter(`set ${name} to 1000`);
    const settings = async (of: Pick<Pool, 'query'>) =>
      (await of.query<{ setting: number }>(limitsOf, [named])).rows.map(({ setting }) => setting);
    let ofMigrations: number[] = [];
    const fill = async (guard: StatementRunner) => {
      ofMigrations = await settings(guard as Pool);
    };
    const servers = await openDatabase({ databaseUrl: other.url, dataDir: '/nowhere' }, log, [], { fill });
    closeAtEnd(() => servers.close());
    const load = await connectAlone(servers.url, 'load');
    closeAtEnd(() => load.end());
    // Those that change tables must not make others wait behind them.
    expect(ofMigrations).toEqual([0, 1_500, 0, 0, 0]);
    expect(await settings(load)).toEqual([0, 0, 0, 0, 0]);
    expect(await settings(servers.pool)).toEqual([
      requestLimits.statement_timeout,
      requestLimits.lock_timeout,
      requestLimits.idle_in_transaction_session_timeout,
      0,
      0,
    ]);
  });

  it('is migrated without them, however long that takes', async () => {
    const empty = await createTestDatabase('template0');
    await empty.alter('set statement_timeout to 1');
    const servers = await openServiceDatabase({ databaseUrl: empty.url, dataDir: '/nowhere' }, log);
    await servers.close();
  });
});

describe('the database at start', () => {
  it('knows all 3,144 counties of the states and DC, and the territories', async () => {
    const [row] = await database.query(
      `select count(*)::int as all, count(*) filter (where state not in ('PR', 'GU', 'VI', 'AS', 'MP'))::int as states from county`,
    );
    expect(row).toEqual({ all: 3233, states: 3144 });
  });

  it('is migrated once however many servers start at the same time', async () => {
    const empty = await createTestDatabase('template0');
    expect(await tablesOf(empty)).toEqual([]);
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        const server = await openServiceDatabase({ databaseUrl: empty.url, dataDir: '/nowhere' }, log);
        closeAtEnd(() => server.close());
      }),
    );
    const applied = (of: TestDatabase) => of.query('select name from migrations order by id');
    expect(await applied(empty)).toEqual(await applied(database));
    expect(await tablesOf(empty)).toEqual(await tablesOf(database));
    const counties = (of: TestDatabase) => of.query('select fips, name from county order by fips');
    expect(await counties(empty)).toEqual(await counties(database));
  });
});

describe('the connections of a server', () => {
  it('are shared out whatever their number, with at least two per pool and six for jobs, and add up to it', () => {
    for (let total = 24; total <= 1_000; total++) {
      const { jobs, ...others } = shareConnections(total);
      expect(Math.min(...Object.values(others))).toBeGreaterThanOrEqual(2);
      expect(jobs).toBeGreaterThanOrEqual(6);
      expect(Object.values(others).reduce((sum, share) => sum + share, jobs)).toBeLessThanOrEqual(total);
    }
    expect(shareConnections()).toEqual({
      api: 12,
      control: 6,
      reports: 2,
      downloads: 2,
      apiRepositories: 4,
      controlRepositories: 6,
      webhooks: 4,
      jobs: 8,
    });
  });
});

describe('a connection', () => {
  it('that no longer answers fails within the limits, and is not reused', async () => {
    const proxy = await FaultProxy.open(database.url);
    const servers = await openDatabase({ databaseUrl: proxy.url, dataDir: '/nowhere' }, log);
    closeAtEnd(() => servers.close());
    const ask = [
      () => servers.dataSource.query('select 1'),
      () => servers.controlPool.query('select 1'),
      // As libraries do that know nothing of what happened to a connection: they roll back, and give it back.
      async () => {
        const client = await servers.pool.connect();
        await client
          .query('select 1')
          .catch(() => client.query('rollback'))
          .finally(() => client.release());
      },
    ];
    for (const each of ask) await each();
    proxy.swallow();
    const failures = await Promise.all(ask.map((each) => each().catch((error: Error) => error)));
    expect(failures.map(isUnreachableDatabase)).toEqual([true, true, true]);
    for (const each of ask) await each();
  });

  it('that leads to a server that became read-only, as a standby is, is not reused', async () => {
    const other = await createTestDatabase();
    const servers = await openDatabase({ databaseUrl: other.url, dataDir: '/nowhere' }, log);
    closeAtEnd(() => servers.close());
    const write = 'select from county limit 1 for update';
    const ask = [
      () => servers.dataSource.query(write),
      () => servers.controlPool.query(write),
      async () => {
        const client = await servers.pool.connect();
        await client.query(write).finally(() => client.release());
      },
    ];
    await other.alter('set default_transaction_read_only to on');
    // A session keeps what it began with.
    await other.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await eventually('they are read-only', async () => {
      const failures = await Promise.all(ask.map((each) => each().catch(({ code }) => code)));
      return failures.every((code) => code === '25006');
    });
    await other.alter('reset default_transaction_read_only');
    for (const each of ask) await each();
  });

  it('that breaks while a transaction does something else fails its next statement', async () => {
    const dataSource = await openDataSource(database.url, 'test transactions', 1, log, []);
    closeAtEnd(() => dataSource.destroy());
    const broken = dataSource.transaction(async (manager) => {
      const [{ pid }] = await manager.query<[{ pid: number }]>('select pg_backend_pid() as pid');
      await database.query('select pg_terminate_backend($1)', [pid]);
      await eventually('it is noticed', async () => manager.queryRunner!.isReleased);
      await manager.query('select 1');
    });
    expect(isUnreachableDatabase(await broken.catch((error: Error) => error))).toBe(true);
  });

  it('that is lost during an audit ends the audit with one line', async () => {
    const holder = await openClient(database);
    await holder.query('begin; lock table credit_balance in access exclusive mode');
    const env = { DATABASE_URL: database.url, AUTH_SECRET: 'a secret of the tests, long enough' };
    const audit = runCli(['audit'], env);
    await eventually('the audit waits, and loses its connection', async () => {
      const ended = await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return ended.length === 1;
    });
    const { code, stderr } = await audit;
    expect([code, stderr.match(/^error: .*$/gm), /\n\s+at /.test(stderr)]).toEqual([
      1,
      [expect.stringContaining('terminating connection')],
      false,
    ]);
  });
});

describe('the lock file of the embedded database', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });

  it('admits one holder at a time', async () => {
    let inside = 0;
    const most = await Promise.all(
      Array.from({ length: 3 }, () =>
        withFileLock(join(folder, 'shared'), async () => {
          const now = ++inside;
          await new Promise(setImmediate);
          inside--;
          return now;
        }),
      ),
    );
    expect(most).toEqual([1, 1, 1]);
  });

  it('does not block a start after the process that held it was killed', async () => {
    const path = join(folder, 'left');
    const holder = spawn(process.execPath, ['--input-type=module', '-e', holdForEver, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    closeAtEnd(() => holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    // Its last sign of life is made older instead of waiting until it is.
    const before = new Date(Date.now() - 15_000);
    await utimes(path, before, before);
    expect(await withFileLock(path, async () => 'in')).toBe('in');
  });
});

const holdForEver = `
  import { withFileLock } from '${projectFile('dist/src/database/embedded/file-lock.js')}';
  setInterval(() => {}, 1_000);
  await withFileLock(process.argv[1], async () => {
    console.log('held');
    await new Promise(() => {});
  });
`;
