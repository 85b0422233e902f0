import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import type { Database } from './database.js';
import type { PreparedDatabase } from './prepare-database.js';

interface DatabaseOptions {
  /** Whether the command creates a database where there is none. Most commands fail then, so that a wrong DATA_DIR is noticed. */
  mayCreate: boolean;
}

/** What a command gets: settings, the log, and a database that is opened when first asked for and closed at the end. */
export interface CliServices {
  config: Config;
  log: Logger;
  database(options?: DatabaseOptions): Promise<Database>;
  /** The same, up to date, for a command that connects to it by itself and needs no repositories: their library takes a second to load. */
  preparedDatabase(options?: DatabaseOptions): Promise<PreparedDatabase>;
  /** Whether the caller wants JSON on standard output instead of text for people. */
  json: boolean;
}
