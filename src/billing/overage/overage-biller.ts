import pLimit from 'p-limit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { Config } from '../../core/config.js';
import { isInItsHour, subscriptionOf } from '../stripe/invoices.js';
import { unendedAtStripe } from '../subscriptions/subscription-reading.js';
import { ItemInvoicer } from './item-invoicer.js';
import { neverPaid } from './never-paid.js';
import { amountCents, claimItems, hasRefusedItem, hasUncertainItem, type OverageNow, openItem, overageDue } from './overage-item.store.js';
import {
  claimCustomers,
  customersOverThreshold,
  owesOverage,
  scheduleChanged,
  scheduleNextCheck,
  warnOfUnbilled,
} from './overage-schedule.store.js';

const batchSize = 20;

interface OverageBillerOptions {
  stripe: Stripe;
  pool: Pool;
  invoicer: ItemInvoicer;
  /** Open overage from which an account is billed within the period; null: never. */
  thresholdCents: number | null;
  /** How many customers are billed side by side. */
  concurrency: number;
  log: Logger;
}

/**
 * Bills overage by subtraction: overage of closed periods in the ledger, less the items on invoices. The difference becomes an item on a draft
 * of the customer's subscriptions, within the draft's own hour. If none has come within three days of the period's end, or none can come, it
 * goes on an overage invoice of our own. Any number of servers may run this.
 */
export class OverageBiller {
  constructor(private readonly options: OverageBillerOptions) {}

  /** @returns whether there may be more */
  async billDue(): Promise<boolean> {
    const { pool, invoicer } = this.options;
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
    const { pool, thresholdCents } = this.options;
    if (thresholdCents === null) return false;
    await this.each(await customersOverThreshold(pool, thresholdCents), (customer) => this.check(customer));
    return false;
  }

  private async check(customer: string): Promise<void> {
    const { pool, log } = this.options;
    try {
      const due = await this.dueNow(customer);
      if (due.length > 0 && !(await hasUncertainItem(pool, customer))) await this.bill(customer, due);
    } catch (error) {
      log.warn({ error, customer }, 'the overage of a customer could not be billed; it will be retried');
    }
    await scheduleNextCheck(pool, customer);
  }

  /** What is due of closed periods, and of open ones if that has reached the threshold. */
  private async dueNow(customer: string): Promise<OverageNow[]> {
    const { pool, thresholdCents } = this.options;
    const due = await overageDue(pool, customer);
    const openCents = due.reduce((sum, one) => sum + (one.isOpen ? amountCents(one) : 0), 0);
    const isOver = thresholdCents !== null && openCents >= thresholdCents && !(await owesOverage(pool, customer));
    return isOver ? due : due.filter(({ isOpen }) => !isOpen);
  }

  /** Adds one item after the other, and stops at the first whose outcome is unknown. */
  private async bill(customer: string, due: OverageNow[]): Promise<void> {
    const { stripe, pool, invoicer } = this.options;
    const subscriptions = await unendedAtStripe(stripe, customer);
    if (subscriptions.length === 0 && (await invoicer.isCustomerDeleted(customer))) return this.giveUp(customer, due);
    const draft = await this.findDraft(customer, subscriptions, due[0]!.nowSeconds);
    let ownBill: string | null = null;
    for (const one of due) {
      const isOnDraft = draft !== null && !one.isOpen;
      if (!isOnDraft && !one.isOpen && one.mayWait && subscriptions.length > 0) continue;
      const forgiven = one.records < 0 ? await neverPaid(stripe, pool, one) : 0;
      if (forgiven > 0) await openItem(pool, customer, one, { way: 'credit', invoiceId: null, state: 'void', records: -forgiven });
      const left = { ...one, records: one.records + forgiven };
      if (left.records === 0) continue;
      // An overage invoice cannot be lowered, so a negative amount becomes a customer credit.
      const way = isOnDraft ? 'draft' : one.records < 0 ? 'credit' : 'bill';
      const invoiceId = { draft, bill: ownBill, credit: null }[way];
      const item = await openItem(pool, customer, left, { way, invoiceId, state: 'trying' });
      if (!item || !(await invoicer.add(item))) return;
      if (way === 'bill') ownBill = item.invoiceId;
    }
  }

  /** A draft that is billed with what is put on it now. Paused collection voids or keeps its drafts. */
  private async findDraft(customer: string, subscriptions: Stripe.Subscription[], nowSeconds: number): Promise<string | null> {
    const { stripe, pool } = this.options;
    const collecting = subscriptions.filter(({ pause_collection }) => !pause_collection).map(({ id }) => id);
    if (collecting.length === 0) return null;
    const { data } = await stripe.invoices.list({ customer, status: 'draft', limit: 100 });
    for (const bill of data) {
      if (!isInItsHour(bill, nowSeconds) || !collecting.includes(subscriptionOf(bill) ?? '')) continue;
      if (!(await hasRefusedItem(pool, bill.id))) return bill.id;
    }
    return null;
  }

  /** The customer was deleted in Stripe. */
  private async giveUp(customer: string, due: OverageNow[]): Promise<void> {
    const { pool, log } = this.options;
    for (const one of due) await openItem(pool, customer, one, { way: 'bill', invoiceId: null, state: 'void' });
    const records = due.reduce((sum, one) => sum + one.records, 0);
    await warnOfUnbilled(pool, customer, records);
    log.error({ customer, records }, 'a customer was deleted in Stripe: these overage records are not billed');
  }

  private each<T>(all: T[], work: (one: T) => Promise<unknown>): Promise<unknown> {
    const limit = pLimit(this.options.concurrency);
    return Promise.all(all.map((one) => limit(() => work(one))));
  }
}

/** @param concurrency how many customers are billed side by side */
export function createOverageBiller(
  stripe: Stripe,
  pool: Pool,
  { overageBillThresholdUsd: dollars }: Pick<Config, 'overageBillThresholdUsd'>,
  log: Logger,
  concurrency = batchSize,
): OverageBiller {
  const thresholdCents = dollars === undefined ? null : dollars * 100;
  return new OverageBiller({ stripe, pool, invoicer: new ItemInvoicer(stripe, pool, log), thresholdCents, concurrency, log });
}
