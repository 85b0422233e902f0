import { Client } from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import { AppError } from '../core/errors.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { startLimits } from './limits.js';
import { migrate } from './migrating/migrate.js';
import { sessionAt, withoutTransactionLimit } from './session.js';
import type { StatementRunner } from './statement-runner.js';

export interface PrepareOptions {
  /** Inserts the rows that every database has; called under the migration lock. */
  fill?(db: StatementRunner): Promise<void>;
  /** Whether a database is created where there is none; true by default. */
  mayCreate?: boolean;
  /** Aborted when whoever asked is told to end: the embedded database is released then, and what is under way in it fails. */
  signal?: AbortSignal;
}

/** A database that is up and up to date, to which nothing is connected yet. */
export interface PreparedDatabase {
  url: string;
  /** Whether it is the embedded Postgres, not a server named by DATABASE_URL. */
  isEmbedded: boolean;
  release(): Promise<void>;
}

/** Starts the embedded database, unless another one is configured, and brings it up to date. */
export async function prepareDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  { fill, mayCreate = true, signal }: PrepareOptions = {},
): Promise<PreparedDatabase> {
  if (config.databaseUrl) refuseUnreadable(config.databaseUrl);
  const embedded: EmbeddedPostgres | null = config.databaseUrl
    ? null
    : await acquireEmbeddedPostgres(config.dataDir, log, { mayCreate, signal });
  const release = async () => embedded?.release();
  signal?.addEventListener('abort', release);
  try {
    signal?.throwIfAborted();
    const given = config.databaseUrl ?? embedded!.url;
    const { isFilled, limitsTransactions } = await lookAt(given);
    // Otherwise a command with a mistyped DATABASE_URL would create a new database, and an audit of it would find no fault.
    if (!mayCreate && !isFilled) {
      throw new AppError('not_found', 'The database of DATABASE_URL holds nothing of ours: correct it, or fill it by the command migrate.');
    }
    const url = limitsTransactions ? withoutTransactionLimit(given) : given;
    await migrate(sessionAt(url), log, fill);
    return { url, isEmbedded: embedded !== null, release };
  } catch (error) {
    await release(); // otherwise an embedded one would keep running, used by nobody
    throw error;
  }
}

/** The driver reads the certificates that an address names as soon as it gets it, and says nothing of where they were named. */
function refuseUnreadable(url: string): void {
  try {
    new Client(url);
  } catch (cause) {
    throw new AppError('not_configured', `DATABASE_URL cannot be used (${(cause as Error).message}).`, { cause });
  }
}

interface Look {
  isFilled: boolean;
  limitsTransactions: boolean;
}

async function lookAt(url: string): Promise<Look> {
  const client = new Client({ connectionString: sessionAt(url), ...startLimits });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client
    .query<Look>(
      `select to_regclass('migrations') is not null as "isFilled",
              exists (select from pg_settings where name = 'transaction_timeout') as "limitsTransactions"`,
    )
    .finally(() => client.end());
  return rows[0]!;
}
