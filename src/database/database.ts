import { Client, Pool, type PoolConfig } from 'pg';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';
import { watchPool } from '../metrics.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
import { commandLimits, reportLimits, requestLimits, webhookLimits } from './limits.js';
import { migrate } from './migrate.js';
import { pooledClient } from './pooled-client.js';
import type { StatementRunner } from './statement-runner.js';
import { typeParsers } from './type-parsers.js';

const apiConnections = 12;
const controlConnections = 6;
const reportConnections = 2;
const repositoryConnections = 4;
const controlRepositoryConnections = 6;
// Following what is in Stripe waits for it within a transaction, so it has connections of its own.
const webhookConnections = 4;

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
}

export interface OpenOptions {
  /** Time limits; those of requests by default. */
  limits?: PoolConfig;
  /** Inserts the rows that every database has; called under the migration lock. */
  fill?(db: StatementRunner): Promise<void>;
  /** Whether a database is created where there is none; true by default. */
  mayCreate?: boolean;
}

/** Opens the configured database, or starts the embedded one, and brings it up to date. */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  entities: PostgresDataSourceOptions['entities'] = [],
  { limits = requestLimits, fill, mayCreate = true }: OpenOptions = {},
): Promise<Database> {
  const embedded: EmbeddedPostgres | null = config.databaseUrl ? null : await acquireEmbeddedPostgres(config.dataDir, log, { mayCreate });
  const url = config.databaseUrl ?? embedded!.url;
  if (!mayCreate) await refuseEmpty(url);
  await migrate(url, log, fill);
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
    isEmbedded: embedded !== null,
    pool,
    dataSource,
    controlPool,
    controlDataSource,
    reportPool,
    webhookDataSource,
    close: async () => {
      const pools = [pool, controlPool, reportPool].map((each) => each.end());
      await Promise.all([dataSource.destroy(), controlDataSource.destroy(), webhookDataSource.destroy(), ...pools]);
      await embedded?.release();
    },
  };
}

/** Otherwise a command with a mistyped DATABASE_URL would create a new database, and an audit of it would find no fault. */
async function refuseEmpty(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: commandLimits.connectionTimeoutMillis });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client
    .query<{ isThere: boolean }>(`select to_regclass('migrations') is not null as "isThere"`)
    .finally(() => client.end());
  if (!rows[0]!.isThere)
    throw new AppError('not_found', 'The database of DATABASE_URL holds nothing of ours: correct it, or fill it by the command migrate.');
}

/**
 * A pool that survives a restart of Postgres: connections that break, idle or in use, are logged and replaced.
 * @param limits one of those in limits.ts
 */
export function openPool(url: string, name: string, max: number, log: Logger, limits = requestLimits): Pool {
  return new (watchedPool(name))({ connectionString: url, max, ...poolSettings(name, log, limits) });
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
    url,
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
