import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { addressOf } from '../core/client-address.js';
import type { Context, Principal } from '../core/context.js';
import { idempotencyKeyRule, idempotencyKeyText, invalidRequest } from '../core/parameters.js';
import { hashToken } from '../tokens/token-secret.js';

/**
 * Here, where it is read before the contract is: V8 keeps each name once, and of a text with wide characters takes wide names. One of
 * them in an answer's head makes all of it wide, to be made narrow again before it is written.
 */
export const requestIdHeader = 'X-Request-Id';

/** Gives the request its id, which is in `X-Request-Id` and in every error. */
export function assignRequestId(_request: Request, response: Response, next: () => void): void {
  response.locals = { requestId: newRequestId() };
  next();
}

/** A version 7 UUID. It begins with its time: the ledger, which has no index by request, knows by it where to look. */
export function newRequestId(): string {
  const timeMs = Date.now();
  if (timeMs !== head.timeMs) {
    const time = timeMs.toString(16).padStart(12, '0');
    head = { timeMs, text: `${time.slice(0, 8)}-${time.slice(8)}-7` };
  }
  return head.text + randomUUID().slice(15);
}

let head = { timeMs: 0, text: '' };

/** Sets the header for answers that are not written by `response.ts`, which sets it by itself. */
export function setRequestIdHeader(_request: Request, response: Response, next: () => void): void {
  response.setHeader(requestIdHeader, requestIdOf(response));
  next();
}

export const requestIdOf = (response: Response): string => response.locals.requestId as string;

export const contextFor = (request: Request, response: Response, principal: Principal, log: Logger): Context =>
  new RequestContext(request, response, principal, log);

/**
 * A class, so that all requests share one shape. As a literal with a getter each would have a shape of its own, which V8 keeps among
 * its old objects until the next full collection, together with the request and the response that the getter refers to.
 */
class RequestContext implements Context {
  readonly requestId: string;
  idempotencyKey: string | null = null;

  constructor(
    private readonly request: Request,
    private readonly response: Response,
    readonly principal: Principal,
    private readonly serverLog: Logger,
  ) {
    this.requestId = requestIdOf(response);
  }

  // made when it is used: most requests log nothing
  get log(): Logger {
    return this.serverLog.child({ requestId: this.requestId });
  }

  get ifNoneMatch(): string | null {
    return this.request.headers['if-none-match'] ?? null;
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  callerAddress(): string {
    return addressOf(this.request);
  }

  turn(): Promise<unknown> | null {
    // Node gives an answer the socket when the answers to earlier requests of the connection have gone out.
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
    // Node ends its side as soon as a caller ends his, and destroys the connection a turn later: what is written meanwhile goes nowhere.
    return this.response.destroyed || !this.request.socket.writable;
  }
}

const waitings = new WeakMap<Socket, Set<() => void>>();

/**
 * The requests that wait for their turn on a connection, each by what ends that when it closes: one listener, however many they are. Not a
 * promise of its end, which would keep 600 bytes of each until then.
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

/** The token of the `Authorization` header. Only its form is checked here, not whether it is valid. */
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
