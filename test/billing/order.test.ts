import pLimit from 'p-limit';
import type Stripe from 'stripe';
import { PaidService } from '../harness/paid-service.js';
import { randomFrom } from '../stripe/faults.js';
import { asOf2024 } from '../stripe/old-version.js';

const customers = 15;
// On a slow machine, all at once would time out while they wait for each other.
const atOnce = pLimit(20);

// Customers with the same history at the same time. Each one's events arrive in another order: some at once, some days or months late, some
// two or three times, and some in an older API version.
describe('events in any order, late and repeated', () => {
  let service: PaidService;
  const undelivered = new Map<string, Stripe.Event[]>();
  const random = randomFrom(20_270_131);

  beforeAll(async () => {
    service = await PaidService.open();
    await service.startServer();
  });

  /** Delivers a random part of each customer's pending events, in random order. */
  const deliverSome = async (share: number) => {
    for (const event of service.stripe.takeEvents()) {
      const object = event.data.object as { customer?: string; id: string };
      const customer = object.customer ?? chargedCustomer(object) ?? object.id;
      const copies: Stripe.Event[] = Array(1 + Math.floor(random() ** 3 * 3)).fill(event);
      undelivered.set(customer, [...(undelivered.get(customer) ?? []), ...copies]);
    }
    await Promise.all(
      [...undelivered].map(([customer, events]) =>
        atOnce(async () => {
          const chosen = shuffled(events).slice(0, Math.ceil(events.length * share));
          for (const event of chosen) {
            events.splice(events.indexOf(event), 1);
            expect(await service.stripe.deliveries.deliver(random() < 0.8 ? event : asOf2024(event))).toBe(200);
          }
          undelivered.set(customer, events);
        }),
      ),
    );
  };

  const chargedCustomer = (object: object): string | undefined => {
    const { charge } = object as { charge?: string };
    return charge && (service.stripe.world.charges.get(charge).customer as string);
  };

  const shuffled = <T>(items: T[]): T[] =>
    items
      .map((item) => ({ item, rank: random() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);

  /** Everything of an account that could differ, without ids. */
  const states = () =>
    service.db.query<{ customers: number }>(`
      select count(*)::integer as customers, max(grants_a_period) as most_grants, books_balance,
             status, ends_at, period_start, period_end, remaining, overage_records, refunded_cents, is_disputed
        from (
          select s.status, s.ends_at, b.period_start, b.period_end, b.remaining, b.overage_records, c.refunded_cents, c.is_disputed,
                 b.remaining = (select sum(credits) from ledger_entry e where e.balance_id = b.id) as books_balance,
                 (select max(n) from (select count(*)::integer n from ledger_entry e
                   where e.balance_id = b.id and e.kind = 'grant' group by e.period_start) g) as grants_a_period
            from subscription s
            join credit_balance b on b.id = s.balance_id and b.ends_at is not distinct from s.ends_at
            join billing_charge c on c.account_id = s.account_id) one
       group by books_balance, status, ends_at, period_start, period_end, remaining, overage_records, refunded_cents, is_disputed`);

  test(`${customers} customers end in the same state`, async () => {
    const { stripe } = service;
    await service.setClock(new Date('2027-01-31T10:00:00Z'));
    const background = await service.background;
    const subscriptions: Stripe.Subscription[] = [];
    for (let i = 0; i < customers; i++) {
      const page = await background.as(`account-${i}`).startCheckout();
      const session = page.split('/').at(-1)!;
      subscriptions.push(stripe.completeCheckout(session, 'bank-debit'));
      stripe.settleBankDebit(session, true);
    }
    const each = (act: (subscription: Stripe.Subscription) => void) => {
      for (const subscription of subscriptions) act(subscription);
    };
    await deliverSome(0.3);

    each(({ id }) => stripe.setCard(id, false));
    await service.setClock(new Date('2027-03-20T12:00:00Z'));
    each(({ status }) => expect(status).toBe('unpaid'));
    await deliverSome(0.4);
    each(({ id }) => stripe.payOpenInvoices(id));
    each(({ customer }) => stripe.dispute(customer as string));
    await deliverSome(0.2);
    each(({ id }) => stripe.setPaused(id, true));
    await deliverSome(0.2);
    each(({ id }) => stripe.setPaused(id, false));
    each(({ id }) => stripe.cancelAtPeriodEnd(id));
    await deliverSome(0.3);
    each(({ id }) => stripe.cancelAtPeriodEnd(id, false));
    for (const charge of stripe.world.charges.all().filter(({ disputed }) => disputed)) stripe.refund(charge.id, 1000);
    await service.setClock(new Date('2027-03-31T12:00:00Z'));
    await deliverSome(1);

    const living = await states();
    expect(living).toMatchObject([
      { customers, most_grants: 1, books_balance: true, status: 'active', ends_at: null, remaining: 4000, refunded_cents: '1000' },
    ]);

    each(({ id }) => stripe.cancelAtPeriodEnd(id));
    await service.setClock(new Date('2027-04-30T12:00:00Z'));
    await deliverSome(1);
    expect(await states()).toMatchObject([{ customers, most_grants: 1, books_balance: true, status: 'canceled', is_disputed: true }]);
  }, 600_000);
});
