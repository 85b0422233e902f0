import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import { planProductId } from './catalogue.js';
import { creditLastBill, type LastUsage, lastUsageOf, markSettled } from './last-bill.store.js';
import { overageLinesOf } from './overage-lines.js';
import { idOf } from './stripe-id.js';
import { unendedAtStripe } from './stripe-subscriptions.js';
import { isBillOf, readSubscription } from './subscription-reading.js';
import type { SubscriptionSync } from './subscription-sync.js';
import { warnOfDeletion } from './subscription-sync.store.js';
import { wholeBills } from './whole-bill.js';

interface LastBillParts {
  stripe: Stripe;
  sync: SubscriptionSync;
  /** Whether Stripe adds taxes to the bills. */
  hasAutomaticTax: boolean;
  log: Logger;
}

// Stripe dates a bill by its own clock.
const toleranceSeconds = 60;

/**
 * Bills the further records of a subscription's last period where Stripe doesn't: it makes a bill at a period's end, but none when a
 * subscription is ended at once, by us or in the dashboard, or when its last retry of a payment has failed. Nor has its last bill what it
 * was told of too late.
 */
export class LastBill {
  constructor(private readonly parts: LastBillParts) {}

  /** Safe to repeat: it goes on where it was broken off. */
  async settle(manager: EntityManager, subscriptionId: string): Promise<void> {
    const usage = await lastUsageOf(manager, subscriptionId);
    if (usage) {
      await this.followOthers(manager, usage);
      const own = await lastUsageOf(manager, subscriptionId);
      if (own) await this.billOnce(manager, subscriptionId, own);
    }
    await markSettled(manager, subscriptionId);
  }

  /** One that took its place before we knew of the end has a part of it on its own bill, also if no event has told us of that one. */
  private async followOthers(manager: EntityManager, { stripeCustomerId }: LastUsage): Promise<void> {
    const { stripe, sync } = this.parts;
    for (const id of await unendedAtStripe(stripe, stripeCustomerId)) await manager.transaction((within) => sync.follow(within, id));
  }

  private async billOnce(manager: EntityManager, subscriptionId: string, usage: LastUsage): Promise<void> {
    const { stripe, log } = this.parts;
    // One of whom Stripe has never heard is no deleted one: then the key may be of another account, and what is owed waits.
    const customer = await stripe.customers.retrieve(usage.stripeCustomerId);
    if (customer.deleted) return warnOfDeletion(manager, usage.stripeCustomerId, log);
    const subscription = await stripe.subscriptions.retrieve(subscriptionId);
    const records = usage.endedWithPeriod ? usage.records : usage.records - (await this.billedAtEnd(subscription, usage));
    if (records > 0) await this.bill(subscription, { ...usage, records });
    // What was taken back after Stripe's bill was final, and before ours would have been made.
    if (records < 0) await creditLastBill(manager, subscriptionId, -records, usage.unitCents);
  }

  /** How many of them are on a bill that Stripe was asked to make at the end: not what it was told too late. All, while that is a draft. */
  private async billedAtEnd(subscription: Stripe.Subscription, { records, endedAtSeconds }: LastUsage): Promise<number> {
    const { stripe } = this.parts;
    const { data } = await stripe.invoices.list({ subscription: subscription.id, limit: 10 });
    const { plan } = readSubscription(subscription);
    // The bill of the period itself, too, may have been made shortly before the end.
    const lastLinesOf = (bill: Stripe.Invoice) =>
      overageLinesOf(bill).filter(({ period }) => period.end >= endedAtSeconds - toleranceSeconds);
    const bills = (await wholeBills(stripe, data)).filter((bill) => !(plan && isBillOf(plan, bill)) && lastLinesOf(bill).length > 0);
    if (bills.some(({ status }) => status === 'draft')) return records;
    const billed = bills.flatMap(lastLinesOf).reduce((sum, { quantity }) => sum + (quantity ?? 0), 0);
    // Nobody pays a bill that was made void, so nothing of it is given back.
    return bills.some(({ status }) => status === 'void') ? Math.min(billed, records) : billed;
  }

  private async bill(subscription: Stripe.Subscription, usage: LastUsage): Promise<void> {
    const { stripe, log } = this.parts;
    const draft = (await this.find(subscription)) ?? (await this.open(subscription));
    if (draft.status !== 'draft') return;
    if (draft.lines.data.length === 0) {
      const item: Stripe.InvoiceItemCreateParams = {
        customer: usage.stripeCustomerId,
        invoice: draft.id,
        price_data: { product: planProductId, currency: 'usd', unit_amount: usage.unitCents, tax_behavior: 'exclusive' },
        quantity: usage.records,
        description: 'API Records, each further record',
        period: { start: usage.periodStartSeconds, end: usage.endedAtSeconds },
      };
      // Under one key for good: twice on the bill would be worse than the day for which Stripe may repeat a failure.
      await stripe.invoiceItems.create(item, { idempotencyKey: `last usage ${draft.id}` });
    }
    await stripe.invoices.finalizeInvoice(draft.id, { auto_advance: true });
    log.info(
      { subscription: subscription.id, invoice: draft.id, records: usage.records },
      'billed what a subscription used before it was ended',
    );
  }

  private async find({ id, customer }: Stripe.Subscription): Promise<Stripe.Invoice | undefined> {
    const { data } = await this.parts.stripe.invoices.list({ customer: idOf(customer), limit: 100 });
    return data.find((bill) => isLastUsageOf(id, bill));
  }

  /** A draft that is not collected before its line is on it. */
  private async open(subscription: Stripe.Subscription): Promise<Stripe.Invoice> {
    const { stripe, hasAutomaticTax } = this.parts;
    const { id, customer } = subscription;
    const draft: Stripe.InvoiceCreateParams = {
      customer: idOf(customer),
      currency: 'usd',
      auto_advance: false,
      pending_invoice_items_behavior: 'exclude',
      metadata: { last_usage_of: id },
      ...collectionOf(subscription),
      ...(hasAutomaticTax && { automatic_tax: { enabled: true } }),
    };
    return stripe.invoices.create(draft, { idempotencyKey: `last bill ${id}` }); // for good, as its line's
  }
}

/** As the subscription's own bills are collected. A checkout keeps the card with the subscription, not with the customer. */
function collectionOf({ collection_method, days_until_due, default_payment_method }: Stripe.Subscription) {
  if (collection_method === 'send_invoice') return { collection_method, days_until_due: days_until_due! };
  return { collection_method, ...(default_payment_method && { default_payment_method: idOf(default_payment_method) }) };
}

/** Whether a bill is the one that we have made for what a subscription used last. */
export const isLastUsageOf = (subscriptionId: string, { metadata }: Stripe.Invoice): boolean => metadata?.last_usage_of === subscriptionId;
