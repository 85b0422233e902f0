import cluster from 'node:cluster';
import { createServer, type Server } from 'node:http';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { AggregatorRegistry, collectDefaultMetrics, Histogram, type Registry, register } from 'prom-client';
import type { Config } from '../core/config.js';
import { named } from '../core/metrics.js';

/** Response time by route pattern and status. Not by path: each id would be a series of its own. */
const requestSeconds = new Histogram({
  name: named('http_request_seconds'),
  help: 'Time from request to the last byte handed over, by method, route and status.',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

/** Measures the time of an answer. */
export function recordRequestTime(request: Request, response: Response): void {
  const stop = requestSeconds.startTimer({ method: request.method });
  response.on('close', () => {
    const pattern: unknown = response.locals.route ?? request.route?.path;
    const route = typeof pattern === 'string' ? (request.baseUrl ?? '') + pattern : 'other';
    // Only what the error handler broke off failed by us: other callers left.
    stop({ route, status: response.writableFinished ? String(response.statusCode) : response.locals.isCut ? 'cut' : 'gone' });
  });
}

/**
 * Collects the metrics of this process; in a worker, on request of the process that serves them.
 * @param others registries in addition to this process's own
 */
export function collectMetrics(others: Registry[]): () => Promise<string> {
  const registries = [register, ...others];
  collectDefaultMetrics();
  // Gauges with the ending of counters.
  for (const kind of ['handles', 'requests', 'resources']) register.removeSingleMetric(`nodejs_active_${kind}_total`);
  AggregatorRegistry.setRegistries(registries);
  // Its constructor makes a worker listen for the request.
  if (cluster.isWorker) new AggregatorRegistry();
  return async () => (await Promise.all(registries.map((registry) => registry.metrics()))).join('\n');
}

/** Serves `/metrics` for Prometheus on a separate port that customers cannot reach. Without METRICS_PORT there is none. */
export async function serveMetrics(
  { metricsPort: port, metricsHost: host }: Pick<Config, 'metricsPort' | 'metricsHost'>,
  collect: () => Promise<string>,
  log: Logger,
): Promise<Server | null> {
  if (port === undefined) return null;
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    const metrics = await collect().catch((error) => log.warn({ error }, 'metrics could not be collected'));
    response.writeHead(metrics ? 200 : 500, { 'Content-Type': register.contentType }).end(metrics || '');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ port, host }, resolve));
  log.info({ host, port }, 'metrics are served');
  return server;
}
