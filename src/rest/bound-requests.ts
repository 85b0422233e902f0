import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { addressOf } from '../core/client-address.js';
import { AppError } from '../core/errors.js';
import { bearerOf } from './request-context.js';
import { Share } from './share.js';
import { hasBody } from './slow-body.js';

/**
 * The requests of one connection: those under way, each with what ends it, and those that wait for these. There are as many places as may
 * be under way. A set makes its table anew every few requests, where it lives long among V8's old objects.
 */
interface Line {
  address: string;
  places: ((() => void) | null)[];
  waiting: (() => void)[];
}

const maxUnderWay = 8;
const maxWaiting = 100;
// Nobody tells when the work for a caller who has gone is over. Most takes milliseconds.
const workOfGoneMs = 5_000;
const unreadMs = 30_000;

/** Who a credential belongs to, as far as this server knows without a query. Nobody can make these up. */
export interface Proofs {
  accountOfToken(tokenHash: string): string | undefined;
  sessionOf(request: Request): string | undefined;
}

/**
 * Bounds the requests under way: of a connection, of an address, and in all. Node hands over all that callers send on a connection
 * without waiting for answers, hundreds of requests at once. Here all but the first few wait, and are forgotten when their caller goes.
 *
 * A request whose body is still coming counts in a share of its own, since its caller decides how long that takes. Where an address has no
 * room, the request's credential is looked at: proven ones have shares that strangers cannot fill. It is looked at only then, so that
 * it costs nothing otherwise.
 */
export class RequestBounds {
  private readonly lines = new WeakMap<Socket, Line>();
  private readonly connections = new Share(2_000, 10_000);
  private readonly requests = new Share(1_000, 4_000);
  private readonly bodies = new Share(100, 2_000);
  private readonly ofTokens = new Share(1_000, 4_000);
  private readonly ofSessions = new Share(100, 2_000);
  /** Of requests that began at once and come to `middleware` all the same, so that they do not begin again. */
  private readonly begun = new WeakSet<Request>();

  /** @param isProxied whether connections are those of a proxy, so that each request has an address of its own */
  constructor(
    private readonly isProxied: boolean,
    private readonly proofs: Proofs,
  ) {}

  /** Closes connections beyond the bounds, each of which takes a file descriptor. Those of a proxy are for the proxy to bound. */
  boundConnections(server: Server): void {
    if (this.isProxied) return;
    server.on('connection', (socket: Socket) => {
      const { address } = this.lineOf(socket);
      if (this.connections.hasRoomFor(address)) socket.once('close', this.connections.count(address));
      else socket.destroy();
    });
  }

  /** Begins a request if it need not wait, and would not be refused. Other ones are for `middleware`. */
  beginsAtOnce(request: Request, response: Response): boolean {
    const line = this.lineOf(request.socket);
    return !isFull(line) && this.begin(line, request, response);
  }

  /** To be told of a request that began at once, and goes to `middleware` all the same. */
  passOn(request: Request): void {
    this.begun.add(request);
  }

  readonly middleware: RequestHandler = (request, response, next) => {
    if (this.begun.has(request)) return next();
    const line = this.lineOf(request.socket);
    const begin = () => {
      const isCounted = this.begin(line, request, response);
      if (!isCounted) this.keepOnLine(line, response);
      next(isCounted || isProbe(request) ? undefined : tooMany());
    };
    if (!isFull(line)) begin();
    else if (line.waiting.length < maxWaiting) line.waiting.push(begin);
    else request.socket.destroy();
  };

  /** @returns false where too many are under way */
  private begin(line: Line, request: Request, response: Response): boolean {
    const address = this.isProxied ? addressOf(request) : line.address;
    const atEnd = this.requests.hasRoomFor(address) ? this.countByAddress(request, address) : null;
    const end = atEnd ?? this.countByCredential(request);
    if (!end) return false;
    this.keepOnLine(line, response, end);
    return true;
  }

  /** @returns what ends the count; null: nothing was counted */
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
    const account = bearer.kind === 'token' && this.proofs.accountOfToken(bearer.tokenHash);
    if (account && this.ofTokens.hasRoomFor(account)) return this.ofTokens.count(account);
    const session = this.proofs.sessionOf(request);
    return session && this.ofSessions.hasRoomFor(session) ? this.ofSessions.count(session) : null;
  }

  private keepOnLine(line: Line, response: Response, atEnd?: () => void): void {
    const place = line.places.indexOf(null);
    const end = () => {
      if (line.places[place] !== end) return;
      line.places[place] = null;
      atEnd?.();
      line.waiting.shift()?.();
    };
    line.places[place] = end;
    response.once('finish', end);
  }

  private lineOf(socket: Socket): Line {
    const known = this.lines.get(socket);
    if (known) return known;
    const places = new Array<null>(maxUnderWay).fill(null);
    const line: Line = { address: addressOf({ ip: socket.remoteAddress }), places, waiting: [] };
    this.lines.set(socket, line);
    socket.once('close', () => {
      line.waiting.length = 0;
      const endAll = () => {
        for (const end of line.places) end?.();
      };
      if (line.places.some((end) => end)) setTimeout(endAll, workOfGoneMs).unref();
    });
    return line;
  }
}

const isFull = ({ places }: Line): boolean => !places.includes(null);

/** Cuts connections whose caller does not take the answers. One that waits for us has nothing unread. */
export function cutUnread(server: Server, timeoutMs = unreadMs): void {
  server.setTimeout(timeoutMs, (socket) => {
    // Between requests Node sets `keepAliveTimeout` instead, and leaves it to who listens here to close what was idle for so long.
    const isIdle = socket.timeout !== timeoutMs;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
}

/** Balancers must hear that a busy server lives. */
const isProbe = ({ path }: Request): boolean => path === '/health' || path === '/ready';

const tooMany = () => new AppError('unavailable', 'Too many requests are under way. Try again in a moment.', { retryAfterSeconds: 1 });
