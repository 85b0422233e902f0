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
  if (!secrets.some((secret) => isSignedWith(secret, body, signature))) throw badSignature();
  return parseEvent(body);
}

function isSignedWith(secret: string, body: Buffer, signature: string): boolean {
  try {
    return Stripe.webhooks.signature!.verifyHeader(body, signature, secret, toleranceSeconds);
  } catch {
    // The SDK has one kind of error for a wrong signature, and others for one that isn't even a signature.
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

/** The time that the SDK goes by: of several, the last. */
function timestampSeconds(signature: string): number {
  const times = signature
    .split(',')
    .map((part) => part.split('='))
    .filter(([key]) => key === 't');
  return Number.parseInt(times.at(-1)?.[1] ?? '', 10);
}

const badSignature = () => new AppError('bad_signature', 'The Stripe-Signature header is missing, too old, or not ours.');
