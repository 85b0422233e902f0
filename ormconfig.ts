import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from './src/database/data-source.js';

/** For TypeORM's own command line (`typeorm migration:show -d dist/ormconfig.js`); the service builds its own from the same options. */
export default new DataSource(dataSourceOptions(process.env.DATABASE_URL ?? 'postgres://postgres@localhost:5432/postgres'));
