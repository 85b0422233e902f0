import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../core/config.js';
import type { LockWait } from '../database/migrating/lock-waits.js';

/** @throws Error with `EADDRINUSE`, or ConfigError if this machine has no such address */
export async function listen(server: Server, { port, host }: Pick<Config, 'port' | 'host'>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? error : new ConfigError([`HOST or PORT is wrong: ${error.message}`]));
    });
    server.listen({ port, host }, resolve);
  });
}

/** Notices a taken port before a database is created, started or migrated for nothing. */
export async function requireFreePorts({ port, host, metricsPort, metricsHost }: Config): Promise<void> {
  for (const place of [{ port, host }, ...(metricsPort === undefined ? [] : [{ port: metricsPort, host: metricsHost }])]) {
    const probe = createServer();
    await listen(probe, place);
    await once(probe.close(), 'close');
  }
}

/**
 * Answers on the service's port while a migration takes longer than a second. `/health` is 200, so that a supervisor lets it go on. The rest
 * is 503, and `/ready` says which sessions the start waits for.
 */
export class StartingServer {
  private opening: Promise<HttpServer | null> | null = null;
  private waitsFor: LockWait[] = [];

  constructor(
    private readonly place: Pick<Config, 'port' | 'host'>,
    private readonly log: Logger,
  ) {}

  readonly show = (waitsFor: LockWait[]): void => {
    this.waitsFor = waitsFor;
    this.opening ??= this.open();
  };

  /** Frees the port for the service. */
  async close(): Promise<void> {
    const server = await this.opening;
    if (!server) return;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  /** @returns null if the port is taken: the service itself fails by it later */
  private async open(): Promise<HttpServer | null> {
    const server = createHttpServer((request, response) => {
      const [status, body] = this.answerTo(request.url);
      response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', 'Retry-After': '2' });
      response.end(JSON.stringify(body));
    });
    return listen(server, this.place).then(
      () => {
        this.log.info({ port: this.place.port }, 'the start takes longer: /ready says what it waits for');
        return server;
      },
      () => null,
    );
  }

  private answerTo(path: string | undefined): [status: number, body: object] {
    if (path === '/health') return [200, { ok: true }];
    if (path === '/ready') return [503, { ok: false, waits_for: this.waitsFor }];
    return [503, { error: 'unavailable', message: 'The service is starting. Try again in a moment.' }];
  }
}
