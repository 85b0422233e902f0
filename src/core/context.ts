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

/** Who sent the request. `token` means that the token is well-formed; only the database knows if it is valid. */
export type Principal =
  | { kind: 'anonymous' }
  | { kind: 'user'; user: SessionUser; sessionId: string }
  | { kind: 'token'; tokenHash: string }
  | { kind: 'bad-token' };

/** Where a request comes from. */
export interface Caller {
  /** The client address as limits count it. */
  address: string;
  /** Whether it is this machine, which is no network: no limit of an address stops it. */
  isLocal: boolean;
}

/** The context of a request, which every resolver gets besides its arguments. */
export interface Context {
  principal: Principal;
  requestId: string;
  readonly log: Logger;
  /** The request's `Idempotency-Key`, or null. */
  idempotencyKey: string | null;
  /** The request's `If-None-Match`, or null. */
  readonly ifNoneMatch: string | null;
  /** Whether it is a HEAD request, which returns and spends no records. */
  readonly isHead: boolean;
  /** The network that limits count. */
  caller(): Caller;
  /** Does what takes time for an answer with this value, such as compressing it, before its charge is final. */
  prepareAnswer: ((value: unknown) => Promise<unknown> | null) | null;
  /** Resolves when all earlier answers on the connection are sent, or it is closed. Null: that is already so. */
  earlierAnswersSent(): Promise<unknown> | null;
  /** Whether the connection is closed, so that nobody can receive the answer. */
  isCallerGone(): boolean;
}

/**
 * The hash of the request's token, in base64. A field with `@Authorized('token')` always has one.
 * @throws AppError missing
 */
export function requireToken({ principal }: Context): string {
  if (principal.kind !== 'token') throw new AppError('missing', 'Send an API token in the header: Authorization: Bearer <token>.');
  return principal.tokenHash;
}

/**
 * The signed-in person and their session. A field with `@Authorized('user')` always has one.
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
