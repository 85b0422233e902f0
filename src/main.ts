import 'reflect-metadata';
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { type Config, ConfigError, readConfig, warningsOf } from './core/config.js';
import { AppError } from './core/errors.js';
import { createLog } from './core/log.js';
import { describeConnectionFault } from './database/connection-fault.js';
import { requireFreePorts, StartingServer } from './server/listen.js';
import { runWorkers, type Stop, stopMs } from './server/workers.js';

let isStopping = false;

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config);
  if (cluster.isPrimary) {
    for (const warning of warningsOf(config)) log.warn(warning);
    await requireFreePorts(config);
  }
  if (config.workers > 1 && cluster.isPrimary) {
    if (config.databaseUrl) await migrateFirst(config, log);
    await runWorkers(config, log);
  } else await runServer(config, log);
}

/** Before there are workers: of several processes with one port only one can say what the start waits for. */
async function migrateFirst(config: Config, log: Logger): Promise<void> {
  const { prepareDatabase } = await import('./database/prepare-database.js');
  const starting = new StartingServer(config, log);
  const stop = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping: nothing was served yet');
    process.exit(0); // the end of its connection rolls a migration back
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  await prepareDatabase(config, log, { onSlow: starting.show });
  await starting.close();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, stop);
}

/**
 * The most of a start's time goes into loading what serves. It is loaded when there is something to serve: settings and databases that
 * cannot be used are told of before, and the process that only watches over workers holds none of it.
 */
async function runServer(config: Config, log: Logger): Promise<void> {
  const { openServiceDatabase } = await import('./server/service-database.js');
  const ending = new AbortController();
  const starting = new StartingServer(config, log);
  const onSlow = cluster.isPrimary ? starting.show : undefined;
  const opening = openServiceDatabase(config, log, { signal: ending.signal, onSlow });
  let stop: Stop = async (why, exitCode) => {
    log.info(why, 'stopping: nothing was served yet');
    log.level = 'silent'; // of what it cuts off
    setTimeout(() => process.exit(exitCode), stopMs);
    ending.abort();
    // Of a database elsewhere nothing is ours to end: with its connection a migration is undone.
    if (!config.databaseUrl) await (await opening.catch(() => undefined))?.release();
    process.exit(exitCode);
  };
  // Once, since npm passes on a Ctrl-C that the terminal has sent here, too.
  const stopOnce: Stop = async (why, exitCode) => {
    if (isStopping) return;
    isStopping = true;
    await stop(why, exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stopOnce({ signal }, 0));
  const database = await opening;
  try {
    const { serve } = await import('./server/serve.js');
    stop = await serve(config, database, log, () => starting.close());
  } catch (error) {
    await database.close(); // otherwise an embedded one would keep running, used by nobody
    throw error;
  }
  // After such a fault the state of this process cannot be trusted, so it ends. Unhandled rejections come here, too.
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ error, origin }, 'a fault that nothing caught');
    void stopOnce({ origin }, 1);
  });
}

/** One line for faults that the operator can correct; the whole error for all others. */
function reasonOf(error: NodeJS.ErrnoException & { port?: number }): string | Error {
  const { code = '', message, port, syscall = '' } = error;
  if (error instanceof AppError) return message;
  if (error instanceof ConfigError) return ['', ...error.faults].join('\n  ');
  if (code === 'EADDRINUSE') return `port ${port} is taken. Set PORT (or METRICS_PORT) to another.`;
  if (syscall === 'mkdir' || syscall === 'open') return `DATA_DIR cannot be used (${message}).`;
  return describeConnectionFault(error, 'DATABASE_URL') ?? error;
}

main().catch((error: Error) => {
  if (isStopping) return; // what is cut off fails
  console.error('Parcel Records cannot start:', reasonOf(error));
  process.exit(1);
});
