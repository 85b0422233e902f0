import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { accountIdOf, registerAccountsCommands } from './accounts/commands.js';
import { auditChecks } from './admin/audit-checks.js';
import { registerBillingCommands } from './billing/commands.js';
import type { CliServices } from './cli-services.js';
import { ConfigError, readConfig } from './config.js';
import { registerDatabaseCommands } from './database/commands.js';
import type { Database } from './database/database.js';
import { commandLimits } from './database/limits.js';
import { registerLoaderCommands } from './loader/commands.js';
import { createLog } from './log.js';
import { printable } from './printable.js';
import { openServiceDatabase } from './service-database.js';
import { registerTokenCommands } from './tokens/commands.js';
import { registerUsageCommands } from './usage/commands.js';

/** The operator's commands. Each room registers its own; they work beside a running server and without one. */
async function main(): Promise<void> {
  const program = new Command('parcel-records')
    .description("Operate Parcel Records: load counties, issue tokens, check the books. With the server's environment variables.")
    .option('--json', 'print JSON for machines on standard output')
    .showHelpAfterError('(add --help for how to use it)')
    .exitOverride();
  let opened: Promise<Database> | undefined;
  const config = readConfig(undefined, { LOG_LEVEL: 'warn' });
  const log = createLog(config);
  const services: CliServices = {
    config,
    log,
    database: ({ mayCreate } = { mayCreate: false }) => (opened ??= openServiceDatabase(config, log, { limits: commandLimits, mayCreate })),
    get json() {
      return program.opts<{ json?: boolean }>().json === true;
    },
  };
  registerLoaderCommands(program, services);
  registerTokenCommands(program, services, (email) => accountIdOf(email, services));
  registerAccountsCommands(program, services);
  registerUsageCommands(program, services, auditChecks, async (pool) => {
    const { checkStripeTotals } = await import('./billing/stripe-totals.js');
    return checkStripeTotals(config, pool);
  });
  registerBillingCommands(program, services);
  registerDatabaseCommands(program, services);
  try {
    await program.parseAsync();
  } catch (error) {
    log.debug({ error }, 'the command failed'); // one line is enough for most; LOG_LEVEL=debug shows where it came from
    throw error;
  } finally {
    await (await opened?.catch(() => undefined))?.close();
  }
}

main().catch((error: Error) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode; // commander has printed it
    return;
  }
  if (error instanceof ConfigError) console.error(error.faults.join('\n'));
  else console.error(`error: ${error.message.split('\n').map(printable).join('\n')}`);
  process.exitCode = 1;
});
