import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { overageProductId, planProductId } from '../stripe/catalogue.js';
import { createOnce, isRefusal } from '../stripe/create-once.js';
import { isInItsHour, isOverageInvoice, isStuck, subscriptionOf, withAllLines } from '../stripe/invoices.js';
import { idOf, orMissing } from '../stripe/stripe-client.js';
import { messageOf, waitSeconds } from '../stripe/stripe-errors.js';
import { type LedgerHead, ledgerHeadQuery, writeLedgerField } from '../subscriptions/ledger-field.js';
import {
  amountCents,
  countFailure,
  type Outcome,
  type OverageDue,
  type OverageItem,
  setError,
  setInvoice,
  setOutcome,
  setUnpaidBill,
} from './overage-item.store.js';

const [minuteSeconds, tenMinutes, hourSeconds] = [60, 600, 3600];

/** Objects that were fetched from Stripe just before. */
interface Known {
  subscription?: Stripe.Subscription | undefined;
  bill?: Stripe.Invoice | null;
}

/** Puts each item on an invoice once, or gives it back once. */
export class ItemInvoicer {
  constructor(
    private readonly stripe: Stripe,
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  /** @returns the seconds until the next attempt, also for what is due again; null if it is on an invoice, or never will be */
  async add(item: OverageItem, known?: Known): Promise<number | null> {
    try {
      return await this.settle(item, await this.attempt(item, known));
    } catch (error) {
      return this.retryLater(item, error);
    }
  }

  /**
   * Finalizes an overage invoice, or looks whether Stripe has finalized a draft; then the outcome is final.
   * @returns the seconds until the next look; null if the outcome is final
   */
  async finish(item: OverageItem): Promise<number | null> {
    // It has just been added. The draft's event tells when it is final.
    if (item.way === 'draft' && item.attempts === 2) return hourSeconds + tenMinutes;
    try {
      const bill = await orMissing(this.stripe.invoices.retrieve(item.invoiceId!));
      const final = bill?.status === 'draft' && isOverageInvoice(bill) ? await this.finalize(bill) : bill;
      if (final?.status === 'draft') {
        if (isStuck(final, item.nowSeconds)) return await this.takeOff(item, final);
        return Math.max(0, final.automatically_finalizes_at! - item.nowSeconds) + tenMinutes;
      }
      if (final?.status === 'open' && isOverageInvoice(final)) await setUnpaidBill(this.pool, final);
      return await this.settle(item, final ? 'billed' : 'missed');
    } catch (error) {
      return this.retryLater(item, error);
    }
  }

  private async attempt(item: OverageItem, known?: Known): Promise<Outcome> {
    if (item.way === 'credit') return this.giveCredit(item);
    const subscription = known?.subscription ?? (await orMissing(this.stripe.subscriptions.retrieve(item.subscriptionId)));
    const bill = item.invoiceId
      ? (known?.bill ?? (await orMissing(this.stripe.invoices.retrieve(item.invoiceId))))
      : await this.openBill(item, subscription);
    if (!bill) return 'missed';
    if (item.attempts > 1 && (await lineOf(this.stripe, bill, item))) return 'added';
    // A final invoice takes no items, so a call still in transit cannot add it later.
    if (bill.status !== 'draft') return 'missed';
    if (item.way === 'draft' && !isInItsHour(bill, item.nowSeconds)) {
      if (isStuck(bill, item.nowSeconds)) return 'missed';
      throw new Error(`draft ${bill.id} is due to be final, which tells whether it has the item`);
    }
    const find = async () => (await lineOf(this.stripe, await this.stripe.invoices.retrieve(bill.id), item)) ?? null;
    try {
      const params = { customer: item.stripeCustomerId, invoice: bill.id, ...itemParams(item, subscription) };
      await this.createOnce<object>(item, 'overage', { find, create: (options) => this.stripe.invoiceItems.create(params, options) });
      return 'added';
    } catch (error) {
      if (item.way !== 'draft' || !isRefused(error)) throw error;
      this.log.warn({ item: item.id, invoice: bill.id, error: messageOf(error) }, 'a draft refuses its overage, and goes without it');
      return (await find()) ? 'added' : 'missed';
    }
  }

  /** Creates the draft of an overage invoice. Without auto_advance it is not collected before the item is on it. */
  private async openBill(item: OverageItem, subscription: Stripe.Subscription | null): Promise<Stripe.Invoice> {
    const { id, stripeCustomerId: customer, subscriptionId } = item;
    const draft: Stripe.InvoiceCreateParams = {
      customer,
      currency: 'usd',
      auto_advance: false,
      pending_invoice_items_behavior: 'exclude',
      metadata: { overage_bill: id, overage_of: subscriptionId },
      ...(subscription && collectionOf(subscription)),
      ...(subscription?.automatic_tax.enabled && { automatic_tax: { enabled: true } }),
    };
    const bill = await this.createOnce(item, 'bill', {
      find: () => this.findBill(item),
      create: (options) => this.stripe.invoices.create(draft, options),
    });
    await setInvoice(this.pool, item, bill.id);
    return bill;
  }

  /** Stripe's lists are current; its search is not. */
  private async findBill({ id, stripeCustomerId: customer }: OverageItem): Promise<Stripe.Invoice | null> {
    for await (const bill of this.stripe.invoices.list({ customer, limit: 100 })) if (bill.metadata?.overage_bill === id) return bill;
    return null;
  }

  /** Stripe uses the credit for the customer's next invoices. */
  private async giveCredit(item: OverageItem): Promise<Outcome> {
    const { id, stripeCustomerId } = item;
    const params = { amount: amountCents(item), currency: 'usd', description: descriptionOf(item), metadata: { overage_item: id } };
    await this.createOnce<object>(item, 'overage', {
      find: async () => {
        for await (const moved of this.stripe.customers.listBalanceTransactions(stripeCustomerId, { limit: 100 })) {
          if (moved.metadata?.overage_item === id) return moved;
        }
        return null;
      },
      create: (options) => this.stripe.customers.createBalanceTransaction(stripeCustomerId, params, options),
    });
    return 'billed';
  }

  /** Looks for what an earlier call may have made, since Stripe may have forgotten its key. */
  private createOnce<T>(
    item: OverageItem,
    of: 'overage' | 'bill',
    { find, create }: { find(): Promise<T | null>; create(options: Stripe.RequestOptions): Promise<T> },
  ): Promise<T> {
    return createOnce<T>(
      {
        find: async () => (item.attempts > 1 || item.failures > 0 ? find() : null),
        begin: async () => `${of} ${item.id} ${item.failures}`,
        create,
        giveUp: () => countFailure(this.pool, item),
      },
      0,
    );
  }

  private async finalize(bill: Stripe.Invoice): Promise<Stripe.Invoice> {
    const { rows } = await this.pool.query<LedgerHead>(ledgerHeadQuery, [subscriptionOf(bill)]);
    if (rows[0]) await writeLedgerField(this.stripe, bill, rows[0], this.log);
    return this.stripe.invoices.finalizeInvoice(bill.id, { auto_advance: true });
  }

  /** The draft will not be billed: the item becomes due again, for a bill of our own. */
  private async takeOff(item: OverageItem, bill: Stripe.Invoice): Promise<number | null> {
    const id = (await lineOf(this.stripe, bill, item))?.parent?.invoice_item_details?.invoice_item;
    if (id) await orMissing(this.stripe.invoiceItems.del(id));
    return this.settle(item, 'missed');
  }

  /** A missed item is due again. */
  private async settle(item: OverageItem, outcome: Outcome): Promise<number | null> {
    await setOutcome(this.pool, item, outcome);
    return outcome === 'missed' ? minuteSeconds : null;
  }

  /** Whether the customer was deleted. An unknown customer does not count: the key may be another Stripe account's. */
  async isCustomerDeleted(stripeCustomerId: string): Promise<boolean> {
    return (await this.stripe.customers.retrieve(stripeCustomerId)).deleted === true;
  }

  /** @returns the seconds until the next attempt; null if there is none */
  private async retryLater(item: OverageItem, error: unknown): Promise<number | null> {
    const { id, stripeCustomerId, attempts } = item;
    if (isRefused(error) && (await this.isCustomerDeleted(stripeCustomerId).catch(() => false))) {
      this.log.error({ item: id, customer: stripeCustomerId }, 'the customer was deleted in Stripe: its overage is not billed');
      return this.settle(item, 'void');
    }
    const wait = isRefused(error) ? hourSeconds : waitSeconds(attempts, error);
    this.log.warn({ item: id, attempts, waitSeconds: wait, error: messageOf(error) }, 'overage not billed yet');
    await setError(this.pool, item, messageOf(error));
    return wait;
  }
}

/** Whether Stripe refuses what was asked, and not us (a revoked key). */
const isRefused = (error: unknown): boolean => isRefusal(error) && (error.statusCode === 400 || error.statusCode === 404);

const descriptionOf = ({ records }: OverageDue): string =>
  records < 0 ? `API Records: ${-records} overage records taken back` : 'API Records: overage records';

/** Overage costs the same on every invoice, whatever coupons there are for the plan. */
export function itemParams(item: OverageDue & { id: string }, subscription: Stripe.Subscription | null) {
  const { id, records, unitCents, periodStartSeconds, periodEndSeconds } = item;
  const tax_rates = subscription ? taxRatesOf(subscription) : [];
  const common = {
    period: { start: periodStartSeconds, end: Math.max(periodStartSeconds, periodEndSeconds) },
    description: descriptionOf(item),
    discountable: false,
    metadata: { overage_item: id },
    ...(tax_rates.length > 0 && { tax_rates }),
  };
  // An item's price cannot be negative, its amount can.
  if (records < 0) return { ...common, amount: amountCents(item), currency: 'usd', tax_behavior: 'exclusive' as const };
  const price_data = { product: overageProductId, currency: 'usd', unit_amount: unitCents, tax_behavior: 'exclusive' as const };
  return { ...common, price_data, quantity: records };
}

/** The rates of the plan's item, or else of the subscription. Automatic taxes have none. */
function taxRatesOf({ automatic_tax, default_tax_rates, items }: Stripe.Subscription): string[] {
  if (automatic_tax.enabled) return [];
  const plan = items.data.find(({ price }) => idOf(price.product) === planProductId);
  return (plan?.tax_rates?.length ? plan.tax_rates : (default_tax_rates ?? [])).map(({ id }) => id);
}

/** Collects as the subscription's invoices are. A checkout stores the card at the subscription, not at the customer. */
function collectionOf({ collection_method, days_until_due, default_payment_method }: Stripe.Subscription) {
  if (collection_method === 'send_invoice') return { collection_method, days_until_due: days_until_due! };
  return { collection_method, ...(default_payment_method && { default_payment_method: idOf(default_payment_method) }) };
}

async function lineOf(stripe: Stripe, bill: Stripe.Invoice, { id }: Pick<OverageItem, 'id'>): Promise<Stripe.InvoiceLineItem | undefined> {
  return (await withAllLines(stripe, bill)).lines.data.find(({ metadata }) => metadata?.overage_item === id);
}
