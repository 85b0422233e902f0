import type Stripe from 'stripe';
import { setUpStripe } from '../../src/billing/stripe/setup.js';
import { openStripe } from '../../src/billing/stripe/stripe-client.js';
import { openPool } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { Mailbox } from '../harness/mailbox.js';
import { PaidService } from '../harness/paid-service.js';
import { Person } from '../harness/person.js';
import { runCli } from '../harness/process.js';
import { publishRecords } from '../harness/records.js';

describe('buying the paid plan', () => {
  let service: PaidService;
  let urls: [string, string];
  let mailbox: Mailbox;

  beforeAll(async () => {
    mailbox = await Mailbox.open();
    service = await PaidService.open({ SMTP_URL: mailbox.url });
    await publishRecords(service.db, '25017', 6000);
    urls = [await service.startServer(), await service.startServer()];
  });
  afterEach(() => service.stripe.faults.clear());

  const somebody = (): Promise<Person> => Person.signUp(urls[0]);

  const deleteAccount = async (person: Person) => {
    expect(await person.post('/api/auth/delete-user', { body: { password: person.password } })).toMatchObject({ status: 200 });
  };

  /** An operator's ban or its end, without the job that a ban starts. */
  const setBanned = ({ id }: Person, banned: boolean) => service.db.query('update auth."user" set banned = $2 where id = $1', [id, banned]);

  /** The jobs that end an account's subscriptions. */
  const endings = ({ id }: Person) =>
    service.db.query<{ minutes: number }>(
      `select round(extract(epoch from run_at - now()) / 60)::integer as minutes from graphile_worker.jobs where key = $1`,
      [`end-subscriptions ${id}`],
    );

  describe('checkout', () => {
    test('parallel calls on two servers create one Stripe customer and return one page', async () => {
      const person = await somebody();
      service.stripe.faults.latencyMs = 20;
      const sessions = await Promise.all(Array.from({ length: 10 }, (_, i) => person.at(urls[i % 2]!).startCheckout()));
      expect(new Set(sessions).size).toBe(1);
      expect(service.stripe.world.customers.all().filter(({ email }) => email === person.email)).toHaveLength(1);
    });

    test('an open page is returned again; an expired one is replaced', async () => {
      const person = await somebody();
      const first = await person.startCheckout();
      expect(await person.startCheckout()).toBe(first);
      service.stripe.expireCheckout(first);
      expect(await person.startCheckout()).not.toBe(first);
    });

    test('an account that is subscribed, or has just paid, cannot buy a second subscription', async () => {
      const person = await somebody();
      service.stripe.completeCheckout(await person.startCheckout());
      await expect(person.startCheckout()).rejects.toThrow('conflict');
      await service.stripe.deliverAll();
      await expect(person.startCheckout()).rejects.toThrow('conflict');
    });

    test('invoices go to a new email address once it is changed', async () => {
      const person = await somebody();
      const { subscription } = await service.subscribe(person);
      const newEmail = `new-${person.email}`;
      await person.post('/api/auth/change-email', { body: { newEmail } });
      const { pathname, search } = new URL((await mailbox.mailTo(newEmail)).link);
      await person.get(pathname + search);
      const customer = service.stripe.world.customers.get(subscription.customer as string);
      await eventually('Stripe knows the new address', async () => customer.email === newEmail);
    });

    test.each([true, false])('a bank debit gives nothing until it is paid, and nothing if it fails (%p)', async (isPaid) => {
      const person = await somebody();
      const { session } = await service.subscribe(person, 'bank-debit');
      expect(await person.subscription()).toMatchObject({ status: 'active', isLive: false, creditsRemaining: 0 });
      await expect(person.issuePaidToken()).rejects.toThrow('subscription_required');
      await service.hears(service.stripe.settleBankDebit(session, isPaid));
      if (!isPaid) return expect(person.issuePaidToken()).rejects.toThrow('subscription_required');
      expect(await person.subscription()).toMatchObject({ isLive: true, creditsRemaining: 4000 });
      await person.issuePaidToken();
    });

    test.each<[what: string, field: string, object: 'product' | 'plan', change: object]>([
      ['another amount', 'unit_amount', 'plan', { unit_amount: 4900 }],
      ['a fraction of a cent', 'unit_amount_decimal', 'plan', { unit_amount_decimal: '5.5' }],
      ['another currency', 'currency', 'plan', { currency: 'eur' }],
      ['tiers', 'billing_scheme', 'plan', { billing_scheme: 'tiered', tiers_mode: 'graduated' }],
      ['quantities by the hundred', 'transform_quantity', 'plan', { transform_quantity: { divide_by: 100, round: 'up' } }],
      ['tax within the price', 'tax_behavior', 'plan', { tax_behavior: 'inclusive' }],
      ['an archived price', 'active', 'plan', { active: false }],
      ['an archived product', 'active', 'product', { active: false }],
    ])('%s is reported by setup, and sold to nobody', async (_, field, kind, change) => {
      const { products, prices } = service.stripe.world;
      const object: object & { id: string } = { product: products.all()[0]!, plan: prices.all()[0]! }[kind];
      const before = { ...object };
      Object.assign(object, change);
      try {
        const { faults } = await setUpStripe(openStripe(service.config)!, false);
        expect(faults[0]).toMatch(new RegExp(`${object.id}.*: ${field} is .*, should be `));
        await expect((await somebody()).startCheckout()).rejects.toThrow(field);
      } finally {
        Object.assign(object, before);
      }
    });

    test('with automatic tax the price needs a tax behavior, and the page computes taxes', async () => {
      const taxed = await PaidService.open({ STRIPE_AUTOMATIC_TAX: 'true' });
      const page = await (await taxed.background).as('taxed').startCheckout();
      expect(taxed.stripe.world.sessions.get(page.split('/').at(-1)!).automatic_tax).toMatchObject({ enabled: true });
      for (const price of taxed.stripe.world.prices.all()) price.tax_behavior = 'unspecified';
      const stripe = openStripe(taxed.config)!;
      expect(await setUpStripe(stripe, false)).toMatchObject({ faults: [] });
      expect((await setUpStripe(stripe, true)).faults).toEqual([expect.stringContaining('tax_behavior is "unspecified"')]);
    });

    test('stripe setup may be repeated', async () => {
      const before = service.stripe.world.prices.all().length;
      expect(await setUpStripe(openStripe(service.config)!, false)).toMatchObject({ faults: [] });
      expect(service.stripe.world.prices.all()).toHaveLength(before);
    });

    test('stripe setup names the webhook endpoint and each type of event that is handled', async () => {
      const { stripeSecretKey, stripeApiUrl, dataDir } = service.config;
      const env = {
        STRIPE_SECRET_KEY: stripeSecretKey!,
        STRIPE_API_URL: stripeApiUrl!,
        DATA_DIR: dataDir,
        BASE_URL: 'https://parcels.example',
      };
      const [asJson, asText] = await Promise.all([runCli(['--json', 'stripe', 'setup'], env), runCli(['stripe', 'setup'], env)]);
      const { webhook } = JSON.parse(asJson.stdout);
      expect(webhook).toEqual({ url: 'https://parcels.example/api/stripe/webhook', events: expect.arrayContaining(['invoice.paid']) });
      for (const word of [webhook.url, ...webhook.events, 'STRIPE_WEBHOOK_SECRET']) expect(asText.stdout).toContain(word);
    });
  });

  describe('a subscription', () => {
    test('shows its period, invoices and portal only to its account', async () => {
      const person = await somebody();
      await service.subscribe(person);
      const { invoices } = await person.ask<{ invoices: object[] }>('{ invoices { status totalUsd paidUsd number pageUrl pdfUrl } }');
      expect(invoices).toMatchObject([{ status: 'paid', totalUsd: '59.00', paidUsd: '59.00' }]);
      const { billingPortal } = await person.ask<{ billingPortal: string }>('mutation { billingPortal }');
      expect(billingPortal).toContain('/portal/cus_');
      const stranger = await somebody();
      expect(await stranger.ask('{ subscription { status } invoices { id } }')).toEqual({ subscription: null, invoices: [] });
      await expect(stranger.ask('mutation { billingPortal }')).rejects.toThrow('subscription_required');
      await expect(stranger.setOverageCap(5)).rejects.toThrow('subscription_required');
    });

    test('keeps reading after a refund or dispute, which operators see, until it is ended', async () => {
      const person = await somebody();
      const { subscription } = await service.subscribe(person);
      const token = await person.issuePaidToken();
      const charge = service.stripe.dispute(subscription.customer as string);
      await service.hears(service.stripe.refund(charge.id, 900));
      expect(await person.read(token, 1)).toMatchObject({ status: 200 });
      const charges = 'query ($id: ID!) { accountCharges(accountId: $id) { id amountUsd refundedUsd isDisputed } }';
      await expect(person.ask(charges, { id: person.id })).rejects.toThrow('forbidden');
      await service.db.query(`update auth."user" set role = 'admin' where id = $1`, [person.id]);
      expect((await person.ask<{ accountCharges: object[] }>(charges, { id: person.id })).accountCharges).toEqual([
        { id: charge.id, amountUsd: '59.00', refundedUsd: '9.00', isDisputed: true },
      ]);
    });

    test('takes over the cap of the account’s last subscription, even if that had none', async () => {
      const person = await somebody();
      const caps: unknown[] = [];
      for (const cap of [3, 0, null, null]) {
        const { subscription } = await service.subscribe(person);
        caps.push((await person.subscription())!.overageCap);
        await person.setOverageCap(cap);
        await service.hears(service.stripe.cancelNow(subscription.id));
        // An operator's grant is no subscription. Stripe's times are whole seconds.
        await service.db.query(`select open_balance($1, 'paid', 1, 5, now(), now(), now() + interval '1 day', null, null, false)`, [
          person.id,
        ]);
        await service.db.query('update credit_balance set overage_cap = 7 where account_id = $1 and not is_metered', [person.id]);
        await service.db.query(`update subscription set created_at = created_at - interval '1 day' where account_id = $1`, [person.id]);
      }
      expect(caps).toEqual([null, 3, 0, null]);
    });

    test('has the cap that was chosen last before its payment, from its first read on', async () => {
      const person = await somebody();
      const session = await person.startCheckout(900);
      expect(await person.startCheckout(0)).toBe(session);
      let { id } = await service.hears(service.stripe.completeCheckout(session));
      const token = await person.issuePaidToken();
      for (let page = 0; page < 4; page++) expect(await person.read(token, 1000)).toMatchObject({ records: 1000 });
      expect(await person.read(token, 1)).toMatchObject({ error: 'exhausted' });

      await person.setOverageCap(5);
      const caps = 'overageCap overageCapUsd';
      const { subscription, balances } = await person.ask(`{ subscription { ${caps} } balances { ${caps} } }`);
      expect([subscription, balances[0]]).toEqual(Array(2).fill({ overageCap: 5, overageCapUsd: '0.25' }));
      // A cap that was set later outlives the choice; a new checkout may choose again.
      const again = async (chosen?: number | null) => {
        await service.hears(service.stripe.cancelNow(id));
        ({ id } = service.stripe.completeCheckout(await person.startCheckout(chosen)));
        await service.stripe.deliverAll();
        return (await person.subscription())!.overageCap;
      };
      expect(await again()).toBe(5);
      expect(await again(null)).toBeNull();
    });

    test('has the cap of DEFAULT_OVERAGE_CAP_USD if it is the first and none was chosen, and says how much of it is left', async () => {
      const paid = await PaidService.open({ DEFAULT_OVERAGE_CAP_USD: '50' });
      await publishRecords(paid.db, '25017', 6000);
      const person = await Person.signUp(await paid.startServer());
      expect(await person.ask('{ checkoutCapUsd }')).toEqual({ checkoutCapUsd: '50.00' });
      await paid.subscribe(person);
      const token = await person.issuePaidToken();
      const left: (string | null)[] = [];
      for (let page = 0; page < 5; page++) left.push((await person.get('/api/parcels?limit=900', { token })).headers.get('overage-left'));
      expect(left).toEqual(['1000', '1000', '1000', '1000', '500']);
      expect((await person.get('/api/usage', { token })).json.balance).toMatchObject({ overage_cap: 1000, overage_left: 500 });
      await person.setOverageCap(null);
      expect((await person.get('/api/parcels?limit=1', { token })).headers.get('overage-left')).toBeNull();
    });

    test('is refused with a cap that is not a number of records', async () => {
      for (const cap of [-1, 1_000_000_001]) await expect((await somebody()).startCheckout(cap)).rejects.toThrow('invalid_request');
    });

    test('takes over the lower cap of two from the same second, and shows the one that the tokens use', async () => {
      const person = await somebody();
      const subscribed = [await service.subscribe(person)];
      const { customer } = subscribed[0]!.subscription;
      const second = await service.hears(service.stripe.subscribeByHand(customer as string, service.stripe.world.prices.all()));
      await service.db.query(`update subscription set created_at = date_trunc('day', created_at) where account_id = $1`, [person.id]);
      const shown = async () => (await person.subscription())!.overageCap;
      for (const [touched, cap] of [
        [subscribed[0]!.subscription.id, 5],
        [second.id, 6],
        [subscribed[0]!.subscription.id, 7],
      ] as const) {
        await person.setOverageCap(cap);
        // An update moves the row within the table.
        await service.db.query('update subscription set warning = warning where id = $1', [touched]);
        expect(await shown()).toBe(cap);
      }
      await service.db.query('update subscription set kept_cap = case id when $2 then 9 end where account_id = $1', [person.id, second.id]);
      for (const id of [second.id, subscribed[0]!.subscription.id]) service.stripe.cancelNow(id);
      await service.stripe.deliverAll();
      await service.subscribe(person);
      expect(await shown()).toBe(9);
    });

    test('continues when its account’s ban is lifted, even if the job that ends it is running', async () => {
      const person = await somebody();
      const { subscription } = await service.subscribe(person);
      await service.endSubscriptions(person.id);
      expect(subscription.status).toBe('active');

      for (const asking of [/GET \/v1\/subscriptions$/, /GET \/v1\/subscriptions\/sub_/]) {
        await setBanned(person, true);
        const before = service.stripe.callsOf(asking);
        const answer = service.stripe.faults.hold(asking);
        const ending = service.endSubscriptions(person.id);
        await eventually('Stripe is asked', async () => service.stripe.callsOf(asking) > before);
        await setBanned(person, false);
        answer();
        await ending;
        expect(subscription.status).toBe('active');
      }
    });

    test('does not start from the open page of a closed account', async () => {
      const person = await somebody();
      const session = await person.startCheckout();
      await setBanned(person, true);
      await service.endSubscriptions(person.id);
      expect(service.stripe.world.sessions.get(session).status).toBe('expired');
    });

    test('does not start from a page that was being created while its account was deleted', async () => {
      const person = await somebody();
      const openings = /POST \/v1\/checkout\/sessions$/;
      const before = service.stripe.callsOf(openings);
      const open = service.stripe.faults.hold(openings);
      const refused = expect(person.copy().startCheckout()).rejects.toThrow('forbidden');
      await eventually('the page is being opened', async () => service.stripe.callsOf(openings) > before);
      await deleteAccount(person);
      await eventually('nothing was there to be ended', async () => (await endings(person)).length === 0);
      open();
      await refused;
      const [session] = service.stripe.world.sessions.all().filter(({ client_reference_id }) => client_reference_id === person.id);
      await eventually('the page is closed', async () => session!.status === 'expired');
    });

    test('grants nothing and is ended if it appears for a deleted account', async () => {
      const person = await somebody();
      await person.startCheckout();
      const { stripe } = service;
      const customer = stripe.world.customers.all().find(({ email }) => email === person.email)!;
      await deleteAccount(person);
      await eventually('what was there has ended', async () => (await endings(person)).length === 0);
      const subscription = await service.hears(stripe.subscribeByHand(customer.id, stripe.world.prices.all()));
      expect(await service.db.query('select from credit_balance where account_id = $1', [person.id])).toEqual([]);
      expect(await endings(person)).toEqual([{ minutes: 10 }]);
      await service.db.query(
        'select from graphile_worker.reschedule_jobs(array[(select id from graphile_worker.jobs where key = $1)], now())',
        [`end-subscriptions ${person.id}`],
      );
      await eventually('it has ended', async () => subscription.status === 'canceled');
    });

    test('does not keep the account’s others from ending if Stripe does not know it or refuses to end it', async () => {
      const person = await somebody();
      const { subscription } = await service.subscribe(person);
      await service.db.query(
        `insert into subscription (id, account_id, stripe_customer_id, status, period_start, period_end, created_at)
         select 'sub_0unknown', account_id, stripe_customer_id, 'active', period_start, period_end, created_at from subscription where account_id = $1`,
        [person.id],
      );
      const other = service.stripe.world.subscriptions.add({ ...subscription, id: 'sub_0stubborn' });
      service.stripe.faults.plan('busy', /DELETE .*sub_0stubborn/, 100);
      await setBanned(person, true);
      await expect(service.endSubscriptions(person.id)).rejects.toThrow('1 of 3');
      expect(subscription.status).toBe('canceled');
      expect(await service.db.query(`select status from subscription where id = 'sub_0unknown'`)).toEqual([{ status: 'canceled' }]);
      service.stripe.faults.clear();
      await service.endSubscriptions(person.id);
      expect(other.status).toBe('canceled');
    });

    test('is paid in US dollars even if the price has other currencies', async () => {
      const [plan] = service.stripe.world.prices.all();
      plan!.currency_options = { eur: { unit_amount: 5500 } as Stripe.Price.CurrencyOptions };
      service.stripe.world.presentmentCurrency = 'eur';
      try {
        const person = await somebody();
        const { subscription } = await service.subscribe(person);
        expect(subscription.currency).toBe('usd');
        expect((await setUpStripe(openStripe(service.config)!, false)).faults).toEqual([
          expect.stringContaining('currency_options is "eur"'),
        ]);
        expect(await person.subscription()).toMatchObject({ isLive: true });
      } finally {
        delete plan!.currency_options;
        service.stripe.world.presentmentCurrency = 'usd';
      }
    });

    /** As an operator does in Stripe's dashboard. */
    const moveToAnotherProduct = (subscription: Stripe.Subscription) => {
      for (const item of subscription.items.data) item.price = { ...item.price, product: 'prod_other' };
      service.stripe.world.emit('customer.subscription.updated', subscription);
    };

    test('of another product in the Stripe account is ignored', async () => {
      const person = await somebody();
      await person.startCheckout();
      const { stripe } = service;
      const customer = stripe.world.customers.all().find(({ email }) => email === person.email)!;
      await service.hears(moveToAnotherProduct(stripe.subscribeByHand(customer.id, stripe.world.prices.all())));
      expect(await person.subscription()).toBeNull();
    });

    test('stops its tokens, warns operators, and is followed to its end when its product is changed', async () => {
      const person = await somebody();
      const { subscription } = await service.subscribe(person);
      const token = await person.issuePaidToken();
      await service.hears(moveToAnotherProduct(subscription));
      expect(await person.subscription()).toMatchObject({ isLive: false });
      expect(await person.read(token, 1)).toMatchObject({ error: 'expired' });
      expect(await service.db.query('select warning from subscription where id = $1', [subscription.id])).toEqual([
        { warning: expect.stringContaining("no item of the plan's price") },
      ]);
      await service.hears(service.stripe.cancelNow(subscription.id));
      expect(await person.subscription()).toMatchObject({ status: 'canceled' });
      await service.subscribe(person);
      expect(await person.subscription()).toMatchObject({ isLive: true });
    });
  });

  describe('a paid token', () => {
    test('is revoked by a password reset; the subscription goes on with a new token', async () => {
      const person = await somebody();
      await service.subscribe(person);
      const token = await person.issuePaidToken();
      await person.post('/api/auth/request-password-reset', { body: { email: person.email } });
      const { link } = await mailbox.mailTo(person.email, /new password/);
      const reset = { token: new URL(link).pathname.split('/').at(-1), newPassword: 'a better password' };
      expect((await person.post('/api/auth/reset-password', { body: reset })).status).toBe(200);
      expect((await person.read(token, 1)).error).toBe('revoked');
      await person.signIn('a better password');
      expect(await person.subscription()).toMatchObject({ status: 'active', isLive: true, endsAt: null });
      expect(await person.read(await person.issuePaidToken(), 1)).toMatchObject({ status: 200 });
    });

    test('is not issued if the session ends in the meantime', async () => {
      const person = await somebody();
      await service.subscribe(person);
      const pool = openPool(service.db);
      const ending = await pool.connect();
      await ending.query('begin');
      await ending.query('delete from auth.session where "userId" = $1', [person.id]);
      const issued = person.issuePaidToken().catch(({ code }) => code);
      await eventually('it waits', async () => {
        const waiting = await service.db.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%hold_session%'`,
        );
        return waiting.length === 1;
      });
      await ending.query('commit');
      ending.release();
      expect(await issued).toBe('unauthenticated');
    });
  });

  describe('two servers', () => {
    test('that handle the same events at once open one balance with one grant', async () => {
      const person = await somebody();
      service.stripe.completeCheckout(await person.startCheckout());
      const { deliveries } = service.stripe;
      const both = service.stripe.takeEvents().flatMap((event) => urls.map((url) => ({ event, url })));
      const statuses = await Promise.all(both.map(({ event, url }) => deliveries.deliver(event, `${url}/api/stripe/webhook`)));
      expect(new Set(statuses)).toEqual(new Set([200]));
      const balances = await service.db.query(
        `select remaining, (select count(*)::integer from ledger_entry l where l.balance_id = b.id and l.kind = 'grant') as grants
           from credit_balance b where account_id = $1`,
        [person.id],
      );
      expect(balances).toEqual([{ remaining: 4000, grants: 1 }]);
    });

    test('that race for the first read of a period grant it once, and keep to one cap', async () => {
      const person = await somebody();
      await service.subscribe(person);
      const token = await person.issuePaidToken();
      await person.setOverageCap(100);
      await service.db.moveClock('32 days');
      const reads = await Promise.all(Array.from({ length: 60 }, (_, i) => person.at(urls[i % 2]!).read(token, 100)));
      expect(reads.filter(({ status }) => status === 200).reduce((sum, { records }) => sum + records, 0)).toBe(4100);
      expect(reads.filter(({ status }) => status !== 200).map(({ error }) => error)).toEqual(Array(60 - 41).fill('exhausted'));
      expect(await person.subscription()).toMatchObject({ creditsRemaining: 0, overageRecords: 100, overageCap: 100 });
    });
  });

  describe('operators', () => {
    test('see failed events first and replay them; nobody else does', async () => {
      const person = await somebody();
      const session = await person.startCheckout();
      service.stripe.completeCheckout(session);
      service.stripe.faults.plan('down', /subscriptions/, 1000);
      for (const event of service.stripe.takeEvents()) await service.stripe.deliveries.deliver(event);
      service.stripe.faults.clear();
      await expect(person.ask('{ webhookEvents { total } }')).rejects.toThrow('forbidden');

      await service.db.query(`update auth."user" set role = 'admin' where id = $1`, [person.id]);
      const { webhookEvents } = await person.ask<{ webhookEvents: { events: { id: string; state: string; error: string }[] } }>(
        '{ webhookEvents(limit: 50, offset: 0) { total events { id type state error attempts } } }',
      );
      const failed = webhookEvents.events.filter(({ state }) => state === 'failed');
      expect(failed.length).toBeGreaterThan(0);
      expect(webhookEvents.events.slice(0, failed.length)).toEqual(failed);
      for (const { id } of failed) {
        expect(await person.ask('mutation ($id: ID!) { replayWebhookEvent(id: $id) { state error } }', { id })).toEqual({
          replayWebhookEvent: { state: 'handled', error: null },
        });
      }
      const actions = await service.db.query(`select target from admin_action where actor = $1 and action = 'replay event' order by id`, [
        person.id,
      ]);
      expect(actions).toEqual(failed.map(({ id }) => ({ target: id })));
      await person.issuePaidToken();
      await expect(person.ask('mutation { replayWebhookEvent(id: "evt_none") { state } }')).rejects.toThrow('not_found');
      // An event handled a month ago keeps only its id and type.
      const { id } = failed[0]!;
      await service.db.query(`update stripe_event set received_at = received_at - interval '31 days' where id = $1`, [id]);
      await service.db.query(`select from graphile_worker.add_job('forget-webhook-payloads')`);
      const payload = async () => (await service.db.query('select payload from stripe_event where id = $1', [id]))[0]!.payload;
      await eventually('it is forgotten', async () => (await payload()) === null);
      await expect(person.ask('mutation ($id: ID!) { replayWebhookEvent(id: $id) { state } }', { id })).rejects.toThrow('conflict');
    });
  });

  test('without Stripe keys the console says so, and everything else works', async () => {
    const bare = await PaidService.open({ STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '' });
    const person = await Person.signUp(await bare.startServer());
    expect(
      await person.ask('{ paidPlan { isConfigured priceUsd includedRecords overageUsd } subscription { id } invoices { id } }'),
    ).toEqual({
      paidPlan: { isConfigured: false, priceUsd: '59.00', includedRecords: 4000, overageUsd: '0.05' },
      subscription: null,
      invoices: [],
    });
    await expect(person.startCheckout()).rejects.toThrow('not_configured');
  });
});
