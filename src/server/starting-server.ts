import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import type { LockWait } from '../database/migrating/lock-waits.js';

/**
 * Answers on the service's port while a migration takes longer than a second. `/health` is 200, so that a supervisor lets it go on. The rest
 * is 503, and `/ready` says which sessions the start waits for.
 */
export class StartingServer {
  private opening: Promise<Server | null> | null = null;
  private waitsFor: LockWait[] = [];

  constructor(
    private readonly config: Pick<Config, 'port' | 'host'>,
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
  private async open(): Promise<Server | null> {
    const server = createServer((request, response) => {
      const [status, body] = this.answerTo(request.url);
      response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', 'Retry-After': '2' });
      response.end(JSON.stringify(body));
    });
    const { port, host } = this.config;
    const isOpen = once(server.listen({ port, host, exclusive: true }), 'listening');
    return isOpen.then(
      () => {
        this.log.info({ port }, 'the start takes longer: /ready says what it waits for');
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
