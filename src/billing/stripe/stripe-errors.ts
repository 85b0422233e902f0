import Stripe from 'stripe';
import { AppError } from '../../core/errors.js';

/** What to write down of a failure, Stripe's or any. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether Stripe does not have what was asked for. */
export const isMissing = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';

/** With which HTTP status Stripe has answered; 0: it has not, and may have done what was asked. */
export const statusOf = (error: unknown): number => (error instanceof Stripe.errors.StripeError ? (error.statusCode ?? 0) : 0);

/** Whether Stripe has just too much to do. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && (error.statusCode === 429 || error.statusCode === 409);

const retryAfterSeconds = 5;

/**
 * What a person asks of Stripe now.
 * @throws AppError unavailable while Stripe fails, is busy or does not answer
 */
export async function orUnavailable<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    if (!isPassing(cause)) throw cause;
    throw new AppError('unavailable', 'The payment processor does not answer. Try again in a moment.', { cause, retryAfterSeconds });
  }
}

/** Whether the same may go well a little later. 409: a call under the same idempotency key is still under way. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && (isBusy(error) || error.statusCode === undefined || error.statusCode >= 500);
