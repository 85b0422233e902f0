import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { isPassing } from './stripe-errors.js';

/** How to create one object in Stripe, whatever number of calls and servers ask for it. */
interface Creation<T> {
  /** The object, if it exists already. */
  find(): Promise<T | null>;
  /** The idempotency key to create it with; null if another call has created it since `find`. */
  begin(): Promise<string | null>;
  create(idempotencyKey: string): Promise<T>;
  /** The call with this key has certainly failed. */
  fail(idempotencyKey: string): Promise<void>;
}

const maxRounds = 3;
const pauseMs = 300;

/**
 * After a certain failure, looks for the object (a 500 may follow a success) and creates it with a new key. After an unknown outcome the key
 * stays the same.
 */
export async function createOnce<T>({ find, begin, create, fail }: Creation<T>): Promise<T> {
  for (let round = 1; ; round++) {
    const found = await find();
    if (found) return found;
    const key = await begin();
    if (!key) continue;
    try {
      return await create(key);
    } catch (error) {
      if (isFinal(error)) await fail(key);
      if (round === maxRounds || !isWorthAnotherTry(error)) throw error;
    }
    await sleep(pauseMs * 2 ** round * (0.5 + Math.random()));
  }
}

/** Whether Stripe's answer is final. 409: a call with this key is still running. */
function isFinal(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.statusCode !== undefined && error.statusCode !== 409;
}

function isWorthAnotherTry(error: unknown): boolean {
  return isPassing(error) || error instanceof Stripe.errors.StripeIdempotencyError;
}
