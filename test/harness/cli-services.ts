import { createLog } from '../../src/core/log.js';
import type { CliServices } from '../../src/database/cli-services.js';
import type { TestApp } from './app.js';

/** What a command gets that runs on the database of a running service, with `--json`. */
export function cliServicesOf(app: TestApp): CliServices {
  const { url, isEmbedded } = app.database;
  const release = async () => {};
  return {
    config: app.config,
    log: createLog({ logLevel: 'silent' }),
    database: async () => app.database,
    preparedDatabase: async () => ({ url, isEmbedded, release }),
    reachedDatabase: async () => ({ url, release }),
    json: true,
  };
}
