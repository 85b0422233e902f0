import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { addressOf } from '../../core/client-address.js';
import { AppError } from '../../core/errors.js';
import { bearerOf } from '../request-context.js';
import { Share } from './share.js';
import { hasBody } from './slow-body.js';

/**
 * The requests of one connection: those under way, each as the function that ends it, and those that wait. An array with a slot for each
 * request that may be under way, since V8 rebuilds the table of a long-lived set every few requests among its old objects.
 */
interface ConnectionQueue {
  address: string;
  slots: ((() => void) | null)[];
  waiting: (() => void)[];
}

const maxUnderWay = 8;
const maxWaiting = 100;
// When a caller has gone, nothing signals the end of its work. Most work takes milliseconds.
const workOfGoneMs = 5_000;
const unreadMs = 30_000;

/** The owners of credentials, if this server knows them without a query. A caller cannot forge one. */
export interface CredentialOwners {
  accountOfToken(tokenHash: string): string | undefined;
  sessionOf(request: Request): string | undefined;
}

/**
 * Limits the requests under way per connection, per address, and in total. Node hands over all requests that a caller pipelines, hundreds
 * at once. Here all but the first few wait, and are dropped when their caller goes.
 *
 * A request whose body is still arriving counts in a separate share, since its caller decides how long that takes. If an address has no
 * room, the request's credential is checked: known ones have shares that strangers cannot fill. It is checked only then, so that it
 * costs nothing otherwise.
 */
export class RequestBounds {
  private readonly queues = new WeakMap<Socket, ConnectionQueue>();
  private readonly connections = new Share(2_000, 10_000);
  private readonly requests = new Share(1_000, 4_000);
  private readonly bodies = new Share(100, 2_000);
  private readonly ofTokens = new Share(1_000, 4_000);
  private readonly ofSessions = new Share(100, 2_000);

  /** @param isProxied whether connections come from a proxy, so that each request has an address of its own */
  constructor(
    private readonly isProxied: boolean,
    private readonly owners: CredentialOwners,
  ) {}

  /** Closes connections beyond the limits, since each takes a file descriptor. Behind a proxy, the proxy limits them. */
  boundConnections(server: Server): void {
    if (this.isProxied) return;
    server.on('connection', (socket: Socket) => {
      const { address } = this.queueOf(socket);
      if (this.connections.hasRoomFor(address)) socket.once('close', this.connections.count(address));
      else socket.destroy();
    });
  }

  /** Begins a request at once, later, or never: if its connection or its caller is gone. */
  readonly begin: RequestHandler = (request, response, next) => {
    const queue = this.queueOf(request.socket);
    const begin = () => {
      const isCounted = this.count(queue, request, response);
      if (!isCounted) this.occupySlot(queue, response);
      next(isCounted || isProbe(request) ? undefined : tooMany());
    };
    if (!isFull(queue)) begin();
    else if (queue.waiting.length < maxWaiting) queue.waiting.push(begin);
    else request.socket.destroy();
  };

  /** @returns false if too many are under way */
  private count(queue: ConnectionQueue, request: Request, response: Response): boolean {
    const address = this.isProxied ? addressOf(request) : queue.address;
    const atEnd = this.requests.hasRoomFor(address) ? this.countByAddress(request, address) : null;
    const end = atEnd ?? this.countByCredential(request);
    if (!end) return false;
    this.occupySlot(queue, response, end);
    return true;
  }

  /** @returns a function that ends the count; null: not counted */
  private countByAddress(request: Request, address: string): (() => void) | null {
    if (!hasBody(request)) return this.requests.count(address);
    if (!this.bodies.hasRoomFor(address)) return null;
    let end: (() => void) | null = this.bodies.count(address);
    request.once('end', () => {
      if (!end) return;
      end();
      end = this.requests.count(address);
    });
    return () => {
      end?.();
      end = null;
    };
  }

  private countByCredential(request: Request): (() => void) | null {
    const bearer = bearerOf(request);
    const account = bearer.kind === 'token' && this.owners.accountOfToken(bearer.tokenHash);
    if (account && this.ofTokens.hasRoomFor(account)) return this.ofTokens.count(account);
    const session = this.owners.sessionOf(request);
    return session && this.ofSessions.hasRoomFor(session) ? this.ofSessions.count(session) : null;
  }

  private occupySlot(queue: ConnectionQueue, response: Response, atEnd?: () => void): void {
    const slot = queue.slots.indexOf(null);
    const end = () => {
      if (queue.slots[slot] !== end) return;
      queue.slots[slot] = null;
      atEnd?.();
      queue.waiting.shift()?.();
    };
    queue.slots[slot] = end;
    response.once('finish', end);
  }

  private queueOf(socket: Socket): ConnectionQueue {
    const known = this.queues.get(socket);
    if (known) return known;
    const slots = new Array<null>(maxUnderWay).fill(null);
    const queue: ConnectionQueue = { address: addressOf({ ip: socket.remoteAddress }), slots, waiting: [] };
    this.queues.set(socket, queue);
    socket.once('close', () => {
      queue.waiting.length = 0;
      const endAll = () => {
        for (const end of queue.slots) end?.();
      };
      if (queue.slots.some((end) => end)) setTimeout(endAll, workOfGoneMs).unref();
    });
    return queue;
  }
}

const isFull = ({ slots }: ConnectionQueue): boolean => !slots.includes(null);

/** Cuts connections whose caller does not read the responses. A caller that waits for us has nothing unread. */
export function closeUnreadConnections(server: Server, timeoutMs = unreadMs): void {
  server.setTimeout(timeoutMs, (socket) => {
    // Between requests Node sets `keepAliveTimeout` instead; with a listener here, it leaves closing idle connections to us.
    const isIdle = socket.timeout !== timeoutMs;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
}

/** Load balancers must see that a busy server is alive. */
const isProbe = ({ path }: Request): boolean => path === '/health' || path === '/ready';

const tooMany = () => new AppError('unavailable', 'Too many requests are under way. Try again in a moment.', { retryAfterSeconds: 1 });
