import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { startLimits } from '../limits.js';
import type { StatementRunner } from '../statement-runner.js';
import { installJobSchema } from './job-schema.js';
import { type MigrationClass, migrationClasses } from './migration-classes.js';
import { refuseUnfit } from './refuse-unfit.js';
import { applySqlFiles, sqlRooms } from './sql-files.js';

// Any constant will do, as long as every server of one database uses the same.
const migrationLock = 7_205_759_403_792_794n;
const lockPollMs = 100;

// Columns have `service_now()` as their default, so the functions of this room are created before the tables.
const firstRoom = 'database';

/**
 * Brings a database up to date: tables, the rooms' functions, the job library's schema, and the rows that every database has. Servers
 * that start together wait for a lock, since TypeORM has none of its own; the later ones find nothing left to do.
 * @param fill inserts the rows that every database has; called at every start
 * @returns the names of the migrations that ran and the SQL files that were applied here
 */
export async function migrate(url: string, log: Logger, fill?: (db: StatementRunner) => Promise<void>): Promise<string[]> {
  const guard = new Client({ connectionString: url, application_name: 'parcel-records migrate', ...startLimits });
  guard.on('error', () => {}); // the next statement on it fails
  await guard.connect();
  try {
    await refuseUnfit(guard);
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
    // Ending the session releases the lock, also after a failure half way.
    await guard.end();
  }
}

// Asked for again and again, since one statement that waits could not be told from one whose line has died.
async function lock(guard: Client): Promise<void> {
  for (;;) {
    const { rows } = await guard.query<{ isOurs: boolean }>('select pg_try_advisory_lock($1) as "isOurs"', [migrationLock]);
    if (rows[0]!.isOurs) return;
    await pause(lockPollMs);
  }
}

/** So that a command on a database that is up to date need not load TypeORM, which takes a third of a second and 25 MB. */
async function haveAllRun(db: Client, migrations: MigrationClass[]): Promise<boolean> {
  const { rows } = await db.query<{ isThere: boolean }>(`select to_regclass('migrations') is not null as "isThere"`);
  if (!rows[0]!.isThere) return false;
  const names = migrations.map(({ name }) => name);
  const ran = await db.query('select from migrations where name = any($1)', [names]);
  return ran.rowCount === names.length;
}

/** @returns the names of those that had not run yet */
async function runMigrations(url: string, migrations: MigrationClass[]): Promise<string[]> {
  const { DataSource } = await import('typeorm');
  const dataSource = new DataSource({ type: 'postgres', url, migrations, migrationsTransactionMode: 'each', poolSize: 1 });
  await dataSource.initialize();
  try {
    return (await dataSource.runMigrations()).map(({ name }) => name);
  } finally {
    await dataSource.destroy();
  }
}
