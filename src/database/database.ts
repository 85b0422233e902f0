import { Pool, type PoolConfig } from 'pg';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import type { Config } from '../core/config.js';
import { watchPool } from '../core/metrics.js';
import { reportLimits, requestLimits, webhookLimits } from './limits.js';
import { pooledClient } from './pooled-client.js';
import { type PrepareOptions, prepareDatabase } from './prepare-database.js';
import { sessionAt } from './session.js';
import { typeParsers } from './type-parsers.js';

const apiConnections = 12;
const controlConnections = 6;
const reportConnections = 2;
const repositoryConnections = 4;
const controlRepositoryConnections = 6;
// Following what is in Stripe waits for it within a transaction, so it has connections of its own.
const webhookConnections = 4;

/** The most that are open at once, without those of jobs and loads. */
export const databaseConnections =
  apiConnections + controlConnections + reportConnections + repositoryConnections + controlRepositoryConnections + webhookConnections;

/** The database as the rooms use it. */
export interface Database {
  url: string;
  /** Whether it is the embedded Postgres, not a server named by DATABASE_URL. */
  isEmbedded: boolean;
  /** For API customers' traffic. */
  pool: Pool;
  /** The same for repositories. */
  dataSource: DataSource;
  /** For sign-in, health and the console: they still work when customers' traffic has taken every connection. */
  controlPool: Pool;
  /** The same for repositories. */
  controlDataSource: DataSource;
  /** For what reads much of the ledger: the console's lists and charts. */
  reportPool: Pool;
  /** For webhook events of the payment processor. */
  webhookDataSource: DataSource;
  close(): Promise<void>;
  /** Ends the use of the embedded Postgres without waiting for what is under way; who was its last user stops it. */
  release(): Promise<void>;
}

export interface OpenOptions extends PrepareOptions {
  /** Time limits; those of requests by default. */
  limits?: PoolConfig;
}

/** Opens the configured database, or starts the embedded one, and brings it up to date. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  entities: PostgresDataSourceOptions['entities'] = [],
  { limits = requestLimits, ...options }: OpenOptions = {},
): Promise<Database> {
  const { url, isEmbedded, release } = await prepareDatabase(config, log, options);
  const [dataSource, controlDataSource, webhookDataSource] = await Promise.all([
    openDataSource(url, 'api_repositories', repositoryConnections, log, entities, limits),
    openDataSource(url, 'control_repositories', controlRepositoryConnections, log, entities, limits),
    openDataSource(url, 'webhooks', webhookConnections, log, entities, webhookLimits),
  ]);
  const pool = openPool(url, 'api', apiConnections, log, limits);
  const controlPool = openPool(url, 'control', controlConnections, log, limits);
  const reportPool = openPool(url, 'reports', reportConnections, log, reportLimits);
  return {
    url,
    isEmbedded,
    pool,
    dataSource,
    controlPool,
    controlDataSource,
    reportPool,
    webhookDataSource,
    close: async () => {
      const pools = [pool, controlPool, reportPool].map((each) => each.end());
      await Promise.all([dataSource.destroy(), controlDataSource.destroy(), webhookDataSource.destroy(), ...pools]);
      await release();
    },
    release,
  };
}

/**
 * A pool that survives a restart of Postgres: connections that break, idle or in use, are logged and replaced.
 * @param limits one of those in limits.ts
 */
export function openPool(url: string, name: string, max: number, log: Logger, limits = requestLimits): Pool {
  return new (watchedPool(name))({ connectionString: sessionAt(url), max, ...poolSettings(name, log, limits) });
}

/** Repositories on connections like those of `openPool`. */
export async function openDataSource(
  url: string,
  name: string,
  poolSize: number,
  log: Logger,
  entities: PostgresDataSourceOptions['entities'],
  limits = requestLimits,
): Promise<DataSource> {
  const dataSource = new DataSource({
    type: 'postgres',
    url: sessionAt(url),
    entities,
    poolSize,
    driver: { Pool: watchedPool(name) },
    extra: poolSettings(name, log, limits),
    installExtensions: false,
    poolErrorHandler: () => {},
  });
  return dataSource.initialize();
}

/** The pools of one name, ours or TypeORM's, as they stand in the metrics. */
function watchedPool(name: string): typeof Pool {
  return class WatchedPool extends Pool {
    constructor(settings?: PoolConfig) {
      super(settings);
      this.on('error', () => {}); // the connection has said it
      watchPool(name, this);
    }
  };
}

function poolSettings(name: string, log: Logger, limits: PoolConfig): PoolConfig {
  return {
    application_name: `parcel-records ${name}`,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    types: typeParsers,
    Client: pooledClient(log),
    ...limits,
  };
}
