import Stripe from 'stripe';

/** Whether Stripe does not have what was asked for. */
export const isMissing = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';

/** Whether Stripe refused for certain. After a broken connection or a 5xx it may have done what was asked. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.statusCode !== undefined && error.statusCode < 500;

/** Whether Stripe has just too much to do. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && (error.statusCode === 429 || error.statusCode === 409);

/** Stripe refuses an identifier of an event that it has: proof that an attempt before arrived. It does not always send the code. */
export const isDuplicateEvent = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  (error.code === 'duplicate_meter_event' || /already exists with identifier/i.test(error.message));
