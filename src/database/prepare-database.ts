import { Client } from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import { AppError } from '../core/errors.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { startLimits } from './limits.js';
import { migrate, type OnSlowStart } from './migrating/migrate.js';
import { withoutTransactionLimit, withSessionSettings } from './session-settings.js';
import type { StatementRunner } from './statement-runner.js';

export interface PrepareOptions {
  /** Inserts the rows that every database has. Called under the migration lock. */
  fill?(db: StatementRunner): Promise<void>;
  onSlow?: OnSlowStart;
  /** Whether to create a missing database. Default: true. */
  mayCreate?: boolean;
  /** When aborted, the embedded database is released, and running queries fail. */
  signal?: AbortSignal;
}

/** A running, up-to-date database without connections yet. */
export interface PreparedDatabase {
  url: string;
  /** Whether it is the embedded Postgres, not a server named by DATABASE_URL. */
  isEmbedded: boolean;
  release(): Promise<void>;
}

/** Starts the embedded database if DATABASE_URL is unset, and brings the database up to date. */
export async function prepareDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  { fill, onSlow, mayCreate = true, signal }: PrepareOptions = {},
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
    const { isFilled, limitsTransactions } = await inspect(given);
    // Otherwise a command with a mistyped DATABASE_URL would fill an empty database, and an audit of it would find no fault.
    if (!mayCreate && !isFilled) {
      throw new AppError(
        'not_found',
        'The database of DATABASE_URL has no tables of this service: correct DATABASE_URL, or run the command migrate.',
      );
    }
    const url = limitsTransactions ? withoutTransactionLimit(given) : given;
    await migrate(withSessionSettings(url), log, fill, onSlow);
    return { url, isEmbedded: embedded !== null, release };
  } catch (error) {
    await release(); // otherwise an embedded database would keep running unused
    throw error;
  }
}

/** The driver reads the certificates named in the URL, and its errors don't mention DATABASE_URL. */
function refuseUnreadable(url: string): void {
  try {
    new Client(url);
  } catch (cause) {
    throw new AppError('not_configured', `DATABASE_URL cannot be used (${(cause as Error).message}).`, { cause });
  }
}

interface Inspection {
  isFilled: boolean;
  limitsTransactions: boolean;
}

async function inspect(url: string): Promise<Inspection> {
  const client = new Client({ connectionString: withSessionSettings(url), ...startLimits });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client
    .query<Inspection>(
      `select to_regclass('migrations') is not null as "isFilled",
              exists (select from pg_settings where name = 'transaction_timeout') as "limitsTransactions"`,
    )
    .finally(() => client.end());
  return rows[0]!;
}
