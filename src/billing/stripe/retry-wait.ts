import Stripe from 'stripe';
import { isBusy } from './stripe-errors.js';

// A bill is closed an hour after its period: whatever is waited for must still be in time.
const maxWaitSeconds = 300;
const maxBusyWaitSeconds = 15;

/**
 * How long to wait after a failed call. Anything between nothing and a bound that doubles, so that calls which failed together do not
 * come again together; but at least as long as Stripe asks for.
 */
export function waitSeconds(attempts: number, error: unknown): number {
  const bound = Math.min(isBusy(error) ? maxBusyWaitSeconds : maxWaitSeconds, 2 ** Math.min(attempts, 20));
  return Math.max(Math.random() * bound, retryAfterSeconds(error));
}

function retryAfterSeconds(error: unknown): number {
  const asked = error instanceof Stripe.errors.StripeError ? Number(error.headers?.['retry-after']) : 0;
  return Number.isFinite(asked) ? Math.min(asked, maxWaitSeconds) : 0;
}
