import { Client } from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import { hostUrls } from '../core/database-hosts.js';
import { AppError } from '../core/errors.js';
import { inWords } from './connection-fault.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { type Inspection, inspect } from './inspect.js';
import { migrate, type OnSlowStart } from './migrating/migrate.js';
import { withSessionSettings } from './session-settings.js';
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
  /** For sessions: loads, jobs, audits and whatever holds a lock or a snapshot for long. Never leads through a pool of transactions. */
  url: string;
  /** For statements and short transactions. May lead through a pooler. */
  pooledUrl: string;
  /** Whether it is the embedded Postgres, not a server named by DATABASE_URL. */
  isEmbedded: boolean;
  /** The last process to release the embedded Postgres stops it. */
  release(): Promise<void>;
}

export type DatabaseSettings = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>;

/** Starts the embedded database if DATABASE_URL is unset, and brings the database up to date. */
export async function prepareDatabase(config: DatabaseSettings, log: Logger, options: PrepareOptions = {}): Promise<PreparedDatabase> {
  const reached = await reachDatabase(config, log, options);
  try {
    await inWords(reached.variable, () => migrate(withSessionSettings(reached.url), log, options.fill, options.onSlow));
    return reached;
  } catch (error) {
    await reached.release(); // otherwise an embedded database would keep running unused
    throw error;
  }
}

/** Starts the embedded database if DATABASE_URL is unset, and leaves what the database has as it is. */
export async function reachDatabase(
  config: DatabaseSettings,
  log: Logger,
  { mayCreate = true, signal }: Pick<PrepareOptions, 'mayCreate' | 'signal'> = {},
): Promise<PreparedDatabase & { variable: string }> {
  const { databaseUrl, databaseDirectUrl = databaseUrl } = config;
  const variable = databaseDirectUrl === databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  if (databaseUrl) refuseUnreadable(databaseUrl, 'DATABASE_URL');
  if (databaseDirectUrl) refuseUnreadable(databaseDirectUrl, variable);
  const embedded: EmbeddedPostgres | null = databaseDirectUrl
    ? null
    : await acquireEmbeddedPostgres(config.dataDir, log, { mayCreate, signal });
  const release = async () => embedded?.release();
  signal?.addEventListener('abort', release);
  try {
    signal?.throwIfAborted();
    const given = databaseDirectUrl ?? embedded!.url;
    const direct = await inWords(variable, () => inspect(given, variable, log));
    if (!direct.keepsSessions) {
      throw new AppError(
        'not_configured',
        `${variable} leads through a pooler in transaction mode, where migrations, loads, jobs and audits cannot hold their locks. ` +
          'Set DATABASE_DIRECT_URL to the address of Postgres itself, or of a pool in session mode.',
      );
    }
    // Otherwise a command with a mistyped DATABASE_URL would fill an empty database, and an audit of it would find no fault.
    if (!mayCreate && !direct.isFilled) {
      throw new AppError(
        'not_found',
        `The database of ${variable} has no tables of this service: correct ${variable}, or run the command migrate.`,
      );
    }
    const pooledUrl = variable === 'DATABASE_URL' ? direct.url : await inspectOther(databaseUrl!, direct, log);
    return { url: direct.url, pooledUrl, isEmbedded: embedded !== null, release, variable };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The driver reads the certificates named in the URL, and its errors don't mention the variable. */
function refuseUnreadable(url: string, variable: string): void {
  try {
    for (const one of hostUrls(url)) new Client(one);
  } catch (cause) {
    throw new AppError('not_configured', `${variable} cannot be used (${(cause as Error).message}).`, { cause });
  }
}

/** @returns DATABASE_URL, marked if it leads through a pooler. @throws AppError if it leads to another database than DATABASE_DIRECT_URL */
async function inspectOther(databaseUrl: string, direct: Inspection, log: Logger): Promise<string> {
  const { url, database } = await inWords('DATABASE_URL', () => inspect(databaseUrl, 'DATABASE_URL', log));
  if (database !== direct.database) {
    const found = `${database.split(' ')[0]} and ${direct.database.split(' ')[0]}`;
    throw new AppError('not_configured', `DATABASE_URL and DATABASE_DIRECT_URL lead to different databases (${found}, or other servers).`);
  }
  return url;
}
