import Stripe from 'stripe';
import { AppError, type ParameterFault } from '../../core/errors.js';
import { idempotencyKeyRule, idempotencyKeyText, invalidRequest, quoteValue } from '../../core/parameters.js';

const toleranceSeconds = 300;

/**
 * Returns the event of a delivery signed with one of the secrets, at most 300 s before or after now.
 * @throws AppError bad_signature, or invalid_request if the signed body is no event
 */
export function verifyEvent(body: unknown, signature: string | undefined, secrets: string[]): Stripe.Event {
  if (!Buffer.isBuffer(body) || !signature) throw badSignature();
  // The SDK refuses only old signatures. One with a future time, or none, would stay valid forever.
  const ageSeconds = Date.now() / 1000 - timestampSeconds(signature);
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) throw badSignature();
  if (!secrets.some((secret) => isSignedWith(secret, body, signature))) throw badSignature();
  return parseEvent(body);
}

function isSignedWith(secret: string, body: Buffer, signature: string): boolean {
  try {
    return Stripe.webhooks.signature!.verifyHeader(body, signature, secret, toleranceSeconds);
  } catch {
    // The SDK throws different errors for wrong signatures and malformed headers.
    return false;
  }
}

function parseEvent(body: Buffer): Stripe.Event {
  const event = parseObject(body);
  // A thin event names its object elsewhere; the webhook ignores them all.
  if (isThin(event)) return event as Stripe.Event;
  const faults = [
    ...faultOfName('id', event.id),
    ...faultOfName('type', event.type),
    ...(isTime(event.created ?? 0) ? [] : [fault('created', 'a time in seconds', event.created)]),
    // The handlers rely on every event having an object.
    ...(isObject(event.data?.object) ? [] : [fault('data.object', 'an object', event.data?.object)]),
  ];
  if (faults.length > 0) throw invalidRequest(faults);
  return event as Stripe.Event;
}

/** An event of Stripe's second API, which an event destination can be set to send. */
export const isThin = ({ object }: { object?: string }): boolean => object === 'v2.core.event';

// After an even number of backslashes (escaped backslashes) this begins an escape; after an odd number it does not.
const escapedNul = /(?<!\\)(?:\\\\)*\\u0000/;

function parseObject(body: Buffer): Partial<Stripe.Event> {
  const text = body.toString('utf8');
  // Postgres cannot store it as text.
  if (escapedNul.test(text)) throw new AppError('invalid_request', 'The delivery is signed but has a NUL character.');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new AppError('invalid_request', 'The delivery is signed but not valid JSON.', { cause });
  }
  if (!isObject(parsed)) throw new AppError('invalid_request', `The delivery is signed but not an object: ${quoteValue(parsed)}.`);
  return parsed;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

// Until the year 33658, which Postgres can store.
const isTime = (seconds: unknown): boolean => typeof seconds === 'number' && seconds >= 0 && seconds < 1e12;

const faultOfName = (parameter: string, value: unknown): ParameterFault[] =>
  typeof value === 'string' && idempotencyKeyText.test(value)
    ? []
    : [{ parameter, message: `${idempotencyKeyRule}, not ${quoteValue(value)}` }];

const fault = (parameter: string, kind: string, value: unknown): ParameterFault => ({
  parameter,
  message: `must be ${kind}, not ${quoteValue(value)}`,
});

/** The signature's time. Of several the last, like the SDK. */
function timestampSeconds(signature: string): number {
  const times = signature
    .split(',')
    .map((part) => part.split('='))
    .filter(([key]) => key === 't');
  return Number.parseInt(times.at(-1)?.[1] ?? '', 10);
}

export const badSignature = () => new AppError('bad_signature', 'The Stripe-Signature header is missing, too old, or not ours.');
