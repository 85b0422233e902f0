import type { Logger } from 'pino';

/** The person behind a session. Field names are GraphQL's; REST shows them in snake_case. */
export interface SessionUser {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
  role: 'user' | 'admin';
  createdAt: Date;
}

/** Who is asking. What a token may do is not known here: only spending it, or asking the database, tells. */
export type Principal =
  | { kind: 'anonymous' }
  | { kind: 'user'; user: SessionUser; sessionId: string }
  | { kind: 'token'; tokenHash: Buffer }
  | { kind: 'bad-token' };

/** What every resolver gets besides its arguments. One per request. */
export interface Context {
  principal: Principal;
  requestId: string;
  log: Logger;
  /** The caller's `Idempotency-Key`, if it sent one. */
  idempotencyKey: string | null;
  /** Whether the caller is still there to receive an answer. */
  isCallerGone(): boolean;
}
