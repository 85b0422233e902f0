import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { migrationClasses } from './src/database/migrating/migration-classes.js';
import { entities } from './src/server/entities.js';

/**
 * For TypeORM's own command line, after a build: `DATABASE_URL=… npx typeorm migration:show -d dist/ormconfig.js`.
 * The service itself migrates at start, under a lock that TypeORM lacks.
 */
export default new DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL ?? 'postgres://postgres@localhost:5432/parcel_records',
  entities,
  migrations: await migrationClasses(),
});
