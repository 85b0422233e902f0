import cluster from 'node:cluster';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { serviceGauges } from '../admin/dashboard/service-gauges.js';
import type { Config } from '../core/config.js';
import type { Database } from '../database/database.js';
import { warnIfTooFewConnections } from '../database/limits.js';
import { removeAbandoned } from '../loader/formats/archives/temporary-folder.js';
import { loadSampleCounty } from '../loader/sample-county.js';
import { closeDeadLoads } from '../releases/lifecycle/dead-loads.js';
import { closeUnreadConnections } from '../rest/connections/bound-requests.js';
import { drain } from '../rest/connections/drain.js';
import { expressClasses, httpServerOptions } from '../rest/connections/http-server.js';
import { collectMetrics, serveMetrics } from '../rest/metrics.js';
import { createApp } from './app.js';
import { listen } from './listen.js';
import { serveSharedPort } from './shared-port.js';
import { printAddresses, type Stop, stopMs } from './workers.js';

/**
 * Starts the HTTP server on an open database.
 * @param freePort called right before it listens
 * @returns a function that stops it
 */
export async function serve(config: Config, database: Database, log: Logger, freePort: () => Promise<void>): Promise<Stop> {
  for (const dead of await closeDeadLoads(database.controlPool)) log.warn(dead, 'a load died before it was published');
  await removeAbandoned();
  if (database.isEmbedded && config.nodeEnv !== 'production') await loadSampleCounty(database, log);
  // Once per machine: the other workers would log the same.
  if ((cluster.worker?.id ?? 1) === 1)
    await warnIfTooFewConnections(database.controlPool, config.workers * database.directConnections, log);
  const app = await createApp(config, database, log);
  const classes = expressClasses();
  // No `requestTimeout`: the limit on a body's time depends on the path, so `closeSlowBody` in the app applies it.
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: 5_000,
    requestTimeout: 0,
    connectionsCheckingInterval: 1_000,
    ...httpServerOptions,
    ...classes,
  });
  app.serve(server, classes);
  closeUnreadConnections(server);
  // Background work uses the database until the app is closed.
  const closeApp = async (error: unknown): Promise<never> => {
    await app.close();
    throw error;
  };
  const collect = config.metricsPort === undefined ? null : collectMetrics([serviceGauges(database.controlPool, config.dataDir)]);
  const metrics = collect && cluster.isPrimary ? await serveMetrics(config, collect, log).catch(closeApp) : null;
  await freePort();
  const close = cluster.isWorker ? serveSharedPort(server) : undefined;
  if (cluster.isPrimary) {
    await listen(server, config).catch(closeApp);
    log.info({ port: (server.address() as AddressInfo).port, baseUrl: config.baseUrl }, 'listening');
    printAddresses(config);
  }
  return async (why, exitCode) => {
    log.info(why, 'stopping: finishing open requests and jobs');
    app.drain();
    const noticeMs = config.drainNoticeSeconds * 1000;
    setTimeout(() => {
      log.warn('stopped without waiting longer for open requests and jobs');
      void database.release().then(() => process.exit(exitCode));
    }, noticeMs + stopMs);
    await drain(server, noticeMs, close);
    await app.close().catch((error) => log.warn({ error }, 'the app did not close cleanly'));
    metrics?.close();
    await database.close();
    log.info('stopped');
    process.exit(exitCode);
  };
}
