import 'reflect-metadata';
import cluster from 'node:cluster';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { serviceGauges } from './admin/service-gauges.js';
import { createApp, serverConnections } from './app.js';
import { type Config, ConfigError, readConfig } from './config.js';
import type { Database } from './database/database.js';
import { warnOfFewConnections } from './database/few-connections.js';
import { AppError, textOf } from './errors.js';
import { closeDeadLoads } from './loader/release/dead-loads.js';
import { loadSampleCounty } from './loader/sample-county.js';
import { removeAbandoned } from './loader/sources/temporary-folder.js';
import { createLog } from './log.js';
import { printAddresses } from './print-addresses.js';
import { cutUnread } from './rest/bound-requests.js';
import { drain } from './rest/drain.js';
import { expressPrototypes } from './rest/express-prototypes.js';
import { ownAnswers } from './rest/http-server.js';
import { collectMetrics, serveMetrics } from './rest/metrics.js';
import { openServiceDatabase } from './service-database.js';
import { runWorkers } from './workers.js';

// How long stopping may take after the notice. While the database hangs, requests and jobs do not end by themselves.
const stopMs = 9_000;

/** Ends this process in good order. */
type Stop = (why: object, exitCode: number) => Promise<void>;

let isStopping = false;

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog(config);
  if (config.workers > 1 && cluster.isPrimary) await runWorkers(config, log);
  else await runServer(config, log);
}

async function runServer(config: Config, log: Logger): Promise<void> {
  const ending = new AbortController();
  const opening = openServiceDatabase(config, log, { signal: ending.signal });
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
    stop = await serve(config, database, log);
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

/** @returns what ends it */
async function serve(config: Config, database: Database, log: Logger): Promise<Stop> {
  for (const dead of await closeDeadLoads(database.controlPool)) log.warn(dead, 'a load had died; nothing of it was published');
  await removeAbandoned();
  if (database.isEmbedded && config.nodeEnv !== 'production') await loadSampleCounty(database, log);
  // Once a machine: the workers after the first would say the same.
  if ((cluster.worker?.id ?? 1) === 1) await warnOfFewConnections(database.controlPool, config.workers * serverConnections, log);
  const app = await createApp(config, database, log);
  // How long a body may take depends on the path, so `cutSlowBodies` in the app limits it.
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: 5_000,
    requestTimeout: 0,
    connectionsCheckingInterval: 1_000,
    ...ownAnswers,
    ...expressPrototypes(app.express),
  });
  app.serve(server);
  cutUnread(server);
  // What works in the background uses the database until the app is closed.
  const closeApp = async (error: unknown): Promise<never> => {
    await app.close();
    throw error;
  };
  const collect = config.metricsPort === undefined ? null : collectMetrics([serviceGauges(database.controlPool)]);
  const metrics = collect && cluster.isPrimary ? await serveMetrics(config, collect, log).catch(closeApp) : null;
  await listen(server, config).catch(closeApp);

  log.info({ port: (server.address() as AddressInfo).port, baseUrl: config.baseUrl }, 'listening');
  if (cluster.isPrimary) printAddresses(config);
  return async (why, exitCode) => {
    log.info(why, 'stopping: finishing what is under way');
    app.drain();
    const noticeMs = config.drainNoticeSeconds * 1000;
    setTimeout(() => {
      log.warn('stopped without waiting any longer for what does not end');
      void database.release().then(() => process.exit(exitCode));
    }, noticeMs + stopMs);
    await drain(server, noticeMs);
    await app.close().catch((error) => log.warn({ error }, 'not everything ended in good order'));
    metrics?.close();
    await database.close();
    log.info('stopped');
    process.exit(exitCode);
  };
}

async function listen(server: Server, config: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? error : new ConfigError([`HOST and PORT name no place to listen at: ${error.message}`]));
    });
    server.listen({ port: config.port, host: config.host }, resolve);
  });
}

/** One line for faults that whoever starts the service can correct; the whole error for all others. */
function reasonOf(error: NodeJS.ErrnoException & { port?: number }): string | Error {
  const { code = '', message, port, syscall = '' } = error;
  if (error instanceof AppError) return message;
  if (error instanceof ConfigError) return ['', ...error.faults].join('\n  ');
  if (code === 'EADDRINUSE') return `port ${port} is taken. Set PORT (or METRICS_PORT) to another.`;
  if (syscall === 'mkdir' || syscall === 'open') return `DATA_DIR cannot be used (${message}).`;
  // 28: no such role, or its password; 3D000: no such database; 42501: the role may not; 53300: all connections are taken
  if (/^(28|3D000|42501|53300)/.test(code) || message.endsWith('support SSL connections'))
    return `the database of DATABASE_URL refuses it (${message}).`;
  if (message.startsWith('unrecognized configuration parameter'))
    return `the database takes no such session (${message}): it must be Postgres 14 or newer, and know what ?options= of DATABASE_URL asks for.`;
  if (/CERT/.test(code)) {
    return `the certificate of the database is not trusted (${message}). Name its authority by NODE_EXTRA_CA_CERTS, or ?sslmode=no-verify.`;
  }
  // 57P: it is just starting, or stopping; the messages: what listens there has said nothing, or has hung up
  const isAway = syscall === 'connect' || /^(ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|57P)/.test(code);
  if (isAway || /^(timeout expired|Connection terminated)/.test(message)) return `the database cannot be reached (${textOf(error)}).`;
  return error;
}

main().catch((error: Error) => {
  if (isStopping) return; // what is cut off fails
  console.error('Parcel Records cannot start:', reasonOf(error));
  process.exit(1);
});
