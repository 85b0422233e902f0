import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, Pool, type PoolConfig } from 'pg';
import type { Logger } from 'pino';
import type { MigrationInterface } from 'typeorm';
import { hostUrls } from '../../core/database-hosts.js';
import { AppError } from '../../core/errors.js';
import { projectFile } from '../../core/project-files.js';
import { startLimits } from '../limits.js';
import { ServiceClient } from '../service-client.js';
import type { StatementRunner } from '../statement-runner.js';
import { changingClient, type LockWait, untilLocked, watchLocks } from './lock-waits.js';
import { applySqlFiles } from './sql-files.js';

// An arbitrary constant. All servers of a database must use the same.
const migrationLock = 7_205_759_403_792_794n;
const lockPollMs = 100;
// The first version with `create or replace trigger`.
const oldestVersion = 14;

type MigrationClass = new () => MigrationInterface;

/** Called several times a second when a start takes longer than a second, with the sessions that it waits for. */
export type OnSlowStart = (waits: LockWait[]) => void;

const folder = new URL('../../../migrations/', import.meta.url);

// Applied before the tables, because columns have `service_now()` as their default.
const isClock = (path: string): boolean => path.startsWith('database/');

/**
 * Brings a database up to date: tables, the rooms' functions, the job library's schema, and the rows that every database has. Servers that
 * start together wait for a lock, which TypeORM lacks; the later ones find nothing to do. Every step gives up its place in the queue for a
 * table's lock and is repeated until it gets it, so the running servers go on beside a backup, an audit or a load.
 * @param fill inserts the rows that every database has; called at every start
 * @param upTo only these migrations, and no functions or triggers of the rooms: the tables of a backup, before its rows
 * @returns the names of the migrations that ran and the SQL files that were applied here
 */
export async function migrate(
  url: string,
  log: Logger,
  fill?: (db: StatementRunner) => Promise<void>,
  onSlow?: OnSlowStart,
  upTo?: string[],
): Promise<string[]> {
  const settings = { connectionString: url, application_name: 'parcel-records migrate', ...startLimits };
  const guard = new ServiceClient(settings);
  const sessions = new Set<Client>();
  guard.on('error', () => {}); // the next statement on it fails
  // Without the lock another start may migrate.
  guard.on('end', () => sessions.forEach((session) => void session.end()));
  await guard.connect();
  const ending = new AbortController();
  const watching = watchLocks(guard, migrationLock, log, ending.signal, onSlow);
  try {
    await requireSupportedServer(guard);
    await lock(guard);
    const changing = { ...settings, Client: changingClient(sessions) };
    const db = new changing.Client(settings);
    await db.connect();
    const migrations = (await migrationClasses()).filter(({ name }) => upTo?.includes(name) ?? true);
    const missing = await missingMigrations(db, migrations);
    const applied = await untilLocked(() => applySqlFiles(db, isClock, false));
    if (missing.length > 0) await runMigrations(changing, migrations);
    applied.push(...missing);
    if (!upTo) applied.push(...(await untilLocked(() => applySqlFiles(db, (path) => !isClock(path), missing.length > 0))));
    await installJobSchema(db, changing, log);
    if (applied.length > 0) log.info({ applied }, 'the database was brought up to date');
    if (fill) await untilLocked(() => fill(db));
    return applied;
  } finally {
    ending.abort();
    await watching;
    // Ending the session releases the lock, also after a failure. The others end with it.
    await guard.end();
  }
}

// Polls, because a waiting statement cannot be told from one whose connection has died.
async function lock(guard: Client): Promise<void> {
  for (;;) {
    const { rows } = await guard.query<{ isOurs: boolean }>('select pg_try_advisory_lock($1) as "isOurs"', [migrationLock]);
    if (rows[0]!.isOurs) return;
    await pause(lockPollMs);
  }
}

/**
 * Lets a command on an up-to-date database avoid loading TypeORM, which takes a third of a second and 25 MB.
 * @throws AppError if the database has tables that are older than version 1.0.0, or that a newer version made: its functions are not to be
 *   replaced by those of this one
 */
async function missingMigrations(db: Client, migrations: MigrationClass[]): Promise<string[]> {
  const names = migrations.map(({ name }) => name);
  const { rows } = await db.query<{ isThere: boolean }>(`select to_regclass('migrations') is not null as "isThere"`);
  if (!rows[0]!.isThere) return names;
  const ran = await db.query<{ name: string }>('select name from migrations');
  const known = new Set(ran.rows.map(({ name }) => name));
  if (known.size > 0 && !known.has(names[0]!)) {
    throw new AppError(
      'not_configured',
      'The database is of a version before 1.0.0, which cannot be upgraded: set DATABASE_URL or DATA_DIR to an empty one.',
    );
  }
  const newer = ran.rows.find(({ name }) => !names.includes(name));
  if (newer) throw new AppError('conflict', `The database is of a newer version of the service, with ${newer.name}: start that version.`);
  return names.filter((name) => !known.has(name));
}

/** Each migration is a transaction of its own, so a repeated attempt begins with the one that got no lock. */
async function runMigrations(settings: PoolConfig, migrations: MigrationClass[]): Promise<void> {
  const { DataSource } = await import('typeorm');
  const dataSource = new DataSource({
    type: 'postgres',
    url: hostUrls(settings.connectionString!)[0]!,
    migrations,
    migrationsTransactionMode: 'each',
    poolSize: 1,
    // No limit for the statements: a table may be long.
    extra: { ...settings, query_timeout: 0 },
  });
  await dataSource.initialize();
  try {
    await untilLocked(() => dataSource.runMigrations());
  } finally {
    await dataSource.destroy();
  }
}

/** All migrations in order. Imported here, because TypeORM's file search does not work under every runner. */
export async function migrationClasses(): Promise<MigrationClass[]> {
  // Skips compiled files without a source, left behind by an older build.
  const sources = new Set(await readdir(projectFile('migrations')));
  const files = (await readdir(folder)).filter((name) => /\.(js|ts)$/.test(name) && sources.has(name.replace(/\.js$/, '.ts'))).sort();
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href) as Promise<Record<string, MigrationClass>>));
  return modules.flatMap((module) => Object.values(module));
}

/** @throws AppError if Postgres is too old for our statements, or the database's encoding is not UTF-8 */
export async function requireSupportedServer(db: StatementRunner): Promise<void> {
  const { rows } = (await db.query(
    `select current_setting('server_version') as version, current_setting('server_version_num')::integer / 10000 as major,
            current_setting('server_encoding') as encoding`,
  )) as { rows: { version: string; major: number; encoding: string }[] };
  const { version, major, encoding } = rows[0]!;
  if (major < oldestVersion) {
    throw new AppError('invalid_request', `DATABASE_URL leads to Postgres ${version}: ${oldestVersion} or newer is needed.`);
  }
  if (encoding !== 'UTF8') {
    const remedy = `create one with "encoding 'UTF8' template template0"`;
    throw new AppError('invalid_request', `The database of DATABASE_URL has the encoding ${encoding}, not UTF8: ${remedy}.`);
  }
}

/** Installs or updates graphile-worker's tables and functions. */
async function installJobSchema(db: Client, settings: PoolConfig, log: Logger): Promise<void> {
  const { rows } = await db.query<{ isThere: boolean }>(`select to_regclass('graphile_worker.migrations') is not null as "isThere"`);
  if (rows[0]!.isThere) {
    const installed = await db.query<{ id: number }>('select max(id) as id from graphile_worker.migrations');
    // Loading the library would take a tenth of a second in each command.
    if (installed.rows[0]!.id === (await newestJobMigration())) return;
  }
  const { runMigrations: installJobs } = await import('graphile-worker');
  const pool = new Pool({ ...settings, max: 1 });
  const say = (error: Error) => log.warn({ error }, 'a database connection broke');
  pool.on('error', say);
  pool.on('connect', (client) => client.on('error', say));
  await untilLocked(() => installJobs({ pgPool: pool })).finally(() => pool.end());
}

/** The number of the library's newest migration file, such as 19 for `000019.sql`. */
export async function newestJobMigration(): Promise<number> {
  const library = dirname(createRequire(import.meta.url).resolve('graphile-worker/package.json'));
  return Math.max(...(await readdir(join(library, 'sql'))).map((file) => Number.parseInt(file, 10)));
}
