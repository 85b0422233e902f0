import type { AuthCheckerFn } from 'type-graphql';
import type { Context, Principal } from '../context.js';
import { AppError } from '../errors.js';
import { rejected } from '../usage/rejection.js';

/** What a field may ask for: a bearer token, a session, or an operator's session. */
export type Role = 'token' | 'user' | 'admin';

/**
 * Behind `@Authorized(role)`. Says why not by throwing, since a bare "no" would lose the specification's words.
 * @throws AppError missing, invalid, unauthenticated or forbidden
 */
export const checkAuthorization: AuthCheckerFn<Context, Role> = ({ context: { principal } }, [role]) => {
  if (role === 'token') return requireToken(principal);
  if (principal.kind !== 'user') throw new AppError('unauthenticated', 'Sign in first.');
  if (role === 'admin' && principal.user.role !== 'admin') throw new AppError('forbidden', 'This is for operators only.');
  return true;
};

function requireToken(principal: Principal): boolean {
  if (principal.kind === 'token') return true;
  if (principal.kind === 'bad-token') throw rejected('invalid');
  throw new AppError('missing', 'Send an API token in the header: Authorization: Bearer <token>.');
}
