import { type ErrorRequestHandler, type Request, type RequestHandler, raw } from 'express';
import Stripe from 'stripe';
import type { Config } from '../../core/config.js';
import { AppError, type ParameterFault } from '../../core/errors.js';
import { webhookEvents } from '../../core/metrics.js';
import { idempotencyKeyRule, idempotencyKeyText, invalidRequest, quoteValue } from '../../core/parameters.js';
import { isLiveKey } from '../stripe/stripe-client.js';
import type { EventInbox } from './event-inbox.js';

type WebhookConfig = Pick<Config, 'stripeWebhookSecrets' | 'stripeSecretKey'>;

/** `POST /api/stripe/webhook`. It answers 200 only after the event and all its effects are committed. */
export function webhookHandlers(config: WebhookConfig, inbox: EventInbox): (RequestHandler | ErrorRequestHandler)[] {
  const receive: RequestHandler = async (request, response) => {
    const event = eventOf(request, config);
    if (isThin(event)) webhookEvents.inc({ outcome: 'ignored' });
    else await inbox.receive(event, (request.body as Buffer).toString('utf8'));
    response.json({ received: true });
  };
  return [raw({ type: () => true, limit: '1mb' }), refuseUnreadBody, receive];
}

/** Stripe sends no event above the limit or encoded, so such a body is refused like any unsigned one. */
const refuseUnreadBody: ErrorRequestHandler = (error: { type?: string }, { headers }, _response, next) => {
  const isEncoded = headers['content-encoding'] !== undefined && error.type !== 'request.aborted';
  if (error.type !== 'entity.too.large' && !isEncoded) return next(error);
  webhookEvents.inc({ outcome: 'refused' });
  next(badSignature());
};

/** @throws AppError bad_signature; invalid_request for an event of another mode or account */
function eventOf(request: Request, config: WebhookConfig): Stripe.Event {
  try {
    const event = verifyEvent(request.body, request.get('stripe-signature'), config.stripeWebhookSecrets);
    refuseOtherMode(event, config.stripeSecretKey);
    return event;
  } catch (error) {
    webhookEvents.inc({ outcome: 'refused' });
    throw error;
  }
}

/** Events of the other mode (test or live) or of connected accounts are no payments to us. */
function refuseOtherMode(event: Stripe.Event, secretKey: string | undefined): void {
  const isOtherMode = secretKey !== undefined && typeof event.livemode === 'boolean' && event.livemode !== isLiveKey(secretKey);
  if (isOtherMode || event.account) throw new AppError('invalid_request', 'The event belongs to another mode or account.');
}

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
