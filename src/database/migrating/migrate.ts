import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Logger } from 'pino';
import type { MigrationInterface } from 'typeorm';
import { hostUrls } from '../../core/database-hosts.js';
import { AppError } from '../../core/errors.js';
import { projectFile } from '../../core/project-files.js';
import { startLimits } from '../limits.js';
import { ServiceClient } from '../service-client.js';
import type { StatementRunner } from '../statement-runner.js';
import { installJobSchema } from './job-schema.js';
import { applySqlFiles, sqlRooms } from './sql-files.js';

// An arbitrary constant. All servers of a database must use the same.
const migrationLock = 7_205_759_403_792_794n;
const lockPollMs = 100;
// The first version with `create or replace trigger`.
const oldestVersion = 14;

type MigrationClass = new () => MigrationInterface;

const folder = new URL('../../../migrations/', import.meta.url);

// Created before the tables, because columns have `service_now()` as their default.
const firstRoom = 'database';

/**
 * Brings a database up to date: tables, the rooms' functions, the job library's schema, and the rows that every database has. Servers that
 * start together wait for a lock, which TypeORM lacks; the later ones find nothing to do.
 * @param fill inserts the rows that every database has; called at every start
 * @returns the names of the migrations that ran and the SQL files that were applied here
 */
export async function migrate(url: string, log: Logger, fill?: (db: StatementRunner) => Promise<void>): Promise<string[]> {
  const guard = new ServiceClient({ connectionString: url, application_name: 'parcel-records migrate', ...startLimits });
  guard.on('error', () => {}); // the next statement on it fails
  await guard.connect();
  try {
    await requireSupportedServer(guard);
    await lock(guard);
    const first = await applySqlFiles(guard, [firstRoom], false);
    const migrations = await migrationClasses();
    const ran = (await haveAllRun(guard, migrations)) ? [] : await runMigrations(url, migrations);
    const rooms = (await sqlRooms()).filter((room) => room !== firstRoom);
    const applied = [...first, ...ran, ...(await applySqlFiles(guard, rooms, ran.length > 0))];
    await installJobSchema(guard, url, log);
    if (applied.length > 0) log.info({ applied }, 'the database was brought up to date');
    await fill?.(guard);
    return applied;
  } finally {
    // Ending the session releases the lock, also after a failure.
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

/** Lets a command on an up-to-date database avoid loading TypeORM, which takes a third of a second and 25 MB. */
async function haveAllRun(db: Client, migrations: MigrationClass[]): Promise<boolean> {
  const { rows } = await db.query<{ isThere: boolean }>(`select to_regclass('migrations') is not null as "isThere"`);
  if (!rows[0]!.isThere) return false;
  const names = migrations.map(({ name }) => name);
  const ran = await db.query('select from migrations where name = any($1)', [names]);
  return ran.rowCount === names.length;
}

/** @returns the names of the migrations that ran */
async function runMigrations(url: string, migrations: MigrationClass[]): Promise<string[]> {
  const { DataSource } = await import('typeorm');
  const extra = { connectionString: url, Client: ServiceClient };
  const dataSource = new DataSource({
    type: 'postgres',
    url: hostUrls(url)[0]!,
    extra,
    migrations,
    migrationsTransactionMode: 'each',
    poolSize: 1,
  });
  await dataSource.initialize();
  try {
    return (await dataSource.runMigrations()).map(({ name }) => name);
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
