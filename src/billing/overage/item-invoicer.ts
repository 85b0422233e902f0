import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { planProductId } from '../stripe/catalogue.js';
import { isOverageInvoice, subscriptionOf, withAllLines } from '../stripe/invoices.js';
import { orMissing } from '../stripe/stripe-client.js';
import { messageOf, statusOf, waitSeconds } from '../stripe/stripe-errors.js';
import { type LedgerHead, ledgerHeadQuery, writeLedgerField } from '../subscriptions/ledger-field.js';
import { hasEnded } from '../subscriptions/subscription-status.js';
import type { OverageInvoices } from './overage-invoices.js';
import { amountCents, type Outcome, type OverageItem, postponeItem, setFinalizesAt, setInvoice, setOutcome } from './overage-item.store.js';

const [minuteSeconds, daySeconds] = [60, 24 * 3600];

/** Whether Stripe will finalize this draft by itself, so that an item may be put on it. */
export const isUsable = ({ status, auto_advance, currency }: Stripe.Invoice): boolean =>
  status === 'draft' && auto_advance === true && currency === 'usd';

/**
 * Puts each item on an invoice once. A retry after an unknown outcome uses the same idempotency key, and first searches the invoice's lines:
 * these are right even when Stripe has forgotten the key or fails the retry itself.
 */
export class ItemInvoicer {
  constructor(
    private readonly stripe: Stripe,
    private readonly pool: Pool,
    private readonly overageInvoices: OverageInvoices,
    private readonly log: Logger,
  ) {}

  /** @returns whether the outcome is known */
  async add(item: OverageItem): Promise<boolean> {
    try {
      await setOutcome(this.pool, item, await this.attempt(item));
      return true;
    } catch (error) {
      await this.retryLater(item, error);
      return false;
    }
  }

  /** Finalizes an overage invoice, or restores the draft's own time; records the outcome once it is final. */
  async finish(item: OverageItem): Promise<void> {
    try {
      const bill = await orMissing(this.stripe.invoices.retrieve(item.invoiceId!));
      if (!bill) return await setOutcome(this.pool, item, 'missed');
      if (bill.status !== 'draft') return await setOutcome(this.pool, item, 'billed');
      if (isOverageInvoice(bill)) {
        const { rows } = await this.pool.query<LedgerHead>(ledgerHeadQuery, [subscriptionOf(bill)]);
        if (rows[0]) await writeLedgerField(this.stripe, bill, rows[0], this.log);
        await this.stripe.invoices.finalizeInvoice(bill.id, { auto_advance: true });
        return await setOutcome(this.pool, item, 'billed');
      }
      if (!isUsable(bill) && (await this.hasEnded(bill))) return await this.withdraw(item, bill);
      await postponeItem(this.pool, item, await this.restoreFinalization(item, bill), null);
    } catch (error) {
      await this.retryLater(item, error);
    }
  }

  /** The invoice of an item, for the customer's other items. */
  async invoiceOf({ id }: OverageItem): Promise<string | null> {
    const { rows } = await this.pool.query<{ invoiceId: string | null }>(
      'select invoice_id as "invoiceId" from overage_item where id = $1',
      [id],
    );
    return rows[0]!.invoiceId;
  }

  private async attempt(item: OverageItem): Promise<Outcome> {
    if (item.way === 'credit') return this.giveCredit(item);
    const bill = await this.billFor(item);
    const isThere = item.attempts > 1 && bill !== null && (await lineOf(this.stripe, bill, item)) !== undefined;
    if (isThere) return 'added';
    // A final invoice takes no items, so a call still in transit cannot add it later.
    if (bill?.status !== 'draft') return 'missed';
    await this.delayFinalization(item, bill);
    await this.stripe.invoiceItems.create(itemParams(item, bill.id), { idempotencyKey: keyOf(item), maxNetworkRetries: 0 });
    return 'added';
  }

  private async billFor(item: OverageItem): Promise<Stripe.Invoice | null> {
    if (item.invoiceId) return orMissing(this.stripe.invoices.retrieve(item.invoiceId));
    const bill = await this.overageInvoices.open(item);
    await setInvoice(this.pool, item, bill.id);
    return bill;
  }

  /** Stripe keeps a draft for an hour; our outage may be longer. */
  private async delayFinalization(item: OverageItem, { id, automatically_finalizes_at: at, parent }: Stripe.Invoice): Promise<void> {
    if (!parent || at === null || at > item.nowSeconds + daySeconds / 2) return;
    await setFinalizesAt(this.pool, item, at);
    await this.stripe.invoices.update(id, { automatically_finalizes_at: item.nowSeconds + daySeconds });
  }

  /** @returns seconds until the invoice should be final */
  private async restoreFinalization({ finalizesAtSeconds, nowSeconds }: OverageItem, bill: Stripe.Invoice): Promise<number> {
    const at = bill.automatically_finalizes_at;
    if (at === null) return daySeconds;
    const intended = Math.max(finalizesAtSeconds ?? at, nowSeconds + 5 * minuteSeconds);
    if (intended < at) await this.stripe.invoices.update(bill.id, { automatically_finalizes_at: intended });
    return Math.min(intended, at) - nowSeconds + 10 * minuteSeconds;
  }

  private async hasEnded(bill: Stripe.Invoice): Promise<boolean> {
    const subscription = subscriptionOf(bill);
    return subscription !== null && hasEnded((await this.stripe.subscriptions.retrieve(subscription)).status);
  }

  /** Stripe no longer finalizes the draft of an ended subscription: the item goes on another invoice. */
  private async withdraw(item: OverageItem, bill: Stripe.Invoice): Promise<void> {
    const id = (await lineOf(this.stripe, bill, item))?.parent?.invoice_item_details?.invoice_item;
    if (id) await orMissing(this.stripe.invoiceItems.del(id));
    await setOutcome(this.pool, item, 'missed');
    await this.pool.query('update subscription set overage_at = service_now() where balance_id = $1', [item.balanceId]);
  }

  /** Stripe uses the credit for the customer's next invoices. */
  private async giveCredit(item: OverageItem): Promise<Outcome> {
    const { id, stripeCustomerId, records, attempts } = item;
    if (attempts > 1) {
      for await (const { metadata } of this.stripe.customers.listBalanceTransactions(stripeCustomerId, { limit: 100 })) {
        if (metadata?.overage_item === id) return 'billed';
      }
    }
    const description = `API Records: ${-records} overage records taken back`;
    const params = { amount: amountCents(item), currency: 'usd', description, metadata: { overage_item: id } };
    await this.stripe.customers.createBalanceTransaction(stripeCustomerId, params, { idempotencyKey: keyOf(item), maxNetworkRetries: 0 });
    return 'billed';
  }

  private async retryLater(item: OverageItem, error: unknown): Promise<void> {
    const { id, stripeCustomerId, attempts } = item;
    const message = messageOf(error);
    const status = statusOf(error);
    if ((status === 400 || status === 404) && (await this.overageInvoices.isCustomerDeleted(stripeCustomerId).catch(() => false))) {
      this.log.error({ item: id, customer: stripeCustomerId }, 'the customer was deleted in Stripe: its overage is not billed');
      return setOutcome(this.pool, item, 'void');
    }
    const wait = waitSeconds(attempts, error);
    this.log.warn({ item: id, attempts, waitSeconds: wait, error: message }, 'overage not billed yet');
    await postponeItem(this.pool, item, wait, message, status >= 500);
  }
}

const keyOf = ({ id, failures }: OverageItem): string => `overage ${id} ${failures}`;

function itemParams(item: OverageItem, invoice: string): Stripe.InvoiceItemCreateParams {
  const { id, stripeCustomerId: customer, records, unitCents, periodStartSeconds, periodEndSeconds } = item;
  const period = { start: periodStartSeconds, end: Math.max(periodStartSeconds, periodEndSeconds) };
  const common = { customer, invoice, period, metadata: { overage_item: id } };
  if (records < 0) {
    // An item's price cannot be negative, its amount can.
    const description = `API Records: ${-records} overage records taken back`;
    return { ...common, amount: amountCents(item), currency: 'usd', tax_behavior: 'exclusive', description };
  }
  const price_data = { product: planProductId, currency: 'usd', unit_amount: unitCents, tax_behavior: 'exclusive' as const };
  return { ...common, price_data, quantity: records, description: 'API Records: overage records' };
}

async function lineOf(stripe: Stripe, bill: Stripe.Invoice, { id }: OverageItem): Promise<Stripe.InvoiceLineItem | undefined> {
  return (await withAllLines(stripe, bill)).lines.data.find(({ metadata }) => metadata?.overage_item === id);
}
