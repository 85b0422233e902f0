import { Client } from 'pg';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { installJobSchema } from './job-schema.js';
import { migrationClasses } from './migration-classes.js';
import { seedCounties } from './seed-counties.js';

// Any constant will do, as long as every server of one database uses the same.
const migrationLock = 7_205_759_403_792_794n;

/**
 * Brings a database up to date: migrations, the job library's tables, the county catalogue. Servers that start together queue at a lock,
 * since TypeORM has none of its own; the later ones find nothing left to do.
 * @returns the names of the migrations that ran here
 */
export async function migrate(url: string, log: Logger): Promise<string[]> {
  const guard = new Client({ connectionString: url, application_name: 'parcel-records migrate' });
  await guard.connect();
  try {
    await guard.query('select pg_advisory_lock($1)', [migrationLock]);
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
      for (const name of ran) log.info({ migration: name }, 'migration applied');
      await installJobSchema(url, log);
      await seedCounties(guard);
      return ran;
    } finally {
      await dataSource.destroy();
    }
  } finally {
    // Ending the session releases the lock, also after a failure half way.
    await guard.end();
  }
}
