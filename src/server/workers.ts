import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../core/config.js';
import { serveMetrics } from '../rest/metrics.js';
import { SharedPort } from './shared-port.js';

// The pause before a failed worker start is retried. It doubles each time until a worker listens.
const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Runs several server processes on one port (`WORKERS`): starts them, replaces dead ones, and forwards stop signals. Workers share state only
 * through the database, like servers on several machines.
 */
export async function runWorkers(config: Config, log: Logger): Promise<void> {
  const metrics = await serveMetrics(config, () => new AggregatorRegistry().clusterMetrics(), log);
  const port = new SharedPort(config, log);
  const serving = new Set<Worker>();
  let hasServed = false;
  let isStopping = false;
  let exitCode = 0;
  let pauseMs = shortestPauseMs;
  let nextTry: NodeJS.Timeout | undefined;

  // A dead worker may stay listed for a moment.
  const liveWorkers = () => Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker?.isDead() === false);
  const fork = () => {
    const worker = cluster.fork();
    // Without a listener this process, and all workers with it, would end if the machine cannot start another process, or if a worker dies
    // while its metrics are requested.
    worker.on('error', (error) => {
      log.warn({ worker: worker.id, error }, 'a worker could not be started or reached');
      if (worker.process.pid === undefined) replace(worker, { worker: worker.id }, 1);
    });
  };
  const startMissing = () => {
    nextTry = undefined;
    for (let count = liveWorkers().length; count < config.workers; count++) fork();
  };
  const tryAgainLater = () => {
    if (nextTry) return; // it starts all missing workers
    nextTry = setTimeout(startMissing, pauseMs);
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  };
  const exitWhenAlone = () => {
    if (liveWorkers().length > 0) return;
    metrics?.close();
    process.exit(exitCode);
  };
  const stop = (signal: NodeJS.Signals) => {
    isStopping = true;
    clearTimeout(nextTry);
    for (const worker of liveWorkers()) worker.process.kill(signal);
    exitWhenAlone();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));

  const addToPort = async (worker: Worker) => {
    const number = await port.add(worker);
    serving.add(worker);
    pauseMs = shortestPauseMs;
    log.info({ worker: worker.id, pid: worker.process.pid, port: number }, 'a worker is listening');
    if (hasServed || serving.size < config.workers) return;
    hasServed = true;
    printAddresses(config);
  };
  cluster.on('message', (worker, message) => {
    if (message === 'leaves') void port.release(worker);
    if (message !== 'serves') return;
    addToPort(worker).catch((error) => {
      log.fatal({ error }, 'the port cannot be opened');
      exitCode = 1;
      stop('SIGTERM');
    });
  });
  const replace = (worker: Worker, death: object, code: number) => {
    port.remove(worker);
    const hadStarted = serving.delete(worker);
    if (isStopping) {
      exitCode ||= code;
      exitWhenAlone();
    } else if (hadStarted) {
      log.error(death, 'a worker died; starting another');
      fork();
    } else if (hasServed) {
      // The cause, such as an unreachable database, may pass. The other workers keep running.
      log.error(death, 'a worker could not start; retrying after a pause');
      tryAgainLater();
    } else {
      // It has logged why. Another worker would fail in the same way.
      exitCode = 1;
      stop('SIGTERM');
    }
  };
  cluster.on('exit', (worker, code, signal) => replace(worker, { worker: worker.id, pid: worker.process.pid, code, signal }, code));
  startMissing();
}

// How long a stop may take after the drain notice. If the database hangs, requests and jobs do not end by themselves.
export const stopMs = 9_000;

/** Stops this process gracefully. */
export type Stop = (why: object, exitCode: number) => Promise<void>;

/** Prints the addresses of the service and first steps. */
export function printAddresses({ baseUrl, databaseUrl, dataDir }: Pick<Config, 'baseUrl' | 'databaseUrl' | 'dataDir'>): void {
  console.log(`
Parcel Records is up at ${baseUrl}

  look around       ${baseUrl}/          API reference: ${baseUrl}/docs
  get a token       ${baseUrl}/console   sign up, then "Get your trial token"
  read records      curl -H "Authorization: Bearer <token>" "${baseUrl}/api/parcels?limit=2"
  load a county     npm run cli -- load --county 25017 FILE
  become operator   npm run cli -- admin grant you@example.com   then ${baseUrl}/admin
${databaseUrl ? '' : `\nThe embedded database is in ${dataDir}.`}`);
}
