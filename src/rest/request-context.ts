import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Context, Principal } from '../context.js';
import { invalidRequest } from '../parameters.js';
import { hashToken } from '../tokens/token-secret.js';

/** Gives the request its id, told in `X-Request-Id` and in every error. */
export function assignRequestId(_request: Request, response: Response, next: () => void): void {
  response.locals.requestId = randomUUID();
  next();
}

/** Tells the id, where somebody else than `response.ts` writes the answer. */
export function tellRequestId(_request: Request, response: Response, next: () => void): void {
  response.setHeader('X-Request-Id', requestIdOf(response));
  next();
}

export const requestIdOf = (response: Response): string => response.locals.requestId as string;

export function contextFor(request: Request, response: Response, principal: Principal, log: Logger): Context {
  const requestId = requestIdOf(response);
  return {
    principal,
    requestId,
    // made when there is something to say: most requests have nothing
    get log() {
      return log.child({ requestId });
    },
    idempotencyKey: null,
    ifNoneMatch: request.headers['if-none-match'] ?? null,
    isHead: request.method === 'HEAD',
    isCallerGone: () => response.destroyed || request.socket.destroyed,
  };
}

/** Whom the `Authorization` header names. That a token is well written says nothing yet about what it may do. */
export function bearerOf(request: Request): Principal {
  const header = request.headers.authorization?.trim();
  if (!header) return { kind: 'anonymous' };
  const tokenHash = hashToken(/^bearer +(\S+)$/i.exec(header)?.[1] ?? '');
  return tokenHash ? { kind: 'token', tokenHash } : { kind: 'bad-token' };
}

/**
 * A key lies in the ledger for good, so it is kept short and printable.
 * @throws AppError invalid_request
 */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalidRequest([{ parameter: 'Idempotency-Key', message: 'must be 1 to 255 printable characters without spaces' }]);
}
