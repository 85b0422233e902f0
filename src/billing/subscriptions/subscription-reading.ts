import type Stripe from 'stripe';
import { planPriceParams, planProductId, priceTermFaults } from '../stripe/catalogue.js';
import { isCollectionAbandoned, isProration } from '../stripe/invoices.js';
import { idOf, orMissing } from '../stripe/stripe-client.js';

/** The meaning of a subscription in Stripe. Operators may create any kind in Stripe's dashboard. */
export interface SubscriptionReading {
  /** Whether it has our product: the Stripe account may sell others. */
  isOurs: boolean;
  /** Its item with the plan's price, which grants records. */
  plan: Stripe.SubscriptionItem | undefined;
  /** For operators. */
  warnings: string[];
}

export function readSubscription(subscription: Stripe.Subscription): SubscriptionReading {
  const ours = subscription.items.data.filter(({ price }) => idOf(price.product) === planProductId);
  // Overage is in our currency, and Stripe allows one currency a customer.
  const isInOurs = subscription.currency === planPriceParams.currency;
  const plan = isInOurs ? ours.find(({ price }) => priceTermFaults(price, planPriceParams).length === 0) : undefined;
  const warnings = isLive(subscription.status) ? warningsOf(subscription, plan, isInOurs) : warningsOfEnded(subscription);
  return { isOurs: ours.length > 0, plan, warnings };
}

/** Whether this is the invoice of the item's current period: it has the plan's full price, and was created in the period. */
export const isInvoiceOf = (plan: Stripe.SubscriptionItem, bill: Stripe.Invoice): boolean =>
  bill.created >= plan.current_period_start && fullPriceLineOf(plan, bill) !== undefined;

/**
 * The end of the last period with a paid invoice among these, in seconds since 1970; null: none. It is never after the present period, which
 * a trial that was given within a paid month ends earlier.
 */
export function paidUntilSeconds(plan: Stripe.SubscriptionItem, invoices: Stripe.Invoice[]): number | null {
  const ends = invoices
    .filter(({ status }) => status === 'paid')
    .flatMap((bill) => {
      if (isInvoiceOf(plan, bill)) return plan.current_period_end;
      return fullPriceLineOf(plan, bill)?.period.end ?? [];
    });
  return ends.length > 0 ? Math.min(Math.max(...ends), plan.current_period_end) : null;
}

const fullPriceLineOf = (plan: Stripe.SubscriptionItem, { lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined =>
  lines.data.find((line) => {
    const price = line.pricing?.price_details?.price;
    return price && idOf(price) === plan.price.id && line.amount >= plan.price.unit_amount! && !isProration(line);
  });

function warningsOf(
  { status, currency, pause_collection, latest_invoice }: Stripe.Subscription,
  plan: Stripe.SubscriptionItem | undefined,
  isInOurCurrency: boolean,
): string[] {
  const warnings: string[] = [];
  if (!isInOurCurrency) warnings.push(`it is paid in ${currency}, and so grants nothing`);
  else if (!plan) warnings.push("it has no item of the plan's price, and so grants nothing");
  if (plan && plan.quantity !== 1) warnings.push(`it has the plan ${plan.quantity} times, and grants its records once`);
  if (pause_collection) warnings.push(`its collection is paused (${pause_collection.behavior}), and so are its tokens`);
  if (status === 'trialing') warnings.push('it is in a trial; one that was never paid before grants nothing until its first paid bill');
  else if (plan && typeof latest_invoice === 'object' && isPartialFirstInvoice(plan, latest_invoice)) {
    warnings.push("its first bill is for a part of a month, and so it grants nothing before the first one of the plan's whole price");
  }
  if (status === 'past_due' && typeof latest_invoice === 'object' && latest_invoice && isCollectionAbandoned(latest_invoice)) {
    warnings.push('Stripe no longer tries to collect its bill and leaves it past_due: choose to cancel it after the last retry');
  }
  return warnings;
}

/** When a subscription is canceled at once, Stripe silently stops collecting its open invoices. */
function warningsOfEnded({ status, latest_invoice }: Stripe.Subscription): string[] {
  if (!hasEnded(status) || typeof latest_invoice !== 'object' || latest_invoice === null) return [];
  const { id, status: state, auto_advance } = latest_invoice;
  if (auto_advance || (state !== 'draft' && state !== 'open')) return [];
  return [`it has ended, and Stripe no longer collects its bill ${id} (${state}): collect or void it there`];
}

/** For example when an operator chose another billing day. */
const isPartialFirstInvoice = (plan: Stripe.SubscriptionItem, bill: Stripe.Invoice | null): boolean =>
  bill?.billing_reason === 'subscription_create' && fullPriceLineOf(plan, bill) === undefined;

/** The customer's subscriptions of our product that may still charge, including those whose events never came. */
export async function unendedAtStripe(stripe: Stripe, stripeCustomerId: string): Promise<Stripe.Subscription[]> {
  const list = await orMissing(stripe.subscriptions.list({ customer: stripeCustomerId, status: 'all', limit: 100 }));
  return (list?.data ?? []).filter((one) => !hasEnded(one.status) && readSubscription(one).isOurs);
}

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
