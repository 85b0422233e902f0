import { type ErrorRequestHandler, type Request, type RequestHandler, raw } from 'express';
import type Stripe from 'stripe';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import { webhookEvents } from '../../core/metrics.js';
import { isLiveKey } from '../stripe/stripe-client.js';
import { badSignature, isThin, verifyEvent } from '../stripe/verify-event.js';
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
