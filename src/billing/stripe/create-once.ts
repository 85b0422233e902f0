import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { isPassing } from './stripe-errors.js';

/** How to create one object in Stripe, whatever number of calls and servers ask for it. */
interface Creation<T> {
  /** The object, if it exists already. */
  find(): Promise<T | null>;
  /** The idempotency key to create it with; null if another call has created it since `find`. */
  begin(): Promise<string | null>;
  create(options: Stripe.RequestOptions): Promise<T>;
  /** The next call needs another key. */
  giveUp(idempotencyKey: string): Promise<void>;
}

const pauseMs = 300;
/** How often a call for a waiting customer is tried again. */
export const pausesOfCustomer = 2;

/**
 * The one rule for our calls that create something: the key stays the same until Stripe's answer is final. Before another key is used, we look
 * whether the call before has created the object: a 500 may follow a success.
 * @param pauses how often to try again soon; background work has its own schedule
 */
export async function createOnce<T>({ find, begin, create, giveUp }: Creation<T>, pauses: number): Promise<T> {
  for (let pause = 1; ; ) {
    const found = await find();
    if (found) return found;
    const idempotencyKey = await begin();
    if (!idempotencyKey) continue;
    try {
      return await create({ idempotencyKey, maxNetworkRetries: 0 });
    } catch (error) {
      if (isFinal(error)) await giveUp(idempotencyKey);
      if (isOfItsKey(error)) continue;
      if (pause > pauses || !isPassing(error)) throw error;
    }
    await sleep(pauseMs * 2 ** pause++ * (0.5 + Math.random()));
  }
}

/** Whether Stripe answers so to each further call with this key: it repeats its first answer, even a 500 or the 429 of a lock, for a day. */
const isFinal = (error: unknown): boolean => isRefusal(error) || isOfItsKey(error);

/** Whether a call with another key may be answered differently at once. */
const isOfItsKey = (error: unknown): boolean =>
  isPassing(error) ? error.headers?.['idempotent-replayed'] === 'true' : error instanceof Stripe.errors.StripeIdempotencyError;

/** Whether Stripe refused the call for good. 409: a call with this key is still running, maybe after a 504. */
export const isRefusal = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError && error.statusCode !== undefined && error.statusCode < 500 && !isPassing(error);
