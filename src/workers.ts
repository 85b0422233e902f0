import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from './config.js';
import { printAddresses } from './print-addresses.js';
import { serveMetrics } from './rest/metrics.js';

/**
 * Runs several server processes at one address (`WORKERS`): starts them, replaces one that dies, and passes a signal to stop on.
 * They know nothing of each other: like servers on several machines they meet in the database only.
 */
export async function runWorkers(config: Config, log: Logger): Promise<void> {
  const metrics = await serveMetrics(config, () => new AggregatorRegistry().clusterMetrics(), log);
  const serving = new Set<Worker>();
  let hasServed = false;
  let isStopping = false;
  let exitCode = 0;

  const stop = (signal: NodeJS.Signals) => {
    isStopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));

  cluster.on('listening', (worker, { port }) => {
    serving.add(worker);
    log.info({ worker: worker.id, pid: worker.process.pid, port }, 'a worker is listening');
    if (hasServed || serving.size < config.workers) return;
    hasServed = true;
    printAddresses(config);
  });
  cluster.on('exit', (worker, code, signal) => {
    const hadStarted = serving.delete(worker);
    if (isStopping) exitCode ||= code;
    else if (hadStarted) {
      log.error({ worker: worker.id, pid: worker.process.pid, code, signal }, 'a worker died; another one takes its place');
      cluster.fork();
    } else {
      // It has said why. Another one would fail in the same way.
      exitCode = 1;
      stop('SIGTERM');
    }
    if (Object.keys(cluster.workers ?? {}).length > 0) return;
    metrics?.close();
    process.exit(exitCode);
  });
  for (let started = 0; started < config.workers; started++) cluster.fork();
}
