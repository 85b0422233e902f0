import { attemptPayment, finalizeInvoice } from './collecting.js';
import { endPeriod, periodOf } from './subscribing.js';
import type { World } from './world.js';

interface Due {
  at: number;
  happen(): void;
}

/** Lets Stripe's time pass up to a moment: everything that is due happens in its order and at its own time. */
export function passTime(world: World, until: number): void {
  for (let next = earliest(world, until); next; next = earliest(world, until)) {
    world.clock.set(next.at);
    next.happen();
  }
  world.clock.set(until);
}

/** What is due by now, for a clock that runs by itself. */
export function catchUp(world: World): void {
  for (let next = earliest(world, world.clock.now()); next; next = earliest(world, world.clock.now())) next.happen();
}

function earliest(world: World, until: number): Due | undefined {
  return [...periodEnds(world), ...finalizations(world), ...retries(world), ...expiries(world)]
    .filter(({ at }) => at <= until)
    .sort((a, b) => a.at - b.at)[0];
}

const periodEnds = (world: World): Due[] =>
  world.subscriptions
    .all()
    .filter(({ ended_at, status }) => ended_at === null && status !== 'incomplete' && status !== 'paused')
    .map((subscription) => ({ at: periodOf(subscription).end, happen: () => endPeriod(world, subscription) }));

const finalizations = (world: World): Due[] =>
  world.invoices
    .all()
    .filter(({ status, automatically_finalizes_at }) => status === 'draft' && automatically_finalizes_at !== null)
    .map((invoice) => ({
      at: invoice.automatically_finalizes_at!,
      happen: () => {
        finalizeInvoice(world, invoice);
        attemptPayment(world, invoice);
      },
    }));

const retries = (world: World): Due[] =>
  world.invoices
    .all()
    .filter(({ status, attempted, next_payment_attempt }) => status === 'open' && attempted && next_payment_attempt !== null)
    .map((invoice) => ({ at: invoice.next_payment_attempt!, happen: () => attemptPayment(world, invoice) }));

const expiries = (world: World): Due[] =>
  world.sessions
    .all()
    .filter(({ status }) => status === 'open')
    .map((session) => ({
      at: session.expires_at,
      happen: () => {
        session.status = 'expired';
        session.url = null;
        world.emit('checkout.session.expired', session);
      },
    }));
