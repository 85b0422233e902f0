import { AppError } from '../errors.js';

/** Why a token is not served; the words are the specification's. */
export type Rejection = 'invalid' | 'revoked' | 'expired' | 'exhausted';

const sentences: Record<Rejection, string> = {
  invalid: 'This API token is not recognised. Check that it was copied whole.',
  revoked: 'This API token was revoked. Issue a new one in the console.',
  expired: 'This API token has expired. Issue a new one in the console.',
  exhausted: 'This API token has no credits left. Subscribe, or raise the overage cap, in the console.',
};

export const rejected = (reason: Rejection): AppError => new AppError(reason, sentences[reason]);
