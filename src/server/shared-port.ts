import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import { untilNoneWaits } from '../rest/connections/drain.js';

/**
 * The port of all workers. The primary process accepts the connections and hands each to a worker, because where workers listen themselves,
 * Node resets connections that it has accepted and not yet handed over when the last worker stops.
 *
 * A worker sends `serves`, then gets connections. It sends `leaves`, and gets connections until `left`: messages keep their order. The port
 * is open while a worker serves.
 */
export class SharedPort {
  private server: Server | null = null;
  /** With the connections that Node has not sent yet: it sends one after the other. */
  private readonly unsent = new Map<Worker, Set<Socket>>();

  constructor(
    private readonly config: Pick<Config, 'port' | 'host'>,
    private readonly log: Logger,
  ) {}

  /** @returns the port's number @throws if it cannot be opened */
  async add(worker: Worker): Promise<number> {
    this.unsent.set(worker, new Set());
    this.server ??= this.open();
    if (!this.server.listening) await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Before the last worker leaves, the port is closed. */
  async release(worker: Worker): Promise<void> {
    if (this.server && this.unsent.size === 1) await untilNoneWaits(this.server);
    // Node sends the connections before this message.
    worker.send('left', () => {});
    this.unsent.delete(worker);
    this.closeIfUnused();
  }

  /** Hands what a dead worker has not got to others. */
  remove(worker: Worker): void {
    const sockets = this.unsent.get(worker) ?? [];
    this.unsent.delete(worker);
    this.closeIfUnused();
    for (const socket of sockets) this.hand(socket);
  }

  private open(): Server {
    // Paused, since what this process reads would be lost. Without delay, as a server of HTTP sets it.
    const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.hand(socket));
    server.on('error', (error) => this.log.warn({ error }, 'a connection could not be accepted'));
    return server.listen({ port: this.config.port, host: this.config.host });
  }

  private closeIfUnused(): void {
    if (this.unsent.size > 0) return;
    this.server?.close();
    this.server = null;
  }

  /** To the worker with the fewest unsent connections; in turns, if several have as few. */
  private hand(socket: Socket): void {
    let [chosen, fewest]: [Worker | null, Set<Socket> | null] = [null, null];
    for (const [worker, sockets] of this.unsent) {
      if (worker.isConnected() && (!fewest || sockets.size < fewest.size)) [chosen, fewest] = [worker, sockets];
    }
    if (!chosen || !fewest) {
      socket.destroy();
      return;
    }
    const [worker, sockets] = [chosen, fewest];
    this.unsent.delete(worker);
    this.unsent.set(worker, sockets.add(socket));
    worker.process.send('connection', socket, {}, (error) => {
      sockets.delete(socket);
      if (error) socket.destroy();
    });
  }
}

/**
 * In a worker: serves the connections that the primary process hands over.
 * @returns a function that lets it hand over no more, and returns when all have ended
 */
export function serveSharedPort(server: HttpServer): () => Promise<void> {
  const sockets = new Set<Socket>();
  let hasLeft = () => {};
  const left = new Promise<void>((resolve) => (hasLeft = resolve));
  process.on('message', (message, socket?: Socket) => {
    if (message === 'left') hasLeft();
    if (message !== 'connection' || !socket) return; // its caller may be gone by now
    socket.allowHalfOpen = true; // as in a connection that a server of HTTP accepts itself
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    server.emit('connection', socket);
  });
  // Node lists a server's connections, and looks for slow headers, only from this event on.
  server.emit('listening');
  process.send!('serves');
  return async () => {
    process.send!('leaves');
    await left;
    await Promise.all([...sockets].map((socket) => once(socket, 'close')));
  };
}
