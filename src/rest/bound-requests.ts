import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { addressOf } from '../client-address.js';
import { AppError } from '../errors.js';

/** The requests of one connection: those under way, each with what ends it, and those that wait for these. */
interface Line {
  address: string;
  underWay: Set<() => void>;
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
  /** Of requests that began at once, so that they do not begin again. */
  private readonly begun = new WeakSet<Request>();

  /** @param isProxied whether connections are those of a proxy, so that each request has an address of its own */
  constructor(private readonly isProxied: boolean) {}

  /** Begins a request if it need not wait, and would not be refused. Other ones are for `middleware`. */
  beginsAtOnce(request: Request, response: Response): boolean {
    const line = this.lineOf(request);
    if (line.underWay.size >= maxUnderWay || !this.begin(line, request, response)) return false;
    this.begun.add(request);
    return true;
  }

  readonly middleware: RequestHandler = (request, response, next) => {
    if (this.begun.has(request)) return next();
    const line = this.lineOf(request);
    const begin = () => {
      const isCounted = this.begin(line, request, response);
      if (!isCounted) this.keepOnLine(line, response);
      next(isCounted || isProbe(request) ? undefined : tooMany());
    };
    if (line.underWay.size < maxUnderWay) begin();
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
    const end = () => {
      if (!line.underWay.delete(end)) return;
      atEnd?.();
      line.waiting.shift()?.();
    };
    line.underWay.add(end);
    response.once('finish', end);
  }

  private lineOf(request: Request): Line {
    const known = this.lines.get(request.socket);
    if (known) return known;
    const line: Line = { address: addressOf({ ip: request.socket.remoteAddress }), underWay: new Set(), waiting: [] };
    this.lines.set(request.socket, line);
    request.socket.once('close', () => {
      line.waiting.length = 0;
      const endAll = () => {
        for (const end of line.underWay) end();
      };
      if (line.underWay.size > 0) setTimeout(endAll, workOfGoneMs).unref();
    });
    return line;
  }
}

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
