import { AppError } from '../../core/errors.js';
import type { PlanName } from '../plans.js';

/** Why a token is not served; the words are the specification's. */
export type Rejection = 'invalid' | 'revoked' | 'expired' | 'exhausted';

const sentences: Record<Rejection, string> = {
  invalid: 'This API token is not recognised. Check that it was copied whole.',
  revoked: 'This API token was revoked. Issue a new one in the console.',
  expired: 'This API token has expired. Issue a new one in the console.',
  exhausted: 'This trial token has no credits left. Subscribe in the console to read on.',
};

// A plan that was bought here goes on at the price of overage, as specified, up to a cap of its customer's own. One that an operator made in
// Stripe without that price does not.
const atOwnCap =
  'This paid token has reached the overage cap that its own customer set for the period. Raise or lift the cap in the console.';
const withoutOverage = 'This paid token has no included records left in the period, and its subscription has no price for more.';

/** @param hasOverage whether its plan has a price for records beyond the included ones */
export const rejected = (reason: Rejection, plan?: PlanName, hasOverage = true): AppError =>
  new AppError(reason, reason === 'exhausted' && plan === 'paid' ? (hasOverage ? atOwnCap : withoutOverage) : sentences[reason]);
