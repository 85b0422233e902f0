import { Command } from 'commander';
import { createLog } from '../../src/core/log.js';
import type { CliServices } from '../../src/database/cli-services.js';
import type { TestApp } from './app.js';
import type { Json } from './caller.js';

/** The services of a command on the database of a running service, with `--json`. */
export function cliServicesOf(app: TestApp): CliServices {
  const { url, isEmbedded } = app.database;
  const release = async () => {};
  return {
    config: app.config,
    log: createLog({ logLevel: 'silent' }),
    database: async () => app.database,
    preparedDatabase: async () => ({ url, isEmbedded, release }),
    json: true,
  };
}

/**
 * Runs a command as `npm run cli -- --json …` does, on the service's database.
 * @param register the commands that there are
 * @returns what it printed last
 */
export async function runCommand(args: string[], register: (program: Command) => void): Promise<Json> {
  const program = new Command().exitOverride();
  register(program);
  const print = jest.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await program.parseAsync(args, { from: 'user' });
    return JSON.parse(print.mock.lastCall![0] as string);
  } finally {
    print.mockRestore();
  }
}
