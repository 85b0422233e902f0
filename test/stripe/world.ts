import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import { missing } from './fault.js';
import { shown } from './shapes.js';

/** Facts of a subscription that only the stand-in knows: its customer's card and remaining retries. */
export interface Collection {
  /** Whether the next charge succeeds. */
  isCardGood: boolean;
  retriesLeft: number;
}

/** Stripe's time in whole seconds: the machine's, until a test sets it. */
class Clock {
  private setSeconds: number | null = null;

  now(): number {
    return this.setSeconds ?? Math.floor(Date.now() / 1000);
  }

  /** Stops time until it is set again. */
  set(seconds: number): void {
    this.setSeconds = seconds;
  }
}

/** Everything that Stripe stores for one account, as complete objects of the SDK's types. */
export class World {
  readonly clock = new Clock();
  readonly customers = new Shelf<Stripe.Customer>('customer');
  readonly deletedCustomers = new Set<string>();
  readonly balanceTransactions = new Shelf<Stripe.CustomerBalanceTransaction>('balance transaction');
  readonly portalConfigurations = new Shelf<Stripe.BillingPortal.Configuration>('configuration');
  readonly products = new Shelf<Stripe.Product>('product');
  readonly prices = new Shelf<Stripe.Price>('price');
  readonly sessions = new Shelf<Stripe.Checkout.Session>('checkout.session');
  /** What each sells, which the session itself shows only when asked. */
  readonly sessionItems = new Map<string, { prices: Stripe.Price[]; metadata: Stripe.Metadata }>();
  readonly subscriptions = new Shelf<Stripe.Subscription>('subscription');
  readonly invoices = new Shelf<Stripe.Invoice>('invoice');
  readonly charges = new Shelf<Stripe.Charge>('charge');
  readonly events = new Shelf<Stripe.Event>('event');
  readonly collections = new Map<string, Collection>();
  /** Items for a subscription's next invoice, oldest first. */
  readonly pendingLines = new Map<string, Stripe.InvoiceLineItem[]>();
  /** Calls whose answer was a 504, and which are carried out later. */
  readonly later: { at: number; happen(): void }[] = [];
  readonly creditNotes = new Shelf<Stripe.CreditNote>('credit note');
  /** Coupons, by customer or subscription. */
  readonly percentOff = new Map<string, number>();
  /** Percentages of manual tax rates. */
  readonly taxRates = new Map<string, number>();
  /** The tax rates of lines that have their own. */
  readonly ratesOfLines = new Map<string, string[]>();
  /** The account's setting: a subscription's status after the last failed attempt. */
  dunningEnds: 'unpaid' | 'canceled' | 'past_due' = 'unpaid';
  /** Whether ending a subscription at once stops its drafts. */
  endingStopsDrafts = false;
  /** Whether events are listed already; a test that loses some says when, so that no server finds them before. */
  areEventsListed = false;
  /** The currency of payment, if a price has it and the session names none. */
  presentmentCurrency = 'usd';
  /** Called with each call as it arrives, for example `POST /v1/customers`. */
  onCall: (call: string) => void = () => {};
  /** Called with each event. */
  onEvent: (event: Stripe.Event) => void = () => {};

  /** Records an event with the object's present state. */
  emit(type: Stripe.Event.Type, object: object): void {
    const event = {
      id: newId('evt'),
      object: 'event',
      api_version: '2026-10-28.endive',
      created: this.clock.now(),
      data: { object: shown(structuredClone(object)) },
      livemode: false,
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

/** Ids are in order of creation. */
export const newId = (prefix: string): string => `${prefix}_${run}${String(++ids).padStart(12, '0')}`;

/** Restarts ids, so the same run has the same ids. */
export function beginIdsAnew(): void {
  [run, ids] = ['', 0];
}
