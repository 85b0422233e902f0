import pLimit from 'p-limit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { isOverageInvoice, subscriptionOf } from '../stripe/invoices.js';
import { unendedAtStripe } from '../subscriptions/stripe-subscriptions.js';
import { type ItemInvoicer, isUsable } from './item-invoicer.js';
import type { OverageInvoices } from './overage-invoices.js';
import { claimItems, hasUncertainItem, openItem, overageDue, type Target } from './overage-item.store.js';
import { claimCustomers, customersOverThreshold, scheduleChanged, scheduleNextCheck, warnOfUnbilled } from './overage-schedule.store.js';

const batchSize = 20;

interface OverageBillerParts {
  stripe: Stripe;
  pool: Pool;
  invoicer: ItemInvoicer;
  overageInvoices: OverageInvoices;
  /** What an account may owe in open overage before it is billed within the period; null: any amount. */
  thresholdCents: number | null;
  /** How many customers are looked at side by side. */
  concurrency?: number;
  log: Logger;
}

/**
 * Bills overage by subtraction: what closed periods have in the ledger, less the items that we put on bills. The difference becomes an item on
 * the subscription's draft. If no subscription lives, it goes on a bill of our own. Otherwise it waits for the next draft. Any number of servers
 * may run this.
 */
export class OverageBiller {
  constructor(private readonly parts: OverageBillerParts) {}

  /** @returns whether there may be more */
  async billDue(): Promise<boolean> {
    const { pool, invoicer } = this.parts;
    await scheduleChanged(pool);
    const customers = await claimCustomers(pool, batchSize);
    await this.each(customers, (customer) => this.look(customer));
    const unknown = await claimItems(pool, 'trying', batchSize);
    await this.each(unknown, (item) => invoicer.place(item).then(() => this.look(item.stripeCustomerId)));
    const added = await claimItems(pool, 'added', batchSize);
    await this.each(added, (item) => invoicer.finish(item));
    return customers.length + unknown.length + added.length > 0;
  }

  /** Bills what is open within the period, of customers who owe more than may wait for its end. */
  async billOverThreshold(): Promise<boolean> {
    const { pool, thresholdCents } = this.parts;
    if (thresholdCents === null) return false;
    await this.each(await customersOverThreshold(pool, thresholdCents), (customer) =>
      this.bill(customer, { way: 'bill', invoiceId: null, includesOpen: true }),
    );
    return false;
  }

  private async look(customer: string): Promise<void> {
    const { pool, log } = this.parts;
    try {
      const due = await overageDue(pool, customer, false);
      if (due.length > 0 && !(await hasUncertainItem(pool, customer))) {
        const target = await this.targetFor(customer);
        if (target) await this.bill(customer, target);
      }
    } catch (error) {
      log.warn({ error, customer }, 'the overage of a customer could not be billed; it is tried again');
    }
    await scheduleNextCheck(pool, customer);
  }

  /** One item after the other, until one of them is not there for certain. */
  private async bill(customer: string, target: Target): Promise<void> {
    const { pool, invoicer, log } = this.parts;
    let { invoiceId } = target;
    const due = await overageDue(pool, customer, target.includesOpen);
    for (const one of due) {
      // Where nothing more can lower a bill, the customer gets it back as a credit.
      const way = target.way === 'bill' && one.records < 0 ? 'credit' : target.way;
      const item = await openItem(pool, customer, one, { ...target, way, invoiceId: way === 'credit' ? null : invoiceId });
      if (!item || (target.way !== 'void' && !(await invoicer.place(item)))) return;
      if (way === 'bill') invoiceId = await invoicer.invoiceOf(item);
    }
    if (target.way !== 'void') return;
    const records = due.reduce((sum, one) => sum + one.records, 0);
    await warnOfUnbilled(pool, customer, records);
    log.error({ customer, records }, 'a customer was deleted in Stripe, and is not billed these records');
  }

  /** Where the customer's next item goes; null: it waits for a draft. */
  private async targetFor(customer: string): Promise<Target | null> {
    const { stripe, overageInvoices } = this.parts;
    const living = await unendedAtStripe(stripe, customer);
    const { data } = living.length > 0 ? await stripe.invoices.list({ customer, status: 'draft', limit: 100 }) : { data: [] };
    const draft = data.find((bill) => isUsable(bill) && living.includes(subscriptionOf(bill) ?? ''));
    if (draft) return { way: 'draft', invoiceId: draft.id, includesOpen: false };
    if (living.length > 0) return null;
    if (await overageInvoices.isCustomerDeleted(customer)) return { way: 'void', invoiceId: null, includesOpen: false };
    const own = (await stripe.invoices.list({ customer, status: 'draft', limit: 100 })).data.find(isOverageInvoice);
    return { way: 'bill', invoiceId: own?.id ?? null, includesOpen: false };
  }

  private each<T>(all: T[], work: (one: T) => Promise<unknown>): Promise<unknown> {
    const limit = pLimit(this.parts.concurrency ?? batchSize);
    return Promise.all(all.map((one) => limit(() => work(one))));
  }
}
