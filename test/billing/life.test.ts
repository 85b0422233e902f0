import type Stripe from 'stripe';
import { eventually } from '../harness/eventually.js';
import { PaidService } from '../harness/paid-service.js';
import { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';
import type { FaultKind } from '../stripe/faults.js';

// Stripe fails, loses events, deletes objects; operators change things in its dashboard.
describe('a subscription in Stripe', () => {
  let service: PaidService;
  let urls: [string, string];
  let person: Person;

  beforeAll(async () => {
    service = await PaidService.open();
    await publishRecords(service.db, '25017', 6000);
    urls = [await service.startServer(), await service.startServer()];
  });

  beforeEach(async () => {
    person = await Person.signUp(urls[0]);
  });

  afterEach(() => {
    service.stripe.faults.clear();
    service.stripe.world.dunningEnds = 'unpaid';
  });

  const customersOf = ({ email }: Person) => service.stripe.world.customers.all().filter((customer) => customer.email === email);

  const openPagesOf = ({ id }: Person) =>
    service.stripe.world.sessions.all().filter(({ client_reference_id, status }) => client_reference_id === id && status === 'open');

  const subscribe = async () => (await service.subscribe(person)).subscription;

  /** Creates a subscription as in Stripe's dashboard. */
  const subscribeByHand = async (keys: string[]): Promise<Stripe.Subscription> => {
    await person.startCheckout();
    const { stripe } = service;
    return stripe.subscribeByHand(
      customersOf(person)[0]!.id,
      stripe.world.prices.all().filter(({ lookup_key }) => keys.includes(lookup_key!)),
    );
  };

  /** Reads thousands of records; retries while the server is busy. */
  const readThousands = async (token: string, count: number) => {
    for (let read = 0; read < count; read++) {
      await eventually('a thousand records are read', async () => (await person.read(token, 1000)).records === 1000);
    }
  };

  const statesOf = () =>
    service.db.query(
      `select s.id, status, b.ends_at <= service_now() as "isOver" from subscription s join credit_balance b on b.id = s.balance_id
        where s.account_id = $1 order by s.created_at, b.overage_records desc`,
      [person.id],
    );

  const warningOf = async ({ id }: Stripe.Subscription): Promise<string | null> =>
    (await service.db.query<{ warning: string | null }>('select warning from subscription where id = $1', [id]))[0]!.warning;

  describe('Stripe fails while a checkout begins', () => {
    test.each<[FaultKind, times: number]>([
      ['failed', 4],
      ['error', 4],
      ['lost', 4],
      ['down', 4],
      ['busy', 4],
      ['silent', 1],
    ])('%s: retries end with one customer and one page', async (kind, times) => {
      service.stripe.faults.plan(kind, /POST \/v1\/customers$/, times);
      service.stripe.faults.plan(kind, /POST \/v1\/checkout\/sessions$/, times);
      const tries = () => Promise.allSettled(urls.map((url) => person.at(url).startCheckout()));
      await tries();
      await tries();
      service.stripe.faults.clear();
      const session = await person.startCheckout();
      expect(customersOf(person)).toHaveLength(1);
      expect(openPagesOf(person).map(({ id }) => id)).toEqual([session]);
    });
  });

  test('while Stripe fails, checkout, portal and invoices answer unavailable with a retry time', async () => {
    await person.startCheckout();
    for (const kind of ['failed', 'down'] as const) {
      service.stripe.faults.plan(kind, /./, 1000);
      for (const query of ['mutation { startCheckout }', 'mutation { billingPortal }', '{ invoices { id } }']) {
        const { headers, json } = await person.post('/graphql', { body: { query } });
        expect(json.errors[0].extensions.code).toBe('unavailable');
        expect(headers.get('retry-after')).toBe('5');
      }
      service.stripe.faults.clear();
    }
  });

  test('a key of another Stripe account, which knows nothing, ends nothing', async () => {
    await person.startCheckout();
    const { customers, products } = service.stripe.world;
    const [customer, product] = [customersOf(person)[0]!, products.all()[0]!];
    customers.remove(customer.id);
    products.remove(product.id);
    expect(await person.subscription()).toBeNull();
    customers.add(customer);
    products.add(product);
    await person.startCheckout();
    expect(customersOf(person)).toEqual([customer]);
  });

  describe('a lost event', () => {
    test('of a payment is made up for when the owner looks', async () => {
      const { id } = service.stripe.completeCheckout(await person.startCheckout());
      service.stripe.takeEvents();
      expect(await person.subscription()).toMatchObject({ id, isLive: true, creditsRemaining: 4000 });
    });

    test('is found in Stripe’s list within a minute: a payment opens the balance, a cancellation stops its tokens', async () => {
      const background = await service.background;
      const session = await person.startCheckout();
      service.stripe.world.areEventsListed = true;
      const { id } = service.stripe.completeCheckout(session);
      service.stripe.takeEvents();
      await background.work();
      // The servers take such jobs, too, and each follows the subscription as it is by then.
      const handling = () => service.db.query(`select from graphile_worker.jobs where task_identifier = 'handle-stripe-event'`);
      await eventually('each event of the payment is handled', async () => (await handling()).length === 0);
      const token = await person.issuePaidToken();
      // Each look fails for a while, also those of servers.
      service.stripe.faults.plan('failed', /GET \/v1\/events/, Number.POSITIVE_INFINITY);
      service.stripe.cancelNow(id);
      service.stripe.takeEvents();
      await background.work();
      expect(await person.read(token, 1)).toMatchObject({ status: 200 });
      service.stripe.faults.clear();
      await background.work();
      await eventually('its tokens stop', async () => (await person.read(token, 1)).error === 'expired');
      service.stripe.world.areEventsListed = false;
    });

    test('is made up for after a gap longer than Stripe’s list: each customer is followed once, within a day', async () => {
      const { id } = await subscribe();
      const token = await person.issuePaidToken();
      service.stripe.cancelNow(id);
      service.stripe.takeEvents();
      const background = await service.background;
      await background.run('read-stripe-events', {});
      await service.db.query(`update stripe_events_read set at = at - interval '30 days'`);
      await background.run('read-stripe-events', {});
      const [spread] = await service.db.query<{ hours: number }>(
        `select extract(epoch from max(run_at) - service_now())::float / 3600 as hours from graphile_worker.jobs where key like 'follow-account %'`,
      );
      expect(spread!.hours).toBeGreaterThan(12);
      expect(spread!.hours).toBeLessThan(24);
      await background.run('follow-account', { accountId: person.id });
      expect(await person.read(token, 1)).toMatchObject({ error: 'expired' });
    });

    test('shows as a difference in the audit until it is made up for', async () => {
      const { id } = await subscribe();
      const differences = async () => (await service.compareBooks())[1]!.firstBreak ?? '';
      expect(await differences()).not.toContain(id);
      service.stripe.cancelNow(id);
      expect(await differences()).toContain(`${id} of account ${person.id} is active here and ended in Stripe`);
      await service.stripe.deliverAll();
      expect(await differences()).not.toContain(id);
      const paid = service.stripe.completeCheckout(await person.startCheckout());
      expect(await differences()).toContain(`${paid.id} of account ${person.id} is unknown here and active,`);
      await service.stripe.deliverAll();
      expect(await differences()).not.toContain(paid.id);
    });

    test('of a paid invoice shows there too, even if nothing else of the subscription changed', async () => {
      const session = await person.startCheckout();
      const { id } = await service.hears(service.stripe.completeCheckout(session, 'bank-debit'));
      const differences = async () => (await service.compareBooks())[1]!.firstBreak ?? '';
      expect(await differences()).not.toContain(id);
      service.stripe.settleBankDebit(session, true);
      expect(await differences()).toContain(`${id} of account ${person.id} is paid for its period in Stripe, and not here`);
      await service.stripe.deliverAll();
      expect(await differences()).not.toContain(id);
    });
  });

  describe('a customer that was deleted in Stripe', () => {
    test('loses its subscription, operators are warned, and the account subscribes again as another customer', async () => {
      const first = await subscribe();
      const token = await person.issuePaidToken();
      await readThousands(token, 5);
      await service.hears(service.stripe.deleteCustomer(first.customer as string));
      expect(await person.read(token, 1)).toMatchObject({ error: 'expired' });
      await service.billWhatHasEnded();
      expect(await warningOf(first)).toContain('1000 overage records are not billed');
      const second = await subscribe();
      expect(second.customer).not.toBe(first.customer);
      expect(await person.subscription()).toMatchObject({ id: second.id, isLive: true });
    });

    test('causes no warning if the overage was billed before', async () => {
      const subscription = await subscribe();
      await readThousands(await person.issuePaidToken(), 5);
      await service.hears(service.stripe.cancelNow(subscription.id));
      await service.billWhatHasEnded();
      await service.hears(service.stripe.deleteCustomer(subscription.customer as string));
      await service.billWhatHasEnded();
      expect(await warningOf(subscription)).toBeNull();
    });

    test('loses all its subscriptions, even if Stripe no longer knows one of them', async () => {
      const gone = await subscribe();
      await readThousands(await person.issuePaidToken(), 5);
      const { prices, subscriptions } = service.stripe.world;
      const kept = await service.hears(service.stripe.subscribeByHand(gone.customer as string, prices.all()));
      subscriptions.remove(gone.id);
      await service.hears(service.stripe.deleteCustomer(gone.customer as string));
      expect(await statesOf()).toEqual([
        { id: gone.id, status: 'canceled', isOver: true },
        { id: kept.id, status: 'canceled', isOver: true },
      ]);
    });

    test('is noticed without an event', async () => {
      await person.startCheckout();
      service.stripe.deleteCustomer(customersOf(person)[0]!.id);
      service.stripe.takeEvents();
      await expect(person.ask('mutation { billingPortal }')).rejects.toThrow('subscription_required');
      expect(await person.ask('{ invoices { id } }')).toEqual({ invoices: [] });
      const subscription = await subscribe();
      expect(await person.subscription()).toMatchObject({ id: subscription.id });
    });
  });

  test('a refund or dispute of a customer deleted in Stripe is stored', async () => {
    const { customer } = await subscribe();
    await service.hears(service.stripe.deleteCustomer(customer as string));
    await service.hears(service.stripe.refund(service.stripe.dispute(customer as string).id, 900));
    const remembered = await service.db.query('select refunded_cents, is_disputed from billing_charge where account_id = $1', [person.id]);
    expect(remembered).toEqual([{ refunded_cents: '900', is_disputed: true }]);
  });

  describe('a subscription made in the dashboard', () => {
    test('of another price grants nothing', async () => {
      const odd = await subscribeByHand(['api_records_monthly']);
      odd.items.data[0]!.price = { ...odd.items.data[0]!.price, unit_amount: 100 };
      await service.stripe.deliverAll();
      expect(await warningOf(odd)).toContain("no item of the plan's price");
      const operator = await Person.signUp(urls[0]);
      await service.db.query(`update auth."user" set role = 'admin' where id = $1`, [operator.id]);
      const { dashboard } = await operator.ask('{ dashboard { billingWarnings { subscriptionId accountEmail text } } }');
      expect(dashboard.billingWarnings).toContainEqual({ subscriptionId: odd.id, accountEmail: person.email, text: await warningOf(odd) });
      await expect(person.issuePaidToken()).rejects.toThrow('subscription_required');
      await expect(person.startCheckout()).rejects.toThrow('conflict');
    });

    test('with another billing day grants nothing for the partial first month, and operators are warned', async () => {
      const odd = await subscribeByHand(['api_records_monthly']);
      const [first] = service.stripe.invoicesOf(odd.id);
      const [plan] = first!.lines.data;
      plan!.amount = 2900;
      await service.stripe.deliverAll();
      expect(await warningOf(odd)).toContain('its first bill is for a part of a month');
      expect(await person.subscription()).toMatchObject({ isLive: false });
      plan!.amount = 5900;
      await service.hears(service.stripe.world.emit('customer.subscription.updated', odd));
      expect(await warningOf(odd)).toBeNull();
      expect(await person.subscription()).toMatchObject({ isLive: true });
    });

    test('beside another one of the customer warns operators while both last', async () => {
      const first = await subscribe();
      const second = service.stripe.subscribeByHand(first.customer as string, service.stripe.world.prices.all());
      const follow = async () => {
        for (const one of [first, second]) service.stripe.world.emit('customer.subscription.updated', one);
        await service.stripe.deliverAll();
      };
      await follow();
      expect(await warningOf(first)).toContain(second.id);
      expect(await warningOf(second)).toContain(first.id);
      service.stripe.cancelNow(first.id);
      await follow();
      expect(await warningOf(first)).toBeNull();
      expect(await warningOf(second)).toBeNull();
    });
  });

  test.each<[what: string, warning: string | null, pause: (id: string, isPaused: boolean) => void]>([
    ['it', null, (id, isPaused) => service.stripe.setPaused(id, isPaused)],
    [
      'its collection',
      'its collection is paused (void), and so are its tokens',
      (id, isPaused) => service.stripe.pauseCollection(id, isPaused ? 'void' : null),
    ],
  ])('its tokens stop while %s is paused', async (_, warning, pause) => {
    const subscription = await subscribe();
    const token = await person.issuePaidToken();
    await service.hears(pause(subscription.id, true));
    expect(await person.read(token, 1)).toMatchObject({ status: 401, error: 'expired' });
    expect(await warningOf(subscription)).toBe(warning);
    await service.hears(pause(subscription.id, false));
    expect(await person.read(token, 1)).toMatchObject({ status: 200 });
    expect(await warningOf(subscription)).toBeNull();
  });

  describe('an invoice left when its account is closed', () => {
    const end = async () => {
      await service.db.query('update auth."user" set banned = true where id = $1', [person.id]);
      await service.hears(service.endSubscriptions(person.id));
    };
    const billsOf = ({ customer }: Stripe.Subscription) =>
      service.stripe.world.invoices
        .all()
        .filter((bill) => bill.customer === customer)
        .map(({ total, status }) => [total, status]);

    test('of a renewal that is still a draft is not charged, and operators are warned', async () => {
      const subscription = await subscribe();
      const [{ current_period_end: renewal }] = subscription.items.data as [Stripe.SubscriptionItem];
      await service.setClock(new Date((renewal + 600) * 1000));
      await end();
      await service.setClock(new Date((renewal + 24 * 3600) * 1000));
      expect(billsOf(subscription)).toEqual([
        [5900, 'paid'],
        [expect.any(Number), 'draft'],
      ]);
      expect(await warningOf(subscription)).toMatch(/no longer collects its bill in_\w+ \(draft\)/);
    });

    test('unpaid is no longer collected by Stripe, and operators are warned until it is paid or void', async () => {
      const { stripe } = service;
      const subscription = await subscribe();
      stripe.setCard(subscription.id, false);
      const [{ current_period_end: renewal }] = subscription.items.data as [Stripe.SubscriptionItem];
      await service.hears(service.setClock(new Date((renewal + 2 * 3600) * 1000)));
      expect(subscription.status).toBe('past_due');
      await end();
      expect(await warningOf(subscription)).toMatch(/no longer collects its bill in_\w+ \(open\)/);
      await service.hears(stripe.payOldestInvoice(subscription.id));
      expect(billsOf(subscription).map(([, status]) => status)).toEqual(['paid', 'paid']);
      expect(await warningOf(subscription)).toBeNull();
    });
  });

  test('an object that Stripe loses between two calls leaves both subscription and balance unchanged', async () => {
    const { stripe } = service;
    const subscription = await subscribe();
    const known = () =>
      service.db.query(
        `select s.status, s.period_end, b.period_end as granted_until from subscription s join credit_balance b on b.id = s.balance_id
          where s.id = $1`,
        [subscription.id],
      );
    const before = await known();
    stripe.setCard(subscription.id, false);
    const [{ current_period_end: renewal }] = subscription.items.data as [Stripe.SubscriptionItem];
    stripe.faults.plan('gone', /^GET \/v1\/invoices$/, 100);
    await service.hears(service.setClock(new Date((renewal + 2 * 3600) * 1000)));
    expect(subscription.status).toBe('past_due');
    expect(await known()).toEqual(before);
    stripe.faults.clear();
    await service.hears(stripe.payOldestInvoice(subscription.id));
    expect(await known()).toMatchObject([
      { status: 'active', period_end: new Date(subscription.items.data[0]!.current_period_end * 1000) },
    ]);
  });

  test('a canceled one reads to the end of its period and no longer; the next starts over, and earlier tokens stay expired', async () => {
    const { id, items } = await subscribe();
    const token = await person.issuePaidToken();
    await service.hears(service.stripe.cancelAtPeriodEnd(id));
    const end = items.data[0]!.current_period_end * 1000;
    await service.setClock(new Date(end - 1000));
    expect(await person.read(token, 1)).toMatchObject({ status: 200 });
    await service.setClock(new Date(end));
    expect(await person.read(token, 1)).toMatchObject({ error: 'expired' });
    await service.stripe.deliverAll();
    expect(await person.subscription()).toMatchObject({ status: 'canceled', isLive: false });
    await subscribe();
    expect(await person.read(await person.issuePaidToken(), 1)).toMatchObject({ metering: { credits_remaining: 3999 } });
    expect(await person.read(token, 1)).toMatchObject({ error: 'expired' });
  });

  describe('an unpaid renewal', () => {
    test('can be read on while Stripe retries, but not once it gives up; if it is paid then, the same tokens have their credits again', async () => {
      const { stripe } = service;
      const subscription = await subscribe();
      const token = await person.issuePaidToken();
      stripe.setCard(subscription.id, false);
      const renewal = subscription.items.data[0]!.current_period_end;
      for (const [days, status, said] of [
        [10, 'past_due', { status: 200 }],
        [16, 'unpaid', { error: 'expired' }],
      ] as const) {
        await service.hears(service.setClock(new Date((renewal + days * 24 * 3600) * 1000)));
        expect([subscription.status, await person.read(token, 1)]).toEqual([status, expect.objectContaining(said)]);
      }
      await expect(person.issuePaidToken()).rejects.toThrow('subscription_required');
      await expect(person.startCheckout()).rejects.toThrow('conflict');
      await service.hears(stripe.payOpenInvoices(subscription.id));
      expect(await person.read(token, 1)).toMatchObject({ metering: { credits_remaining: 3998 } });
    });

    /** Events in turn, so many months after the beginning or a payment, and whether the token is served from then on. */
    type Step = [happens: number | 'the oldest invoice is paid', isServed: boolean];
    const live = async (subscription: Stripe.Subscription, token: string, steps: Step[]) => {
      for (const [happens, isServed] of steps) {
        if (typeof happens === 'number') {
          await service.setClock(new Date((subscription.billing_cycle_anchor + (happens * 31 + 1) * 24 * 3600) * 1000));
        } else service.stripe.payOldestInvoice(subscription.id);
        await service.stripe.deliverAll();
        const seen = [happens, await person.read(token, 1), await person.subscription()];
        expect(seen).toMatchObject([happens, isServed ? { status: 200 } : { error: 'expired' }, { isLive: isServed }]);
        if (!isServed) await expect(person.issuePaidToken()).rejects.toThrow('subscription_required');
      }
      expect(subscription.status).toBe('past_due');
    };

    test('grants one period beyond the last paid invoice, however long it stays past_due and whatever else is paid', async () => {
      const { stripe } = service;
      stripe.world.dunningEnds = 'past_due';
      const subscription = await subscribe();
      const token = await person.issuePaidToken();
      stripe.setCard(subscription.id, false);
      await live(subscription, token, [
        [1, true],
        [2, false],
        [3, false],
        [4, false],
      ]);
      expect(await warningOf(subscription)).toContain('leaves it past_due');
      await service.hears(stripe.billByHand(subscription.id, 100));
      expect(await person.read(token, 1)).toMatchObject({ error: 'expired' });
      const grants = await service.db.query(
        `select from ledger_entry e join subscription s using (balance_id) where s.id = $1 and e.kind = 'grant'`,
        [subscription.id],
      );
      expect(grants).toHaveLength(2);
    });

    test('grants the period after a late paid one, even if a later invoice is still open', async () => {
      service.stripe.world.dunningEnds = 'past_due';
      const subscription = await subscribe();
      const token = await person.issuePaidToken();
      service.stripe.setCard(subscription.id, false);
      await live(subscription, token, [
        [1, true],
        [2, false],
        [3, false],
        ['the oldest invoice is paid', false],
        ['the oldest invoice is paid', true],
      ]);
      expect(await person.subscription()).toMatchObject({ creditsRemaining: 3999 });
    });

    test('of a first invoice that was paid after its period grants the next period, and the one after when that is paid', async () => {
      const { stripe } = service;
      stripe.world.dunningEnds = 'past_due';
      const subscription = stripe.completeCheckout(await person.startCheckout(), 'bank-debit');
      stripe.setCard(subscription.id, false);
      await service.hears(service.setClock(new Date((subscription.billing_cycle_anchor + 32 * 24 * 3600) * 1000)));
      await expect(person.issuePaidToken()).rejects.toThrow('subscription_required');
      await service.hears(stripe.payOldestInvoice(subscription.id));
      expect(await person.subscription()).toMatchObject({ isLive: true, creditsRemaining: 4000 });
      await live(subscription, await person.issuePaidToken(), [
        [1, true],
        [2, false],
        ['the oldest invoice is paid', true],
      ]);
    });
  });
});
