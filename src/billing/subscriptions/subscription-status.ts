import type Stripe from 'stripe';

/** Whether tokens of a subscription in this status may read. `past_due` may: it lasts while Stripe retries the payment. */
export const isLive = (status: Stripe.Subscription.Status): boolean => liveStatuses.includes(status);

export const liveStatuses: Stripe.Subscription.Status[] = ['trialing', 'active', 'past_due'];

/** Whether a subscription in this status can never charge again. */
export const hasEnded = (status: Stripe.Subscription.Status): boolean => endedStatuses.includes(status);

export const endedStatuses: Stripe.Subscription.Status[] = ['canceled', 'incomplete_expired'];

/** When a live subscription will end, in seconds since 1970. Stripe uses one of two fields. */
export function plannedEndSeconds(subscription: Stripe.Subscription, periodEndSeconds: number): number | null {
  return subscription.cancel_at ?? (subscription.cancel_at_period_end ? periodEndSeconds : null);
}
