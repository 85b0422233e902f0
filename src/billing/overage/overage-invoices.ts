import type Stripe from 'stripe';
import { idOf } from '../stripe/stripe-client.js';
import type { OverageItem } from './overage-item.store.js';

/** Our own invoices, for overage that no subscription's invoice can take. */
export class OverageInvoices {
  constructor(
    private readonly stripe: Stripe,
    /** Whether Stripe adds taxes to invoices. */
    private readonly hasAutomaticTax: boolean,
  ) {}

  /** The draft for an item: an earlier attempt's, or a new one. Without auto_advance it is not collected before the item is on it. */
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

  /** Whether the customer was deleted. An unknown customer does not count: the key may be another Stripe account's. */
  async isCustomerDeleted(stripeCustomerId: string): Promise<boolean> {
    return (await this.stripe.customers.retrieve(stripeCustomerId)).deleted === true;
  }

  /** Stripe's lists are current; its search is not. */
  private async find({ id, stripeCustomerId: customer }: OverageItem): Promise<Stripe.Invoice | undefined> {
    for await (const bill of this.stripe.invoices.list({ customer, limit: 100 })) if (bill.metadata?.overage_bill === id) return bill;
    return undefined;
  }
}

/** Collects as the subscription's invoices are. A checkout stores the card at the subscription, not at the customer. */
function collectionOf({ collection_method, days_until_due, default_payment_method }: Stripe.Subscription) {
  if (collection_method === 'send_invoice') return { collection_method, days_until_due: days_until_due! };
  return { collection_method, ...(default_payment_method && { default_payment_method: idOf(default_payment_method) }) };
}
