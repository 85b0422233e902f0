import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import type { Database } from './database.js';
import type { PreparedDatabase } from './prepare-database.js';

interface DatabaseOptions {
  /** Whether the command creates a missing database. Most commands fail instead, so that a wrong DATA_DIR is noticed. */
  mayCreate: boolean;
}

/** The services of a command: settings, the log, and a database that is opened on first use and closed at the end. */
export interface CliServices {
  config: Config;
  log: Logger;
  database(options?: DatabaseOptions): Promise<Database>;
  /** An up-to-date database, for a command that opens its own connections and needs no repositories: TypeORM takes a second to load. */
  preparedDatabase(options?: DatabaseOptions): Promise<Omit<PreparedDatabase, 'pooledUrl'>>;
  /** Whether the caller wants JSON on standard output instead of text for people. */
  json: boolean;
}
