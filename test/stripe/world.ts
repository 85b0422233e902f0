import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import { Clock } from './clock.js';
import { missing } from './fault.js';
import { shown } from './shapes/shown.js';

/** Usage as the meter took it; a cancelled event stays, without value. */
export interface MeterRecord {
  event: Stripe.Billing.MeterEvent;
  customer: string;
  value: number;
  receivedAt: number;
  isCancelled: boolean;
}

/** What only the stand-in knows of a subscription: its customer's card, and what is due when. */
export interface Collection {
  /** Whether the next charge succeeds. */
  isCardGood: boolean;
  retriesLeft: number;
}

/** Everything that Stripe would keep for one account. Objects are the SDK's types, whole. */
export class World {
  readonly clock = new Clock();
  readonly customers = new Shelf<Stripe.Customer>('customer');
  readonly deletedCustomers = new Set<string>();
  readonly balanceTransactions = new Shelf<Stripe.CustomerBalanceTransaction>('balance transaction');
  readonly portalConfigurations = new Shelf<Stripe.BillingPortal.Configuration>('configuration');
  readonly products = new Shelf<Stripe.Product>('product');
  readonly prices = new Shelf<Stripe.Price>('price');
  readonly meters = new Shelf<Stripe.Billing.Meter>('billing meter');
  readonly sessions = new Shelf<Stripe.Checkout.Session>('checkout.session');
  readonly subscriptions = new Shelf<Stripe.Subscription>('subscription');
  readonly invoices = new Shelf<Stripe.Invoice>('invoice');
  readonly invoicePayments = new Shelf<Stripe.InvoicePayment>('invoice payment');
  readonly charges = new Shelf<Stripe.Charge>('charge');
  readonly refunds = new Shelf<Stripe.Refund>('refund');
  readonly disputes = new Shelf<Stripe.Dispute>('dispute');
  readonly events = new Shelf<Stripe.Event>('event');
  readonly usage = new Map<string, MeterRecord>();
  readonly collections = new Map<string, Collection>();
  /** What was put aside for the next bill of a subscription, oldest first. */
  readonly pendingLines = new Map<string, Stripe.InvoiceLineItem[]>();
  /** What becomes of a subscription whose last attempt to collect failed: a setting of the account. */
  dunningEnds: 'unpaid' | 'canceled' | 'past_due' = 'unpaid';
  /** Whether drafts of a subscription are left alone when it ends at once. */
  endingStopsDrafts = false;
  /** In which currency people pay, where a price has it and nobody says another. */
  presentmentCurrency = 'usd';
  /** How long a meter's event is missing in its sums. */
  summaryLagSeconds = 60;
  /** Told of each call as it arrives, as in `POST /v1/customers`. */
  onCall: (call: string) => void = () => {};
  /** Told of each event as it happens. */
  onEvent: (event: Stripe.Event) => void = () => {};

  /** Records that something happened, with the object as it is at this moment. */
  emit(type: Stripe.Event.Type, object: object): void {
    const event = {
      id: newId('evt'),
      object: 'event',
      api_version: '2026-10-28.endive',
      created: this.clock.now(),
      data: { object: shown(structuredClone(object)) },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    } as unknown as Stripe.Event;
    this.events.add(event);
    this.onEvent(event);
  }
}

/** Objects of one kind, oldest first. */
export class Shelf<T extends { id: string }> {
  private readonly objects = new Map<string, T>();

  constructor(private readonly kind: string) {}

  add<Added extends T>(object: Added): Added {
    this.objects.set(object.id, object);
    return object;
  }

  has(id: string): boolean {
    return this.objects.has(id);
  }

  /** @throws StripeFault as Stripe answers for an unknown id */
  get(id: string, param?: string): T {
    const object = this.objects.get(id);
    if (!object) throw missing(this.kind, id, param);
    return object;
  }

  remove(id: string): void {
    this.objects.delete(id);
  }

  all(): T[] {
    return [...this.objects.values()];
  }
}

let [run, ids] = [randomBytes(6).toString('hex'), 0];

/** Ids come in the order of their making. */
export const newId = (prefix: string): string => `${prefix}_${run}${String(++ids).padStart(12, '0')}`;

/** From here on ids are the same ones for the same course of things. */
export function beginIdsAnew(): void {
  [run, ids] = ['', 0];
}
