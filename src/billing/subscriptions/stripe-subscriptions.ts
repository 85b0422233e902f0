import type Stripe from 'stripe';
import { orMissing } from '../stripe/stripe-client.js';
import { readSubscription } from './subscription-reading.js';
import { hasEnded } from './subscription-status.js';

/** The subscriptions of ours that a customer has in Stripe and that may still charge, also those of which no event has come. */
export async function unendedAtStripe(stripe: Stripe, stripeCustomerId: string): Promise<string[]> {
  const list = await orMissing(stripe.subscriptions.list({ customer: stripeCustomerId, status: 'all', limit: 100 }));
  return (list?.data ?? []).filter((one) => !hasEnded(one.status) && readSubscription(one).isOurs).map(({ id }) => id);
}
