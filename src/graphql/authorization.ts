import type { AuthCheckerFn } from 'type-graphql';
import { type Context, requireOperator, requireToken, requireUser } from '../core/context.js';
import { rejected } from '../ledger/rejection.js';

/** What a field may require: a bearer token, a session, either of them, or an operator's session. */
export type Caller = 'token' | 'user' | 'reader' | 'admin';

/**
 * Checks `@Authorized(caller)`. Throws a refusal instead of returning false, so that the caller gets its error code.
 * @throws AppError missing, invalid, unauthenticated or forbidden
 */
export const checkAuthorization: AuthCheckerFn<Context, Caller> = ({ context }, [caller]) => {
  if (caller === 'reader' && context.principal.kind === 'user') return true;
  if (caller === 'token' || caller === 'reader') {
    if (context.principal.kind === 'bad-token') throw rejected('invalid');
    requireToken(context);
  } else if (caller === 'admin') requireOperator(context);
  else requireUser(context);
  return true;
};
