import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import type { Task } from '../../jobs/task.js';
import { billSoon } from '../billing-jobs.js';
import { isInItsHour, subscriptionOf, withAllLines } from '../stripe/invoices.js';
import { orMissing } from '../stripe/stripe-client.js';
import { unendedAtStripe } from '../subscriptions/subscription-reading.js';
import { ItemInvoicer } from './item-invoicer.js';
import {
  amountCents,
  hasRefusedItem,
  itemsOf,
  type OverageDue,
  type OverageNow,
  openItem,
  overageDue,
  owesOverage,
  secondsToClosing,
  takeItems,
  warnOfUnbilled,
} from './overage-item.store.js';

const minuteSeconds = 60;

/**
 * Bills overage by subtraction: overage of closed periods in the ledger, less the items on invoices. The difference becomes an item on a draft
 * of the customer's subscriptions, within the draft's own hour. If none has come within three days of the period's end, or none can come, it
 * goes on an overage invoice of our own.
 */
export class OverageBiller {
  private readonly invoicer: ItemInvoicer;

  /** @param thresholdCents open overage from which a customer is billed within the period; null: never */
  constructor(
    private readonly stripe: Stripe,
    private readonly pool: Pool,
    private readonly thresholdCents: number | null,
    private readonly log: Logger,
  ) {
    this.invoicer = new ItemInvoicer(stripe, pool, log);
  }

  /** For one customer at a time: `billSoon`. */
  task(): Task<'bill-overage'> {
    return { name: 'bill-overage', timeLimitSeconds: 120, isOutbound: true, run: ({ customer }) => this.bill(customer) };
  }

  /** Does what is due now, and schedules what is due next. */
  async bill(customer: string): Promise<void> {
    const { rows } = await this.pool.query<{ since: Date }>('select service_now() as since');
    const { since } = rows[0]!;
    const waits = await this.work(customer).catch((error: unknown): (number | null)[] => {
      this.log.warn({ error, customer }, 'the overage of a customer could not be billed; it will be retried');
      return [minuteSeconds];
    });
    const next = [...waits, await secondsToClosing(this.pool, customer, since)].filter((wait) => wait !== null);
    // An event may have scheduled an earlier time meanwhile.
    if (next.length > 0) await billSoon(this.pool, customer, { since, delaySeconds: Math.min(...next), keepsTime: true });
  }

  /** @returns after how many seconds each part of it has to be looked at again; null: never */
  private async work(customer: string): Promise<(number | null)[]> {
    const { pool, invoicer } = this;
    const waits: (number | null)[] = [];
    for (const item of await takeItems(pool, customer, 'trying')) waits.push(await invoicer.add(item));
    if (!waits.some((wait) => wait !== null)) waits.push(await this.addDue(customer));
    for (const item of await takeItems(pool, customer, 'added')) waits.push(await invoicer.finish(item));
    return waits;
  }

  /** Adds one item after the other, and stops at the first whose outcome is unknown. */
  private async addDue(customer: string): Promise<number | null> {
    const { stripe, pool, invoicer } = this;
    const due = await this.dueNow(customer);
    if (due.length === 0) return null;
    const subscriptions = await unendedAtStripe(stripe, customer);
    if (subscriptions.length === 0 && (await invoicer.isCustomerDeleted(customer))) return this.giveUp(customer, due);
    const draft = await this.findDraft(customer, subscriptions, due[0]!.nowSeconds);
    let ownBill: string | null = null;
    let waitSeconds: number | null = null;
    for (const one of due) {
      const isOnDraft = draft !== null && !one.isOpen;
      const untilOwnBill = one.waitsUntilSeconds - one.nowSeconds;
      if (!isOnDraft && !one.isOpen && untilOwnBill > 0 && subscriptions.length > 0) {
        waitSeconds = Math.min(waitSeconds ?? untilOwnBill, untilOwnBill);
        continue;
      }
      const forgiven = one.records < 0 ? await neverPaid(stripe, pool, one) : 0;
      if (forgiven > 0) await openItem(pool, customer, one, { way: 'credit', invoiceId: null, state: 'void', records: -forgiven });
      const left = { ...one, records: one.records + forgiven };
      if (left.records === 0) continue;
      // An overage invoice cannot be lowered, so a negative amount becomes a customer credit.
      const way = isOnDraft ? 'draft' : one.records < 0 ? 'credit' : 'bill';
      const invoiceId = { draft: draft?.id ?? null, bill: ownBill, credit: null }[way];
      const item = await openItem(pool, customer, left, { way, invoiceId, state: 'trying' });
      // What is due has changed meanwhile.
      if (!item) return minuteSeconds;
      const subscription = subscriptions.find(({ id }) => id === item.subscriptionId);
      const untilRetry = await invoicer.add(item, { subscription, bill: isOnDraft ? draft : null });
      if (untilRetry !== null) return untilRetry;
      if (way === 'bill') ownBill = item.invoiceId;
    }
    return waitSeconds;
  }

  /** The due overage of closed periods, and of open ones if it has reached the threshold. */
  private async dueNow(customer: string): Promise<OverageNow[]> {
    const { pool, thresholdCents } = this;
    const due = await overageDue(pool, customer);
    const openCents = due.reduce((sum, one) => sum + (one.isOpen ? amountCents(one) : 0), 0);
    const isOver = thresholdCents !== null && openCents >= thresholdCents && !(await owesOverage(pool, customer));
    return isOver ? due : due.filter(({ isOpen }) => !isOpen);
  }

  /** A draft that is billed with what is put on it now. Paused collection voids or keeps its drafts. */
  private async findDraft(customer: string, subscriptions: Stripe.Subscription[], nowSeconds: number): Promise<Stripe.Invoice | null> {
    const collecting = subscriptions.filter(({ pause_collection }) => !pause_collection).map(({ id }) => id);
    if (collecting.length === 0) return null;
    const { data } = await this.stripe.invoices.list({ customer, status: 'draft', limit: 100 });
    for (const bill of data) {
      if (!isInItsHour(bill, nowSeconds) || !collecting.includes(subscriptionOf(bill) ?? '')) continue;
      if (!(await hasRefusedItem(this.pool, bill.id))) return bill;
    }
    return null;
  }

  /** The customer was deleted in Stripe. */
  private async giveUp(customer: string, due: OverageNow[]): Promise<null> {
    for (const one of due) await openItem(this.pool, customer, one, { way: 'bill', invoiceId: null, state: 'void' });
    const records = due.reduce((sum, one) => sum + one.records, 0);
    await warnOfUnbilled(this.pool, customer, records);
    this.log.error({ customer, records }, 'a customer was deleted in Stripe: these overage records are not billed');
    return null;
  }
}

type BilledItem = Awaited<ReturnType<typeof itemsOf>>[number];

/**
 * How many records of what is to be given back were never paid: their bill is void, written off or credited, so there is nothing to give back.
 * Paid records count for the reads that stay.
 */
export async function neverPaid(stripe: Stripe, pool: Pool, due: OverageDue): Promise<number> {
  const items = await itemsOf(pool, due);
  const staying = items.reduce((sum, { records }) => sum + records, due.records);
  let paid = 0;
  for (const item of items) if (!item.isForgiven) paid += item.records - (await forgivenOf(stripe, item));
  return -due.records - Math.min(-due.records, Math.max(0, paid - staying));
}

/** How many of an item's records the Stripe account's owner has forgiven. */
async function forgivenOf(stripe: Stripe, { id, records, unitCents, invoiceId }: BilledItem): Promise<number> {
  if (records < 0 || !invoiceId) return 0;
  const bill = await orMissing(stripe.invoices.retrieve(invoiceId));
  if (!bill || bill.status === 'void' || bill.status === 'uncollectible') return records;
  const creditedCents = bill.post_payment_credit_notes_amount + bill.pre_payment_credit_notes_amount;
  if (creditedCents === 0) return 0;
  if (creditedCents >= bill.total) return records;
  const { lines } = await withAllLines(stripe, bill);
  const line = lines.data.find(({ metadata }) => metadata?.overage_item === id);
  const notes = await stripe.creditNotes.list({ invoice: invoiceId, limit: 100 });
  const ofLine = notes.data.flatMap((note) => note.lines.data).filter(({ invoice_line_item }) => invoice_line_item === line?.id);
  return Math.min(records, Math.floor(ofLine.reduce((sum, { amount }) => sum + amount, 0) / unitCents));
}
