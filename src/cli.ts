import 'reflect-metadata';
import { constants } from 'node:os';
import { Command, CommanderError } from 'commander';
import { registerCommands } from './commands.js';
import { ConfigError, readConfig } from './core/config.js';
import { type ErrorCode, textOf, toPublicError } from './core/errors.js';
import { createLog } from './core/log.js';
import { printable } from './core/printable.js';
import { packageVersion } from './core/project-files.js';
import { seedCounties } from './counties/county-codes.js';
import type { CliServices } from './database/cli-services.js';
import type { Database } from './database/database.js';
import { commandLimits } from './database/limits.js';
import { type PreparedDatabase, prepareDatabase, reachDatabase } from './database/prepare-database.js';

// Known before the arguments are parsed, which can fail.
const isForMachines = process.argv.includes('--json');
let isInterrupted = false;

// How long a command that is interrupted may take to give the database back.
const interruptMs = 10_000;

/**
 * The operator's commands. Each room registers its own; they work beside a running server and without one. Libraries that not every
 * command needs are loaded by those that do: all of them take a second and 40 MB.
 */
async function main(): Promise<void> {
  const program = new Command('parcel-records')
    .version(packageVersion, '--version', 'print the version')
    .description(
      'Operate Parcel Records: load counties, issue tokens, audit the ledger. Reads the same environment variables as the server.',
    )
    .option('--json', 'print JSON on standard output, and errors as the last line of standard error')
    .showHelpAfterError('(add --help for how to use it)')
    .exitOverride();
  if (isForMachines) program.configureOutput({ writeErr: () => {} }); // errors are printed below, as JSON
  const interrupted = new AbortController();
  let opened: Promise<Database> | undefined;
  let prepared: Promise<PreparedDatabase> | undefined;
  const config = readConfig(undefined, { LOG_LEVEL: 'warn' });
  // Commands hold locks and snapshots for long, so they never go through a pooler.
  config.databaseUrl = config.databaseDirectUrl ?? config.databaseUrl;
  const log = createLog(config);
  const services: CliServices = {
    config,
    log,
    database: ({ mayCreate } = { mayCreate: false }) =>
      (opened ??= import('./server/service-database.js').then(({ openServiceDatabase }) =>
        openServiceDatabase(config, log, { limits: commandLimits, mayCreate, signal: interrupted.signal }),
      )),
    preparedDatabase: ({ mayCreate } = { mayCreate: false }) =>
      (prepared ??= prepareDatabase(config, log, { fill: seedCounties, mayCreate, signal: interrupted.signal })),
    json: isForMachines,
  };
  const release = async (signal: NodeJS.Signals) => {
    if (isInterrupted) return; // npm passes on a Ctrl-C that the terminal has sent here, too
    isInterrupted = true;
    process.exitCode = 128 + constants.signals[signal]; // as shells say it
    log.level = 'silent'; // of what it cuts off
    setTimeout(() => process.exit(), interruptMs);
    interrupted.abort();
    await (await opened?.catch(() => undefined))?.release();
    await (await prepared?.catch(() => undefined))?.release();
    process.exit();
  };
  // Otherwise the embedded database would go on running, used by nobody.
  if (!config.databaseUrl) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, release);
  registerCommands(program, services, () => reachDatabase(config, log, { signal: interrupted.signal }));
  try {
    await program.parseAsync();
  } catch (error) {
    log.debug({ error }, 'the command failed'); // one line is enough for most; LOG_LEVEL=debug shows where it came from
    throw error;
  } finally {
    await (await opened?.catch(() => undefined))?.close();
    await (await prepared?.catch(() => undefined))?.release();
  }
}

/** For people one line a fault, for machines `{ "error": { "code", "message" } }`. Commander has told people of its own. */
function printError(error: Error): void {
  const [code, message] = describeError(error);
  if (isForMachines) console.error(JSON.stringify({ error: { code, message } }));
  else if (!(error instanceof CommanderError)) console.error(`error: ${message.split('\n').map(printable).join('\n')}`);
}

function describeError(error: Error): [code: ErrorCode, message: string] {
  if (error instanceof ConfigError) return ['not_configured', error.faults.join('\n')];
  if (!(error instanceof CommanderError)) return [toPublicError(error).code, textOf(error)];
  return [
    'invalid_request',
    error.code === 'commander.help' ? 'Name a command: --help lists them.' : error.message.replace(/^error: /, ''),
  ];
}

main().catch((error: Error) => {
  if (isInterrupted) return;
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
  if (process.exitCode !== 0) printError(error);
});
