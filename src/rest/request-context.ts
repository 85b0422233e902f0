import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { addressOf, isLocal } from '../core/client-address.js';
import type { Caller, Context, Principal } from '../core/context.js';
import { idempotencyKeyRule, idempotencyKeyText, invalidRequest } from '../core/parameters.js';
import { hashToken } from '../tokens/token-secret.js';

/**
 * Defined here, so that it is read before the contract. V8 keeps each name once, and a name first found in a text with wide characters
 * is wide. One wide name makes an answer's whole head a wide string, which Node must convert before writing.
 */
export const requestIdHeader = 'X-Request-Id';

/** Sets the request's id, which `X-Request-Id` and every error show, and notes when it came. */
export function assignRequestId(response: Response): void {
  response.locals = { requestId: newRequestId(), receivedMs: performance.now() };
}

/** A version 7 UUID. It begins with its time, so that the ledger finds a request without an index. */
export function newRequestId(): string {
  const timeMs = Date.now();
  if (timeMs !== head.timeMs) {
    const time = timeMs.toString(16).padStart(12, '0');
    head = { timeMs, text: `${time.slice(0, 8)}-${time.slice(8)}-7` };
  }
  return head.text + randomUUID().slice(15);
}

let head = { timeMs: 0, text: '' };

/** Sets the header on answers that `response.ts` does not write. */
export function setRequestIdHeader(_request: Request, response: Response, next: () => void): void {
  response.setHeader(requestIdHeader, requestIdOf(response));
  next();
}

export const requestIdOf = (response: Response): string => response.locals.requestId as string;

/** When the request came, by `performance.now()`. */
export const receivedMsOf = (response: Response): number => response.locals.receivedMs as number;

export const contextFor = (request: Request, response: Response, principal: Principal, log: Logger): Context =>
  new RequestContext(request, response, principal, log);

/**
 * A class, so that all requests share one hidden class. An object literal with a getter would get its own each time, which V8 keeps until
 * the next full garbage collection, together with the request and the response.
 */
class RequestContext implements Context {
  readonly requestId: string;
  idempotencyKey: string | null = null;
  prepareAnswer: Context['prepareAnswer'] = null;

  constructor(
    private readonly request: Request,
    private readonly response: Response,
    readonly principal: Principal,
    private readonly serverLog: Logger,
  ) {
    this.requestId = requestIdOf(response);
  }

  // Made on use: most requests log nothing.
  get log(): Logger {
    return this.serverLog.child({ requestId: this.requestId });
  }

  get ifNoneMatch(): string | null {
    return this.request.headers['if-none-match'] ?? null;
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  caller(): Caller {
    return { address: addressOf(this.request), isLocal: isLocal(this.request) };
  }

  earlierAnswersSent(): Promise<unknown> | null {
    // Node assigns the socket to a response when all earlier responses of the connection are sent.
    if (this.response.socket || this.isCallerGone()) return null;
    const waiting = waitingOn(this.request.socket);
    return new Promise<void>((resolve) => {
      const go = () => {
        waiting.delete(go);
        resolve();
      };
      waiting.add(go);
      this.response.once('socket', go);
    });
  }

  isCallerGone(): boolean {
    // When a caller ends its side, Node ends ours at once and destroys the connection a turn later. Data written in between is lost.
    return this.response.destroyed || !this.request.socket.writable;
  }
}

const waitings = new WeakMap<Socket, Set<() => void>>();

/**
 * The callbacks of requests that wait for their turn on a connection. They share one `close` listener; a promise of the close would keep
 * 600 bytes of each request until then.
 */
function waitingOn(socket: Socket): Set<() => void> {
  let waiting = waitings.get(socket);
  if (!waiting) {
    const own = new Set<() => void>();
    socket.once('close', () => {
      for (const go of own) go();
    });
    waitings.set(socket, own);
    waiting = own;
  }
  return waiting;
}

/** The token of the `Authorization` header. Checks only its form, not whether it is valid. */
export function bearerOf(request: Request): Principal {
  const header = request.headers.authorization?.trim();
  if (!header) return { kind: 'anonymous' };
  const tokenHash = hashToken(/^bearer +(\S+)$/i.exec(header)?.[1] ?? '');
  return tokenHash ? { kind: 'token', tokenHash } : { kind: 'bad-token' };
}

/** @throws AppError invalid_request */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && idempotencyKeyText.test(key)) return key;
  throw invalidRequest([{ parameter: 'Idempotency-Key', message: idempotencyKeyRule }]);
}
