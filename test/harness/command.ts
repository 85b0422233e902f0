import { Command } from 'commander';
import { registerCommands } from '../../src/commands.js';
import { createLog } from '../../src/core/log.js';
import type { TestApp } from './app.js';
import type { Json } from './caller.js';

/** Runs a command as `npm run cli -- --json …` does, on the database of a running service. @returns what it printed last */
export async function runCommand({ config, database }: Pick<TestApp, 'config' | 'database'>, ...args: string[]): Promise<Json> {
  const { url, isEmbedded } = database;
  const preparedDatabase = async () => ({ url, pooledUrl: url, isEmbedded, release: async () => {} });
  const log = createLog({ logLevel: 'silent' });
  const program = new Command().exitOverride();
  registerCommands(program, { config, log, database: async () => database, preparedDatabase, json: true }, preparedDatabase);
  const print = jest.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await program.parseAsync(args, { from: 'user' });
    return JSON.parse(print.mock.lastCall![0] as string);
  } finally {
    print.mockRestore();
  }
}
