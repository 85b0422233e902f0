import pLimit from 'p-limit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { isOwnBill, subscriptionOf } from '../stripe/overage-bills.js';
import { unendedAtStripe } from '../subscriptions/stripe-subscriptions.js';
import { claimItems, isUnderWay, openItem, overageDue, type Target } from './overage-item.store.js';
import { claimCustomers, customersBeyond, noteChanges, scheduleLook, warnOfUnbilled } from './overage-looks.store.js';
import type { OwnBill } from './own-bill.js';
import { type ItemPlacer, isUsable } from './place-item.js';

const batchSize = 20;

interface OverageBillerParts {
  stripe: Stripe;
  pool: Pool;
  placer: ItemPlacer;
  ownBill: OwnBill;
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
    const { pool, placer } = this.parts;
    await noteChanges(pool);
    const customers = await claimCustomers(pool, batchSize);
    await this.each(customers, (customer) => this.look(customer));
    const unknown = await claimItems(pool, 'trying', batchSize);
    await this.each(unknown, (item) => placer.place(item).then(() => this.look(item.stripeCustomerId)));
    const added = await claimItems(pool, 'added', batchSize);
    await this.each(added, (item) => placer.finish(item));
    return customers.length + unknown.length + added.length > 0;
  }

  /** Bills what is open within the period, of customers who owe more than may wait for its end. */
  async billBeyondThreshold(): Promise<boolean> {
    const { pool, thresholdCents } = this.parts;
    if (thresholdCents === null) return false;
    await this.each(await customersBeyond(pool, thresholdCents), (customer) =>
      this.bill(customer, { way: 'bill', invoiceId: null, isWithOpen: true }),
    );
    return false;
  }

  private async look(customer: string): Promise<void> {
    const { pool, log } = this.parts;
    try {
      const due = await overageDue(pool, customer, false);
      if (due.length > 0 && !(await isUnderWay(pool, customer))) {
        const target = await this.targetFor(customer);
        if (target) await this.bill(customer, target);
      }
    } catch (error) {
      log.warn({ error, customer }, 'the overage of a customer could not be billed; it is tried again');
    }
    await scheduleLook(pool, customer);
  }

  /** One item after the other, until one of them is not there for certain. */
  private async bill(customer: string, target: Target): Promise<void> {
    const { pool, placer, log } = this.parts;
    let { invoiceId } = target;
    const due = await overageDue(pool, customer, target.isWithOpen);
    for (const one of due) {
      // Where nothing more can lower a bill, the customer gets it back as a credit.
      const way = target.way === 'bill' && one.records < 0 ? 'credit' : target.way;
      const item = await openItem(pool, customer, one, { ...target, way, invoiceId: way === 'credit' ? null : invoiceId });
      if (!item || (target.way !== 'void' && !(await placer.place(item)))) return;
      if (way === 'bill') invoiceId = await placer.invoiceOf(item);
    }
    if (target.way !== 'void') return;
    const records = due.reduce((sum, one) => sum + one.records, 0);
    await warnOfUnbilled(pool, customer, records);
    log.error({ customer, records }, 'a customer was deleted in Stripe, and is not billed these records');
  }

  /** Where the customer's next item goes; null: it waits for a draft. */
  private async targetFor(customer: string): Promise<Target | null> {
    const { stripe, ownBill } = this.parts;
    const living = await unendedAtStripe(stripe, customer);
    const { data } = living.length > 0 ? await stripe.invoices.list({ customer, status: 'draft', limit: 100 }) : { data: [] };
    const draft = data.find((bill) => isUsable(bill) && living.includes(subscriptionOf(bill) ?? ''));
    if (draft) return { way: 'draft', invoiceId: draft.id, isWithOpen: false };
    if (living.length > 0) return null;
    if (await ownBill.isCustomerDeleted(customer)) return { way: 'void', invoiceId: null, isWithOpen: false };
    const own = (await stripe.invoices.list({ customer, status: 'draft', limit: 100 })).data.find(isOwnBill);
    return { way: 'bill', invoiceId: own?.id ?? null, isWithOpen: false };
  }

  private each<T>(all: T[], work: (one: T) => Promise<unknown>): Promise<unknown> {
    const limit = pLimit(this.parts.concurrency ?? batchSize);
    return Promise.all(all.map((one) => limit(() => work(one))));
  }
}
