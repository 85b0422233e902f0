import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { addressOf } from '../client-address.js';
import type { Context, Principal } from '../context.js';
import { invalidRequest } from '../parameters.js';
import { hashToken } from '../tokens/token-secret.js';

/** Gives the request its id, which is in `X-Request-Id` and in every error. */
export function assignRequestId(_request: Request, response: Response, next: () => void): void {
  response.locals.requestId = newRequestId();
  next();
}

/** A version 7 UUID. It begins with its time: the ledger, which has no index by request, knows by it where to look. */
function newRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Sets the header for answers that are not written by `response.ts`, which sets it by itself. */
export function setRequestIdHeader(_request: Request, response: Response, next: () => void): void {
  response.setHeader('X-Request-Id', requestIdOf(response));
  next();
}

export const requestIdOf = (response: Response): string => response.locals.requestId as string;

export function contextFor(request: Request, response: Response, principal: Principal, log: Logger): Context {
  const requestId = requestIdOf(response);
  return {
    principal,
    requestId,
    // made when first used: most requests log nothing
    get log() {
      return log.child({ requestId });
    },
    idempotencyKey: null,
    ifNoneMatch: request.headers['if-none-match'] ?? null,
    isHead: request.method === 'HEAD',
    callerAddress: () => addressOf(request),
    isCallerGone: () => response.destroyed || request.socket.destroyed,
  };
}

/** The token of the `Authorization` header. Only its form is checked here, not whether it is valid. */
export function bearerOf(request: Request): Principal {
  const header = request.headers.authorization?.trim();
  if (!header) return { kind: 'anonymous' };
  const tokenHash = hashToken(/^bearer +(\S+)$/i.exec(header)?.[1] ?? '');
  return tokenHash ? { kind: 'token', tokenHash } : { kind: 'bad-token' };
}

/**
 * The key is stored in the ledger for good, so it must be short and printable.
 * @throws AppError invalid_request
 */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidRequest([{ parameter: 'Idempotency-Key', message: 'must be 1 to 255 printable characters without spaces' }]);
}
