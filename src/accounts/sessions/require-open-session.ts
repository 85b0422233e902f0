import type { EntityManager } from 'typeorm';
import { type Context, requireSession } from '../../core/context.js';
import { AppError } from '../../core/errors.js';

/**
 * Checks again, in the transaction that issues a token, that the caller is signed in. Since the request came, a password reset may have ended
 * the session and revoked all tokens.
 * @throws AppError unauthenticated
 */
export async function requireOpenSession(manager: EntityManager, context: Context): Promise<void> {
  const { user, sessionId } = requireSession(context);
  const [{ held }] = await manager.query<[{ held: boolean }]>('select auth.hold_session($1, $2) as held', [user.id, sessionId]);
  if (!held) throw new AppError('unauthenticated', 'Sign in first.');
}
