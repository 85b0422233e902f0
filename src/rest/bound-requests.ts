import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { addressOf } from '../core/client-address.js';
import { AppError } from '../core/errors.js';

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
const maxOfAddress = 1_000;
const maxInAll = 4_000;
// Nobody tells when the work for a caller who has gone is over. Most takes milliseconds.
const workOfGoneMs = 5_000;
const unreadMs = 30_000;

/**
 * Bounds the requests under way: of a connection, of an address, and in all. Node hands over all that callers send on a connection
 * without waiting for answers, hundreds of requests at once. Here all but the first few wait, and are forgotten when their caller goes.
 */
export class RequestBounds {
  private readonly lines = new WeakMap<Socket, Line>();
  private readonly underWay = new CountByAddress();
  /** Of requests that began at once and come to `middleware` all the same, so that they do not begin again. */
  private readonly begun = new WeakSet<Request>();

  /** @param isProxied whether connections are those of a proxy, so that each request has an address of its own */
  constructor(private readonly isProxied: boolean) {}

  /** Begins a request if it need not wait, and would not be refused. Other ones are for `middleware`. */
  beginsAtOnce(request: Request, response: Response): boolean {
    const line = this.lineOf(request);
    return !isFull(line) && this.begin(line, request, response);
  }

  /** To be told of a request that began at once, and goes to `middleware` all the same. */
  passOn(request: Request): void {
    this.begun.add(request);
  }

  readonly middleware: RequestHandler = (request, response, next) => {
    if (this.begun.has(request)) return next();
    const line = this.lineOf(request);
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
    if (!this.underWay.add(address)) return false;
    this.keepOnLine(line, response, () => this.underWay.remove(address));
    return true;
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

  private lineOf(request: Request): Line {
    const known = this.lines.get(request.socket);
    if (known) return known;
    const places = new Array<null>(maxUnderWay).fill(null);
    const line: Line = { address: addressOf({ ip: request.socket.remoteAddress }), places, waiting: [] };
    this.lines.set(request.socket, line);
    request.socket.once('close', () => {
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

class CountByAddress {
  private readonly counts = new Map<string, number>();
  private sum = 0;

  /** @returns whether there was room for one more */
  add(address: string): boolean {
    const count = this.counts.get(address) ?? 0;
    if (count >= maxOfAddress || this.sum >= maxInAll) return false;
    this.counts.set(address, count + 1);
    this.sum++;
    return true;
  }

  remove(address: string): void {
    const left = this.counts.get(address)! - 1;
    if (left > 0) this.counts.set(address, left);
    else this.counts.delete(address);
    this.sum--;
  }
}

/** Balancers must hear that a busy server lives. */
const isProbe = ({ path }: Request): boolean => path === '/health' || path === '/ready';

const tooMany = () => new AppError('unavailable', 'Too many requests are under way. Try again in a moment.', { retryAfterSeconds: 1 });
