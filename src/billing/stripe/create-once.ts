import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { isPassing } from './stripe-errors.js';

/** How one object in Stripe is made, however often and on how many servers that is asked for. */
interface Making<T> {
  /** The object, if it is there already. */
  find(): Promise<T | null>;
  /** The idempotency key to make it under; null if somebody else has made it since `find`. */
  begin(): Promise<string | null>;
  create(idempotencyKey: string): Promise<T>;
  /** The call under this key failed for certain. */
  fail(idempotencyKey: string): Promise<void>;
}

const maxRounds = 3;
const pauseMs = 300;

/**
 * After a failure for certain the object is looked for (a 500 may come after the deed) and made under another key; after one of which
 * nobody knows, under the same.
 */
export async function createOnce<T>({ find, begin, create, fail }: Making<T>): Promise<T> {
  for (let round = 1; ; round++) {
    const found = await find();
    if (found) return found;
    const key = await begin();
    if (!key) continue;
    try {
      return await create(key);
    } catch (error) {
      if (hasPaidPeriod(error)) await fail(key);
      if (round === maxRounds || !isWorthAnotherTry(error)) throw error;
    }
    await sleep(pauseMs * 2 ** round * (0.5 + Math.random()));
  }
}

/** Whether Stripe has answered for good. 409 says that a call under this key is still under way. */
function hasPaidPeriod(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.statusCode !== undefined && error.statusCode !== 409;
}

function isWorthAnotherTry(error: unknown): boolean {
  return isPassing(error) || error instanceof Stripe.errors.StripeIdempotencyError;
}
