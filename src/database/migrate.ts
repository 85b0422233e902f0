import { Client } from 'pg';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { installJobSchema } from './job-schema.js';
import { migrationClasses } from './migration-classes.js';
import { applySqlFiles, sqlRooms } from './sql-files.js';
import type { StatementRunner } from './statement-runner.js';

// Any constant will do, as long as every server of one database uses the same.
const migrationLock = 7_205_759_403_792_794n;

// Columns have `service_now()` as their default, so the functions of this room are created before the tables.
const firstRoom = 'database';

/**
 * Brings a database up to date: tables, the rooms' functions, the job library's schema, and the rows that every database has. Servers
 * that start together wait for a lock, since TypeORM has none of its own; the later ones find nothing left to do.
 * @param fill inserts the rows that every database has; called at every start
 * @returns the names of the migrations that ran and the SQL files that were applied here
 */
export async function migrate(url: string, log: Logger, fill?: (db: StatementRunner) => Promise<void>): Promise<string[]> {
  const guard = new Client({ connectionString: url, application_name: 'parcel-records migrate' });
  guard.on('error', () => {}); // the next statement on it fails
  await guard.connect();
  try {
    await guard.query('select pg_advisory_lock($1)', [migrationLock]);
    const first = await applySqlFiles(guard, [firstRoom], false);
    const dataSource = new DataSource({
      type: 'postgres',
      url,
      migrations: await migrationClasses(),
      migrationsTransactionMode: 'each',
      poolSize: 1,
    });
    await dataSource.initialize();
    try {
      const ran = (await dataSource.runMigrations()).map((migration) => migration.name);
      const rooms = (await sqlRooms()).filter((room) => room !== firstRoom);
      const applied = [...first, ...ran, ...(await applySqlFiles(guard, rooms, ran.length > 0))];
      await installJobSchema(url, log);
      if (applied.length > 0) log.info({ applied }, 'the database was brought up to date');
      await fill?.(guard);
      return applied;
    } finally {
      await dataSource.destroy();
    }
  } finally {
    // Ending the session releases the lock, also after a failure half way.
    await guard.end();
  }
}
