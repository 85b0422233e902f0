import Stripe from 'stripe';
import { AppError } from '../errors.js';

const toleranceSeconds = 300;

/**
 * The event of a delivery whose signature one of the secrets made, within 300 s of now either way.
 * @throws AppError bad_signature, or invalid_request when what was signed is no event
 */
export function verifyEvent(body: unknown, signature: string | undefined, secrets: string[]): Stripe.Event {
  if (!Buffer.isBuffer(body) || !signature) throw badSignature();
  // The SDK refuses the past only. A signature made for next year would be good until then.
  if (timestampSeconds(signature) > Date.now() / 1000 + toleranceSeconds) throw badSignature();
  for (const secret of secrets) {
    const event = openWith(secret, body, signature);
    if (event) return event;
  }
  throw badSignature();
}

function openWith(secret: string, body: Buffer, signature: string): Stripe.Event | null {
  try {
    return requireEvent(Stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds));
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return null;
    throw new AppError('invalid_request', 'The delivery is signed but holds no event.', { cause: error });
  }
}

function requireEvent(event: Stripe.Event): Stripe.Event {
  if (typeof event?.id !== 'string' || typeof event.type !== 'string') throw new TypeError('an event has an id and a type');
  return event;
}

/** The time that the SDK goes by: of several, the last. */
function timestampSeconds(signature: string): number {
  const times = signature
    .split(',')
    .map((part) => part.split('='))
    .filter(([key]) => key === 't');
  return Number.parseInt(times.at(-1)?.[1] ?? '', 10);
}

const badSignature = () => new AppError('bad_signature', 'The Stripe-Signature header is missing, too old, or not ours.');
