import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../core/config.js';
import { serveMetrics } from '../rest/metrics.js';
import { printAddresses } from './print-addresses.js';

// Before a worker that could not start is tried again: doubled each time, until one listens.
const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;

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
  let pauseMs = shortestPauseMs;
  let nextTry: NodeJS.Timeout | undefined;

  // One that has died may be listed for a moment longer.
  const living = () => Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker?.isDead() === false);
  const fork = () => {
    const worker = cluster.fork();
    // Without a listener this process would end, and all workers with it: for a machine that has no room for another process, or where a worker
    // dies in the moment in which its metrics are asked for.
    worker.on('error', (error) => {
      log.warn({ worker: worker.id, error }, 'a worker could not be started, or not be spoken to');
      if (worker.process.pid === undefined) replace(worker, { worker: worker.id }, 1);
    });
  };
  const startMissing = () => {
    nextTry = undefined;
    for (let count = living().length; count < config.workers; count++) fork();
  };
  const tryAgainLater = () => {
    if (nextTry) return; // which starts all that are missing
    nextTry = setTimeout(startMissing, pauseMs);
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  };
  const exitWhenAlone = () => {
    if (living().length > 0) return;
    metrics?.close();
    process.exit(exitCode);
  };
  const stop = (signal: NodeJS.Signals) => {
    isStopping = true;
    clearTimeout(nextTry);
    for (const worker of living()) worker.process.kill(signal);
    exitWhenAlone();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));

  cluster.on('listening', (worker, { port }) => {
    serving.add(worker);
    pauseMs = shortestPauseMs;
    log.info({ worker: worker.id, pid: worker.process.pid, port }, 'a worker is listening');
    if (hasServed || serving.size < config.workers) return;
    hasServed = true;
    printAddresses(config);
  });
  const replace = (worker: Worker, death: object, code: number) => {
    const hadStarted = serving.delete(worker);
    if (isStopping) {
      exitCode ||= code;
      exitWhenAlone();
    } else if (hadStarted) {
      log.error(death, 'a worker died; another one takes its place');
      fork();
    } else if (hasServed) {
      // What is in its way, such as a database that is away, may pass, and the others need not end for it.
      log.error(death, 'a worker could not start; it is tried again after a pause');
      tryAgainLater();
    } else {
      // It has said why. Another one would fail in the same way.
      exitCode = 1;
      stop('SIGTERM');
    }
  };
  cluster.on('exit', (worker, code, signal) => replace(worker, { worker: worker.id, pid: worker.process.pid, code, signal }, code));
  startMissing();
}
