import pLimit from 'p-limit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { Config } from '../../core/config.js';
import { isOverageInvoice, subscriptionOf } from '../stripe/invoices.js';
import { unendedAtStripe } from '../subscriptions/subscription-reading.js';
import { ItemInvoicer, isUsable } from './item-invoicer.js';
import { OverageInvoices } from './overage-invoices.js';
import { claimItems, hasUncertainItem, openItem, overageDue, type Target } from './overage-item.store.js';
import { claimCustomers, customersOverThreshold, scheduleChanged, scheduleNextCheck, warnOfUnbilled } from './overage-schedule.store.js';

const batchSize = 20;

interface OverageBillerParts {
  stripe: Stripe;
  pool: Pool;
  invoicer: ItemInvoicer;
  overageInvoices: OverageInvoices;
  /** Open overage from which an account is billed within the period; null: never. */
  thresholdCents: number | null;
  /** How many customers are billed side by side. */
  concurrency: number;
  log: Logger;
}

/**
 * Bills overage by subtraction: overage of closed periods in the ledger, less the items on invoices. The difference becomes an item on the
 * subscription's draft. Without a subscription it goes on an overage invoice of our own. Otherwise it waits for the next draft. Any number
 * of servers may run this.
 */
export class OverageBiller {
  constructor(private readonly parts: OverageBillerParts) {}

  /** @returns whether there may be more */
  async billDue(): Promise<boolean> {
    const { pool, invoicer } = this.parts;
    await scheduleChanged(pool);
    const customers = await claimCustomers(pool, batchSize);
    await this.each(customers, (customer) => this.check(customer));
    const unknown = await claimItems(pool, 'trying', batchSize);
    await this.each(unknown, (item) => invoicer.add(item).then(() => this.check(item.stripeCustomerId)));
    const added = await claimItems(pool, 'added', batchSize);
    await this.each(added, (item) => invoicer.finish(item));
    return customers.length + unknown.length + added.length > 0;
  }

  /** Bills open overage within the period for customers above the threshold. */
  async billOverThreshold(): Promise<boolean> {
    const { pool, thresholdCents } = this.parts;
    if (thresholdCents === null) return false;
    await this.each(await customersOverThreshold(pool, thresholdCents), (customer) =>
      this.bill(customer, { way: 'bill', invoiceId: null, includesOpen: true }),
    );
    return false;
  }

  private async check(customer: string): Promise<void> {
    const { pool, log } = this.parts;
    try {
      const due = await overageDue(pool, customer, false);
      if (due.length > 0 && !(await hasUncertainItem(pool, customer))) {
        const target = await this.targetFor(customer);
        if (target) await this.bill(customer, target);
      }
    } catch (error) {
      log.warn({ error, customer }, 'the overage of a customer could not be billed; it will be retried');
    }
    await scheduleNextCheck(pool, customer);
  }

  /** Adds one item after the other, and stops at the first whose outcome is unknown. */
  private async bill(customer: string, target: Target): Promise<void> {
    const { pool, invoicer, log } = this.parts;
    let { invoiceId } = target;
    const due = await overageDue(pool, customer, target.includesOpen);
    for (const one of due) {
      // An overage invoice cannot be lowered, so a negative amount becomes a customer credit.
      const way = target.way === 'bill' && one.records < 0 ? 'credit' : target.way;
      const item = await openItem(pool, customer, one, { ...target, way, invoiceId: way === 'credit' ? null : invoiceId });
      if (!item || (target.way !== 'void' && !(await invoicer.add(item)))) return;
      if (way === 'bill') invoiceId = await invoicer.invoiceOf(item);
    }
    if (target.way !== 'void') return;
    const records = due.reduce((sum, one) => sum + one.records, 0);
    await warnOfUnbilled(pool, customer, records);
    log.error({ customer, records }, 'a customer was deleted in Stripe: these overage records are not billed');
  }

  /** Where the customer's next item goes; null: wait for a draft. */
  private async targetFor(customer: string): Promise<Target | null> {
    const { stripe, overageInvoices } = this.parts;
    const unended = await unendedAtStripe(stripe, customer);
    const { data } = unended.length > 0 ? await stripe.invoices.list({ customer, status: 'draft', limit: 100 }) : { data: [] };
    const draft = data.find((bill) => isUsable(bill) && unended.includes(subscriptionOf(bill) ?? ''));
    if (draft) return { way: 'draft', invoiceId: draft.id, includesOpen: false };
    if (unended.length > 0) return null;
    if (await overageInvoices.isCustomerDeleted(customer)) return { way: 'void', invoiceId: null, includesOpen: false };
    const own = (await stripe.invoices.list({ customer, status: 'draft', limit: 100 })).data.find(isOverageInvoice);
    return { way: 'bill', invoiceId: own?.id ?? null, includesOpen: false };
  }

  private each<T>(all: T[], work: (one: T) => Promise<unknown>): Promise<unknown> {
    const limit = pLimit(this.parts.concurrency);
    return Promise.all(all.map((one) => limit(() => work(one))));
  }
}

type OverageConfig = Pick<Config, 'stripeAutomaticTax' | 'overageBillThresholdUsd'>;

/** @param concurrency how many customers are billed side by side */
export function createOverageBiller(
  stripe: Stripe,
  pool: Pool,
  config: OverageConfig,
  log: Logger,
  concurrency = batchSize,
): OverageBiller {
  const overageInvoices = new OverageInvoices(stripe, config.stripeAutomaticTax);
  const invoicer = new ItemInvoicer(stripe, pool, overageInvoices, log);
  const { overageBillThresholdUsd: dollars } = config;
  return new OverageBiller({
    stripe,
    pool,
    invoicer,
    overageInvoices,
    thresholdCents: dollars === undefined ? null : dollars * 100,
    concurrency,
    log,
  });
}
