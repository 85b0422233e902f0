import type { AuthCheckerFn } from 'type-graphql';
import { type Context, requireOperator, requireToken, requireUser } from '../context.js';
import { rejected } from '../usage/rejection.js';

/** What a field may ask for: a bearer token, a session, either of them, or an operator's session. */
export type Role = 'token' | 'user' | 'reader' | 'admin';

/**
 * Checks `@Authorized(role)`. A refusal is thrown rather than returned as false, so that the caller gets the error code of its reason.
 * @throws AppError missing, invalid, unauthenticated or forbidden
 */
export const checkAuthorization: AuthCheckerFn<Context, Role> = ({ context }, [role]) => {
  if (role === 'reader' && context.principal.kind === 'user') return true;
  if (role === 'token' || role === 'reader') {
    if (context.principal.kind === 'bad-token') throw rejected('invalid');
    requireToken(context);
  } else if (role === 'admin') requireOperator(context);
  else requireUser(context);
  return true;
};
