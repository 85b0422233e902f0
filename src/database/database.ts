import { Pool, type PoolConfig } from 'pg';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import type { Config } from '../config.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
import { requestLimits } from './limits.js';
import { migrate } from './migrate.js';
import { pooledClient } from './pooled-client.js';
import { typeParsers } from './type-parsers.js';

const apiConnections = 12;
const controlConnections = 6;
const repositoryConnections = 4;

/** The database as the rooms use it. */
export interface Database {
  url: string;
  /** Whether it is the one that came with us, not a server that somebody runs. */
  isEmbedded: boolean;
  /** For repositories, on connections of its own. */
  dataSource: DataSource;
  /** For API customers' traffic. */
  pool: Pool;
  /** For sign-in, health, webhooks and the console: they still work when customers' traffic has taken every connection. */
  controlPool: Pool;
  close(): Promise<void>;
}

interface OpenOptions {
  /** How long its users wait; requests by default. */
  limits?: PoolConfig;
}

/** Opens the configured database, or starts the embedded one, and brings it up to date. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  entities: PostgresDataSourceOptions['entities'] = [],
  { limits = requestLimits }: OpenOptions = {},
): Promise<Database> {
  const embedded: EmbeddedPostgres | null = config.databaseUrl ? null : await acquireEmbeddedPostgres(config.dataDir, log);
  const url = config.databaseUrl ?? embedded!.url;
  await migrate(url, log);
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    entities,
    poolSize: repositoryConnections,
    extra: poolSettings('repositories', log, limits),
    poolErrorHandler: () => {}, // the connection has said it
  });
  await dataSource.initialize();
  const pool = openPool(url, 'api', apiConnections, log, limits);
  const controlPool = openPool(url, 'quiet', controlConnections, log, limits);
  return {
    url,
    isEmbedded: embedded !== null,
    dataSource,
    pool,
    controlPool,
    close: async () => {
      await Promise.all([dataSource.destroy(), pool.end(), controlPool.end()]);
      await embedded?.release();
    },
  };
}

/**
 * A pool that outlives its server: connections that break, idle or in use, are said and replaced.
 * @param limits one of those in limits.ts
 */
export function openPool(url: string, name: string, max: number, log: Logger, limits = requestLimits): Pool {
  const pool = new Pool({ connectionString: url, max, ...poolSettings(name, log, limits) });
  pool.on('error', () => {}); // the connection has said it
  return pool;
}

function poolSettings(name: string, log: Logger, limits: PoolConfig): PoolConfig {
  return {
    application_name: `parcel-records ${name}`,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    types: typeParsers,
    Client: pooledClient(log),
    ...limits,
  };
}
