import cluster from 'node:cluster';
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import { AggregatorRegistry, collectDefaultMetrics, Histogram, type Registry, register } from 'prom-client';
import type { Config } from '../core/config.js';

/** Time of each answer, by route pattern and status. Not by path: each id would be a series of its own. */
export const requestSeconds = new Histogram({
  name: 'http_request_seconds',
  help: 'Time from request to the last byte handed over, by method, route and status.',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

/**
 * Collects the metrics of this process; as a worker, when the process that serves them asks.
 * @param others registries besides that of this process
 */
export function collectMetrics(others: Registry[]): () => Promise<string> {
  const registries = [register, ...others];
  collectDefaultMetrics();
  AggregatorRegistry.setRegistries(registries);
  // Its constructor makes a worker listen for the question.
  if (cluster.isWorker) new AggregatorRegistry();
  return async () => (await Promise.all(registries.map((registry) => registry.metrics()))).join('\n');
}

/** `/metrics` for Prometheus, on a port of its own that is not open to customers; none without METRICS_PORT. */
export async function serveMetrics(
  { metricsPort: port, host }: Pick<Config, 'metricsPort' | 'host'>,
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
  log.info({ port }, 'metrics are served');
  return server;
}
