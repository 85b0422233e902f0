import { AppError } from '../core/errors.js';
import type { PlanName } from './plans.js';

/** Why a token is rejected, in the specification's words. */
export type Rejection = 'invalid' | 'revoked' | 'expired' | 'exhausted';

const sentences: Record<Rejection, string> = {
  invalid: 'This API token is not recognized. Check that you copied all of it.',
  revoked: 'This API token was revoked. Issue a new one in the console.',
  expired: 'This API token has expired. Issue a new one in the console.',
  exhausted: 'This trial token has no credits left. Get a token with credits in the console.',
};

// A paid plan goes on at the overage price up to the customer's own cap. A subscription that an operator made in Stripe without that price
// does not.
const atOwnCap =
  'This paid token has reached the overage cap that its own customer set for the period. Raise or lift the cap in the console.';
const withoutOverage = 'This paid token has no included records left in the period, and its subscription has no price for more.';

const atTokenCap = (records: number) =>
  `This token has reached its own cap of ${records} records for the period. Raise or lift it under Tokens in the console.`;

/**
 * @param hasOverage whether the plan has an overage price
 * @param tokenCap the token's own cap, if that is why it is exhausted
 */
export function rejected(reason: Rejection, plan?: PlanName, hasOverage = true, tokenCap: number | null = null): AppError {
  if (reason !== 'exhausted' || plan !== 'paid') return new AppError(reason, sentences[reason]);
  if (tokenCap !== null) return new AppError(reason, atTokenCap(tokenCap));
  return new AppError(reason, hasOverage ? atOwnCap : withoutOverage);
}
