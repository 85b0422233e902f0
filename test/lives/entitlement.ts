import { nextBoundary } from '../stripe/calendar.js';
import type { StripeStandIn } from '../stripe/stand-in.js';

/** Whether a subscription must be served: it lasts, and the period that is now is paid. */
export function mustBeServed(stripe: StripeStandIn, subscriptionId: string): boolean {
  const { ended_at, status, items } = stripe.world.subscriptions.get(subscriptionId);
  return ended_at === null && status === 'active' && paidUntil(stripe, subscriptionId) === items.data[0]!.current_period_end;
}

/** Whether a subscription that lasts may be served: the last paid period, or the one after it, is not over. */
export function mayBeServed(stripe: StripeStandIn, subscriptionId: string): boolean {
  const { clock, subscriptions } = stripe.world;
  const paid = paidUntil(stripe, subscriptionId);
  return paid !== null && clock.now() < nextBoundary(subscriptions.get(subscriptionId).billing_cycle_anchor, paid);
}

/** The end of the last period whose price, paid ahead, is on a paid bill; in seconds since 1970. */
function paidUntil(stripe: StripeStandIn, subscriptionId: string): number | null {
  const paid = stripe.invoicesOf(subscriptionId).filter(({ status }) => status === 'paid');
  const ends = paid.flatMap(({ created, lines }) => lines.data.map(({ period }) => period.end).filter((end) => end > created));
  return ends.length > 0 ? Math.max(...ends) : null;
}
