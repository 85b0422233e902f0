import type Stripe from 'stripe';
import { attemptAlone, attemptPayment, finalizeInvoice, voidInvoice, writeOff } from './collecting.js';
import { endPeriod, periodOf } from './subscribing.js';
import type { World } from './world.js';

interface Due {
  at: number;
  happen(): void;
}

/** Advances Stripe's time: everything due happens in order and at its own time. */
export function passTime(world: World, until: number): void {
  for (let next = earliest(world, until); next; next = earliest(world, until)) {
    world.clock.set(next.at);
    next.happen();
  }
  world.clock.set(until);
}

/** Does what is due by now, for a running clock. */
export function catchUp(world: World): void {
  for (let next = earliest(world, world.clock.now()); next; next = earliest(world, world.clock.now())) next.happen();
}

function earliest(world: World, until: number): Due | undefined {
  let first: Due | undefined;
  for (const due of allDue(world)) if (due.at <= until && (!first || due.at < first.at)) first = due;
  return first;
}

function* allDue(world: World): Generator<Due> {
  for (const call of world.later) {
    const happen = () => {
      world.later.splice(world.later.indexOf(call), 1);
      call.happen();
    };
    yield { at: call.at, happen };
  }
  for (const subscription of world.subscriptions.all()) {
    const { ended_at, status } = subscription;
    if (ended_at !== null || status === 'incomplete' || status === 'paused') continue;
    yield { at: periodOf(subscription).end, happen: () => endPeriod(world, subscription) };
  }
  for (const invoice of world.invoices.all()) {
    const { status, attempted, automatically_finalizes_at, next_payment_attempt } = invoice;
    if (status === 'draft' && automatically_finalizes_at !== null) {
      const happen = () => {
        finalizeInvoice(world, invoice);
        const subscription = invoice.parent?.subscription_details?.subscription as string | undefined;
        const paused = subscription && world.subscriptions.get(subscription).pause_collection?.behavior;
        if (paused) (paused === 'void' ? voidInvoice : writeOff)(world, invoice);
        else if (invoice.collection_method === 'charge_automatically') (invoice.parent ? attemptPayment : attemptAlone)(world, invoice);
      };
      yield { at: automatically_finalizes_at, happen };
    }
    if (status === 'open' && attempted && next_payment_attempt !== null) {
      yield { at: next_payment_attempt, happen: () => (invoice.parent ? attemptPayment : attemptAlone)(world, invoice) };
    }
  }
  for (const session of world.sessions.all()) {
    if (session.status === 'open') yield { at: session.expires_at, happen: () => expireSession(world, session) };
  }
}

export function expireSession(world: World, session: Stripe.Checkout.Session): void {
  session.status = 'expired';
  session.url = null;
  world.emit('checkout.session.expired', session);
}
