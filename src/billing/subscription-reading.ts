import type Stripe from 'stripe';
import { overagePriceParams, planPriceParams, planProductId } from './catalogue.js';
import { priceTermFaults } from './catalogue-faults.js';
import { isProration } from './proration.js';
import { idOf } from './stripe-id.js';
import { hasEnded, isLive } from './subscription-status.js';

/** What a subscription in Stripe means here. People make subscriptions in Stripe's dashboard too, of whatever they like. */
export interface SubscriptionReading {
  /** Whether it is of our product: the Stripe account may sell others. */
  isOurs: boolean;
  /** Its item of the plan's price: what it grants records for. */
  plan: Stripe.SubscriptionItem | undefined;
  /** Whether it has the price of further records: without it nobody would be billed for them. */
  hasOverage: boolean;
  /** What an operator should look at. */
  warnings: string[];
}

export function readSubscription(subscription: Stripe.Subscription): SubscriptionReading {
  const ours = subscription.items.data.filter(({ price }) => idOf(price.product) === planProductId);
  const plan = ours.find(({ price }) => priceTermFaults(price, planPriceParams).length === 0);
  const hasOverage = ours.some(
    ({ price }) => price.recurring?.meter && priceTermFaults(price, overagePriceParams(price.recurring.meter)).length === 0,
  );
  const warnings = isLive(subscription.status) ? warningsOf(subscription, plan, hasOverage) : warningsOfStopped(subscription);
  return { isOurs: ours.length > 0, plan, hasOverage, warnings };
}

/** Whether this is the bill of the period that the item is in: it has the plan's whole price, and was made when the period began or later. */
export const isBillOf = (plan: Stripe.SubscriptionItem, bill: Stripe.Invoice): boolean =>
  bill.created >= plan.current_period_start && wholePriceOf(plan, bill) !== undefined;

/** The end of the last period whose bill is among these and paid, in seconds since 1970; null: of none. */
export function paidUntilSeconds(plan: Stripe.SubscriptionItem, bills: Stripe.Invoice[]): number | null {
  const ends = bills
    .filter(({ status }) => status === 'paid')
    .flatMap((bill) => {
      if (isBillOf(plan, bill)) return plan.current_period_end;
      return wholePriceOf(plan, bill)?.period.end ?? [];
    });
  return ends.length > 0 ? Math.max(...ends) : null;
}

const wholePriceOf = (plan: Stripe.SubscriptionItem, { lines }: Stripe.Invoice): Stripe.InvoiceLineItem | undefined =>
  lines.data.find((line) => {
    const price = line.pricing?.price_details?.price;
    return price && idOf(price) === plan.price.id && line.amount >= plan.price.unit_amount! && !isProration(line);
  });

function warningsOf(
  { status, pause_collection, latest_invoice }: Stripe.Subscription,
  plan: Stripe.SubscriptionItem | undefined,
  hasOverage: boolean,
): string[] {
  const warnings: string[] = [];
  if (!plan) warnings.push("it has no item of the plan's price, and so grants nothing");
  if (plan && plan.quantity !== 1) warnings.push(`it has the plan ${plan.quantity} times, and grants its records once`);
  if (!hasOverage) warnings.push('it has no item of the price of further records, and so grants none');
  if (pause_collection) warnings.push(`its collection is paused (${pause_collection.behavior}), and so are its tokens`);
  if (status === 'trialing') warnings.push('it is in a trial, and grants nothing before its first paid bill');
  else if (plan && typeof latest_invoice === 'object' && isFirstOfPart(plan, latest_invoice)) {
    warnings.push("its first bill is for a part of a month, and so it grants nothing before the first one of the plan's whole price");
  }
  if (status === 'past_due' && typeof latest_invoice === 'object' && hasBeenGivenUp(latest_invoice)) {
    warnings.push('Stripe no longer tries to collect its bill and leaves it past_due: choose to cancel it after the last retry');
  }
  return warnings;
}

/** When a subscription ends at once, Stripe stops collecting what is open, and tells nobody. */
function warningsOfStopped({ status, latest_invoice }: Stripe.Subscription): string[] {
  if (!hasEnded(status) || typeof latest_invoice !== 'object' || latest_invoice === null) return [];
  const { id, status: state, auto_advance } = latest_invoice;
  if (auto_advance || (state !== 'draft' && state !== 'open')) return [];
  return [`it has ended, and Stripe no longer collects its bill ${id} (${state}): collect or void it there`];
}

/** As when somebody chose the day of the month on which it is billed. */
const isFirstOfPart = (plan: Stripe.SubscriptionItem, bill: Stripe.Invoice | null): boolean =>
  bill?.billing_reason === 'subscription_create' && wholePriceOf(plan, bill) === undefined;

const hasBeenGivenUp = (bill: Stripe.Invoice | null): boolean =>
  bill?.status === 'open' && bill.collection_method === 'charge_automatically' && bill.attempted && bill.next_payment_attempt === null;
