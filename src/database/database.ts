import { Pool, type PoolConfig } from 'pg';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Config } from '../config.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
import { migrate } from './migrate.js';
import { typeParsers } from './type-parsers.js';

const apiConnectionCount = 12;
const controlConnections = 6;

/** The database as the rooms use it. */
export interface Database {
  url: string;
  /** Whether it is the one that came with us, not a server that somebody runs. */
  isEmbedded: boolean;
  dataSource: DataSource;
  /** For API customers' traffic. The same connections as `dataSource`. */
  pool: Pool;
  /** For sign-in, health, webhooks and the console: they still work when customers' traffic has taken every connection. */
  controlPool: Pool;
  close(): Promise<void>;
}

/** Opens the configured database, or starts the embedded one, and brings it up to date. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  entities: PostgresDataSourceOptions['entities'] = [],
): Promise<Database> {
  const embedded: EmbeddedPostgres | null = config.databaseUrl ? null : await acquireEmbeddedPostgres(config.dataDir, log);
  const url = config.databaseUrl ?? embedded!.url;
  await migrate(url, log);
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    entities,
    poolSize: apiConnectionCount,
    extra: poolSettings('api'),
    poolErrorHandler: (error: Error) => log.warn({ error }, 'a database connection broke'),
  });
  await dataSource.initialize();
  const controlPool = openPool(url, 'quiet', controlConnections, log);
  return {
    url,
    isEmbedded: embedded !== null,
    dataSource,
    pool: (dataSource.driver as PostgresDriver).master as Pool,
    controlPool,
    close: async () => {
      await Promise.all([dataSource.destroy(), controlPool.end()]);
      await embedded?.release();
    },
  };
}

/** A pool that survives its server: connections that break, idle or in use, are said and replaced. */
export function openPool(url: string, name: string, max: number, log: Logger, more: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: url, max, ...poolSettings(name), ...more });
  const say = (error: Error) => log.warn({ error }, 'a database connection broke');
  pool.on('error', say);
  pool.on('connect', (client) => client.on('error', say));
  return pool;
}

function poolSettings(name: string): PoolConfig {
  return {
    application_name: `parcel-records ${name}`,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    // No statement of ours runs long: what does is stuck, and must not hold a connection that others wait for.
    statement_timeout: 15_000,
    query_timeout: 20_000,
    lock_timeout: 5_000,
    idle_in_transaction_session_timeout: 15_000,
    types: typeParsers,
  };
}
