import type Stripe from 'stripe';
import { planPriceParams, planProductId } from '../stripe/catalogue.js';
import { priceTermFaults } from '../stripe/catalogue-faults.js';
import { isCollectionAbandoned } from '../stripe/invoices.js';
import { isProration } from '../stripe/proration.js';
import { idOf } from '../stripe/stripe-id.js';
import { hasEnded, isLive } from './subscription-status.js';

/** What a subscription in Stripe means here. People make subscriptions in Stripe's dashboard too, of whatever they like. */
export interface SubscriptionReading {
  /** Whether it is of our product: the Stripe account may sell others. */
  isOurs: boolean;
  /** Its item of the plan's price: what it grants records for. */
  plan: Stripe.SubscriptionItem | undefined;
  /** What an operator should look at. */
  warnings: string[];
}

export function readSubscription(subscription: Stripe.Subscription): SubscriptionReading {
  const ours = subscription.items.data.filter(({ price }) => idOf(price.product) === planProductId);
  // Overage is counted in our currency, and Stripe takes only one a customer.
  const isInOurs = subscription.currency === planPriceParams.currency;
  const plan = isInOurs ? ours.find(({ price }) => priceTermFaults(price, planPriceParams).length === 0) : undefined;
  const warnings = isLive(subscription.status) ? warningsOf(subscription, plan, isInOurs) : warningsOfEnded(subscription);
  return { isOurs: ours.length > 0, plan, warnings };
}

/** Whether this is the bill of the period that the item is in: it has the plan's whole price, and was made when the period began or later. */
export const isInvoiceOf = (plan: Stripe.SubscriptionItem, bill: Stripe.Invoice): boolean =>
  bill.created >= plan.current_period_start && fullPriceLineOf(plan, bill) !== undefined;

/** The end of the last period whose bill is among these and paid, in seconds since 1970; null: of none. */
export function paidUntilSeconds(plan: Stripe.SubscriptionItem, bills: Stripe.Invoice[]): number | null {
  const ends = bills
    .filter(({ status }) => status === 'paid')
    .flatMap((bill) => {
      if (isInvoiceOf(plan, bill)) return plan.current_period_end;
      return fullPriceLineOf(plan, bill)?.period.end ?? [];
    });
  return ends.length > 0 ? Math.max(...ends) : null;
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

/** When a subscription ends at once, Stripe stops collecting what is open, and tells nobody. */
function warningsOfEnded({ status, latest_invoice }: Stripe.Subscription): string[] {
  if (!hasEnded(status) || typeof latest_invoice !== 'object' || latest_invoice === null) return [];
  const { id, status: state, auto_advance } = latest_invoice;
  if (auto_advance || (state !== 'draft' && state !== 'open')) return [];
  return [`it has ended, and Stripe no longer collects its bill ${id} (${state}): collect or void it there`];
}

/** As when somebody chose the day of the month on which it is billed. */
const isPartialFirstInvoice = (plan: Stripe.SubscriptionItem, bill: Stripe.Invoice | null): boolean =>
  bill?.billing_reason === 'subscription_create' && fullPriceLineOf(plan, bill) === undefined;
