import type { Logger } from 'pino';
import { AppError } from './errors.js';

/** The person behind a session. Field names are GraphQL's; REST shows them in snake_case. */
export interface SessionUser {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
  role: 'user' | 'admin';
  createdAt: Date;
}

/** Who sent the request. Whether a token is still valid only the database knows, so `token` says no more than that its form is right. */
export type Principal =
  | { kind: 'anonymous' }
  | { kind: 'user'; user: SessionUser; sessionId: string }
  | { kind: 'token'; tokenHash: string }
  | { kind: 'bad-token' };

/** What every resolver gets besides its arguments. One per request. */
export interface Context {
  principal: Principal;
  requestId: string;
  readonly log: Logger;
  /** The caller's `Idempotency-Key`, if it sent one. */
  idempotencyKey: string | null;
  /** The caller's `If-None-Match`, if it sent one. */
  readonly ifNoneMatch: string | null;
  /** Whether it is a HEAD request: no records are returned, so none are spent. */
  readonly isHead: boolean;
  /** Where the caller is, as limits count it. */
  callerAddress(): string;
  /** Resolves when no other answer stands before this one on its connection, or the connection is closed; null: that is so now. */
  turn(): Promise<unknown> | null;
  /** Whether the connection is closed, so that nobody would receive an answer. */
  isCallerGone(): boolean;
}

/**
 * The hash of the token that was sent, in base64. Where a field is `@Authorized('token')` there is one.
 * @throws AppError missing
 */
export function requireToken({ principal }: Context): string {
  if (principal.kind !== 'token') throw new AppError('missing', 'Send an API token in the header: Authorization: Bearer <token>.');
  return principal.tokenHash;
}

/**
 * The person who is signed in, and by which session. Where a field is `@Authorized('user')` there is one.
 * @throws AppError unauthenticated
 */
export function requireSession({ principal }: Context): Extract<Principal, { kind: 'user' }> {
  if (principal.kind !== 'user') throw new AppError('unauthenticated', 'Sign in first.');
  return principal;
}

/** @throws AppError unauthenticated */
export const requireUser = (context: Context): SessionUser => requireSession(context).user;

/** @throws AppError unauthenticated or forbidden */
export function requireOperator(context: Context): SessionUser {
  const user = requireUser(context);
  if (user.role !== 'admin') throw new AppError('forbidden', 'This is for operators only.');
  return user;
}
