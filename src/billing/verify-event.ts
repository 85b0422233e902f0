import Stripe from 'stripe';
import { AppError } from '../errors.js';

const toleranceSeconds = 300;

/**
 * The event of a delivery that is signed with one of the secrets, at most 300 s before or after now.
 * @throws AppError bad_signature, or invalid_request when what was signed is no event
 */
export function verifyEvent(body: unknown, signature: string | undefined, secrets: string[]): Stripe.Event {
  if (!Buffer.isBuffer(body) || !signature) throw badSignature();
  // The SDK refuses old signatures only. One with a time in the future, or with none, could be used for ever.
  const ageSeconds = Date.now() / 1000 - timestampSeconds(signature);
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) throw badSignature();
  if (!secrets.some((secret) => isSignedWith(secret, body, signature))) throw badSignature();
  return parseEvent(body);
}

function isSignedWith(secret: string, body: Buffer, signature: string): boolean {
  try {
    return Stripe.webhooks.signature!.verifyHeader(body, signature, secret, toleranceSeconds);
  } catch {
    // The SDK throws one kind of error for a wrong signature, and others for a header that is none.
    return false;
  }
}

function parseEvent(body: Buffer): Stripe.Event {
  try {
    const event = JSON.parse(body.toString('utf8')) as Stripe.Event | null;
    if (typeof event?.id === 'string' && typeof event.type === 'string') return event;
  } catch {}
  throw new AppError('invalid_request', 'The delivery is signed but holds no event.');
}

/** The time of the signature. Of several times the last, which is the one that the SDK uses. */
function timestampSeconds(signature: string): number {
  const times = signature
    .split(',')
    .map((part) => part.split('='))
    .filter(([key]) => key === 't');
  return Number.parseInt(times.at(-1)?.[1] ?? '', 10);
}

export const badSignature = () => new AppError('bad_signature', 'The Stripe-Signature header is missing, too old, or not ours.');
