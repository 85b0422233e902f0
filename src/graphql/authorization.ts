import type { AuthCheckerFn } from 'type-graphql';
import { type Context, requireOperator, requireToken, requireUser } from '../core/context.js';
import { rejected } from '../ledger/spending/rejection.js';

/** What a field may ask for: a bearer token, a session, either of them, or an operator's session. */
export type Caller = 'token' | 'user' | 'reader' | 'admin';

/**
 * Checks `@Authorized(caller)`. A refusal is thrown rather than returned as false, so that the caller gets the error code of its reason.
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
