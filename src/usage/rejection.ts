import { AppError } from '../errors.js';
import type { PlanName } from './plans.js';

/** Why a token is not served; the words are the specification's. */
export type Rejection = 'invalid' | 'revoked' | 'expired' | 'exhausted';

const sentences: Record<Rejection, string> = {
  invalid: 'This API token is not recognised. Check that it was copied whole.',
  revoked: 'This API token was revoked. Issue a new one in the console.',
  expired: 'This API token has expired. Issue a new one in the console.',
  exhausted: 'This trial token has no credits left. Subscribe in the console to read on.',
};

// Without a cap of its customer's own a paid token is never exhausted: the specification has it go on at the price of overage.
const atOwnCap =
  'This paid token has reached the overage cap that its own customer set for the period. Raise or lift the cap in the console.';

export const rejected = (reason: Rejection, plan?: PlanName): AppError =>
  new AppError(reason, reason === 'exhausted' && plan === 'paid' ? atOwnCap : sentences[reason]);
