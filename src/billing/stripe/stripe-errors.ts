import Stripe from 'stripe';
import { AppError } from '../../core/errors.js';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether Stripe does not know the object. */
export const isMissing = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';

/** Whether Stripe is too busy. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && (error.statusCode === 429 || error.statusCode === 409);

const comeBackAfterSeconds = 5;

/**
 * For calls on behalf of a waiting customer.
 * @throws AppError unavailable while Stripe fails, is busy or does not answer
 */
export async function orUnavailable<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    if (!isPassing(cause)) throw cause;
    throw new AppError('unavailable', 'Stripe does not answer. Try again in a moment.', {
      cause,
      retryAfterSeconds: comeBackAfterSeconds,
    });
  }
}

/** Whether a retry may succeed. 409: a call with the same idempotency key is still running. */
export const isPassing = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError && (isBusy(error) || error.statusCode === undefined || error.statusCode >= 500);

// Stripe finalizes a draft an hour after its period: a retry should still be in time.
const maxWaitSeconds = 300;
const maxBusyWaitSeconds = 15;

/** How long to wait after a failed call: random, so that calls which failed together spread out, and at least what Stripe asks for. */
export function waitSeconds(attempts: number, error: unknown): number {
  const bound = Math.min(isBusy(error) ? maxBusyWaitSeconds : maxWaitSeconds, 2 ** Math.min(attempts, 20));
  const asked = error instanceof Stripe.errors.StripeError ? Number(error.headers?.['retry-after']) : 0;
  return Math.max(Math.random() * bound, Number.isFinite(asked) ? Math.min(asked, maxWaitSeconds) : 0);
}
