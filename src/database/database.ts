import { type Client, type ClientConfig, type CustomTypesConfig, Pool, type PoolConfig, types } from 'pg';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import type { Config } from '../core/config.js';
import { hostUrls } from '../core/database-hosts.js';
import { sayEachSecond } from '../core/log.js';
import { watchPool } from '../core/metrics.js';
import { shareConnections } from './connection-shares.js';
import { reportLimits, requestLimits, webhookLimits } from './limits.js';
import { type DatabaseSettings, type PreparedDatabase, type PrepareOptions, prepareDatabase } from './prepare-database.js';
import { ServiceClient } from './service-client.js';
import { isPooled, withSessionSettings } from './session-settings.js';

/** Postgres' type `date`. */
const dateOid = 1082;

/** The database as the rooms use it. Its `release` waits for no running queries. */
export interface Database extends Omit<PreparedDatabase, 'pooledUrl'> {
  /** For API traffic. */
  pool: Pool;
  /** Repositories for API traffic. */
  dataSource: DataSource;
  /** For sign-in, health and the console: they still work when API traffic has taken every connection of `pool`. */
  controlPool: Pool;
  /** Repositories for sign-in, health and the console. */
  controlDataSource: DataSource;
  /** For queries that read much of the ledger: the console's lists and charts. */
  reportPool: Pool;
  /** For files of the records that an account read, in short statements: a long download takes nothing from other traffic. */
  downloadPool: Pool;
  /** The size of the pool for jobs, which `jobs` opens. */
  jobConnections: number;
  /** The most connections that one server opens to Postgres itself, without those of loads and of a pooler. */
  directConnections: number;
  /** Repositories for Stripe's webhook events. */
  webhookDataSource: DataSource;
  close(): Promise<void>;
}

export interface OpenOptions extends PrepareOptions {
  /** Time limits. Default: `requestLimits`. */
  limits?: PoolConfig;
}

/** Opens the configured database, or starts the embedded one, and brings it up to date. */
export async function openDatabase(
  config: DatabaseSettings & Pick<Config, 'databaseConnections'>,
  log: Logger,
  entities: PostgresDataSourceOptions['entities'] = [],
  { limits = requestLimits, ...options }: OpenOptions = {},
): Promise<Database> {
  const { url, pooledUrl, isEmbedded, release } = await prepareDatabase(config, log, options);
  const shares = shareConnections(config.databaseConnections);
  const [dataSource, controlDataSource, webhookDataSource] = await Promise.all([
    openDataSource(pooledUrl, 'api_repositories', shares.apiRepositories, log, entities, limits),
    openDataSource(pooledUrl, 'control_repositories', shares.controlRepositories, log, entities, limits),
    openDataSource(pooledUrl, 'webhooks', shares.webhooks, log, entities, webhookLimits),
  ]);
  const pool = openPool(pooledUrl, 'api', shares.api, log, limits);
  const controlPool = openPool(pooledUrl, 'control', shares.control, log, limits);
  // A customer's export reads in one long transaction, which would take a connection from a pooler.
  const reportPool = openPool(url, 'reports', shares.reports, log, reportLimits);
  const downloadPool = openPool(pooledUrl, 'downloads', shares.downloads, log, reportLimits);
  const all = Object.values(shares).reduce((sum, share) => sum + share, 0);
  return {
    url,
    isEmbedded,
    pool,
    dataSource,
    controlPool,
    controlDataSource,
    reportPool,
    downloadPool,
    jobConnections: shares.jobs,
    directConnections: isPooled(pooledUrl) ? shares.reports + shares.jobs : all,
    webhookDataSource,
    close: async () => {
      const pools = [pool, controlPool, reportPool, downloadPool].map((each) => each.end());
      await Promise.all([dataSource.destroy(), controlDataSource.destroy(), webhookDataSource.destroy(), ...pools]);
      await release();
    },
    release,
  };
}

/**
 * A pool that survives a restart of Postgres: broken connections, idle or in use, are logged and replaced.
 * @param limits one of the constants in limits.ts
 */
export function openPool(url: string, name: string, max: number, log: Logger, limits = requestLimits): Pool {
  return new (watchedPool(name))({ connectionString: withSessionSettings(url), max, ...poolSettings(name, log, limits) });
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
    // TypeORM's own parser knows one host. The driver gets the URL as it is.
    url: hostUrls(url)[0]!,
    entities,
    poolSize,
    driver: { Pool: watchedPool(name) },
    extra: { connectionString: withSessionSettings(url), ...poolSettings(name, log, limits) },
    installExtensions: false,
    poolErrorHandler: () => {},
  });
  return dataSource.initialize();
}

/** A pool class that reports to the metrics under this name. TypeORM uses it, too. */
function watchedPool(name: string): typeof Pool {
  return class WatchedPool extends Pool {
    constructor(settings?: PoolConfig) {
      super(settings);
      this.on('error', () => {}); // the connection has logged it
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

/** The class of the connections in all our pools, including those of better-auth and TypeORM. */
function pooledClient(log: Logger): new (config?: ClientConfig) => Client {
  return class PooledClient extends ServiceClient {
    constructor(config?: ClientConfig) {
      super(config);
      // Without a listener a connection that breaks while in use would end the process.
      this.on('error', (error) => sayEachSecond('broke', (count) => log.warn({ error, count }, 'a database connection broke')));
    }

    // A statement that exceeded `query_timeout` still runs on its connection, and the connection's next user would wait for it. Kysely and
    // TypeORM return such a connection to the pool, so it is closed here. So is one to a server that became a standby (25006).
    // biome-ignore lint/suspicious/noExplicitAny: pg has many overloads of this method, and all of them are kept
    override query(statement: any, ...rest: any[]): any {
      const answer: unknown = super.query(statement, ...rest);
      if (answer instanceof Promise) {
        answer.catch(({ message, code }: Error & { code?: string }) => {
          if (message === 'Query read timeout' || code === '25006') return this.end();
        });
      }
      return answer;
    }
  };
}

/** Reads a `date` as text ('2014-01-31'): a JavaScript Date would depend on the server's time zone. */
export const typeParsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === dateOid && format !== 'binary' ? (text: string) => text : types.getTypeParser(oid, format as 'text'),
} as CustomTypesConfig;
