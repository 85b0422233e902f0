import type Stripe from 'stripe';
import { idOf } from '../stripe/stripe-id.js';
import type { OverageItem } from './overage-item.js';

/** Bills of our own, for overage that no bill of a subscription is to have any more. */
export class OverageInvoices {
  constructor(
    private readonly stripe: Stripe,
    /** Whether Stripe adds taxes to the bills. */
    private readonly hasAutomaticTax: boolean,
  ) {}

  /** The draft for an item: the one that an earlier attempt has made, or a new one. It is not collected before the item is on it. */
  async open(item: OverageItem): Promise<Stripe.Invoice> {
    const made = item.attempts > 1 ? await this.find(item) : undefined;
    if (made) return made;
    const subscription = await this.stripe.subscriptions.retrieve(item.subscriptionId);
    const draft: Stripe.InvoiceCreateParams = {
      customer: item.stripeCustomerId,
      currency: 'usd',
      auto_advance: false,
      pending_invoice_items_behavior: 'exclude',
      metadata: { overage_bill: item.id, overage_of: item.subscriptionId },
      ...collectionOf(subscription),
      ...(this.hasAutomaticTax && { automatic_tax: { enabled: true } }),
    };
    return this.stripe.invoices.create(draft, { idempotencyKey: `bill ${item.id} ${item.failures}`, maxNetworkRetries: 0 });
  }

  /** Whether the customer is known to have been deleted. One of whom Stripe has never heard is none: the key may be another account's. */
  async isCustomerDeleted(stripeCustomerId: string): Promise<boolean> {
    return (await this.stripe.customers.retrieve(stripeCustomerId)).deleted === true;
  }

  /** The list, unlike Stripe's search, is never out of date. */
  private async find({ id, stripeCustomerId: customer }: OverageItem): Promise<Stripe.Invoice | undefined> {
    for await (const bill of this.stripe.invoices.list({ customer, limit: 100 })) if (bill.metadata?.overage_bill === id) return bill;
    return undefined;
  }
}

/** As the subscription's own bills are collected. A checkout keeps the card with the subscription, not with the customer. */
function collectionOf({ collection_method, days_until_due, default_payment_method }: Stripe.Subscription) {
  if (collection_method === 'send_invoice') return { collection_method, days_until_due: days_until_due! };
  return { collection_method, ...(default_payment_method && { default_payment_method: idOf(default_payment_method) }) };
}
