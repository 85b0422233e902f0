import Stripe from 'stripe';
import { planPriceParams, productParams } from '../../src/billing/stripe/catalogue.js';
import { openStripeStandIn } from '../harness/paid-service.js';
import type { StripeStandIn } from './stand-in.js';

// Where the stand-in must be as strict as Stripe, by the real SDK: billing tests would pass beside a milder one. What it does, they see.
describe("Stripe's stand-in", () => {
  let standIn: StripeStandIn;
  let stripe: Stripe;

  beforeAll(async () => {
    standIn = await openStripeStandIn();
    const { hostname, port } = new URL(standIn.url);
    stripe = new Stripe('sk_test_1', { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
    standIn.passTimeUntil(new Date('2027-01-31T10:00:00Z'));
  });
  afterEach(() => standIn.faults.clear());

  const failure = (call: Promise<unknown>) => call.then(() => expect(true).toBe(false)).catch((error: Stripe.errors.StripeError) => error);

  test('pages through lists, newest first', async () => {
    const emails = Array.from({ length: 25 }, (_, i) => `${i}@example.com`);
    for (const email of emails) await stripe.customers.create({ email });
    const listed: (string | null)[] = [];
    for await (const customer of stripe.customers.list({ limit: 10 })) listed.push(customer.email);
    expect(listed).toEqual(emails.reverse());
  });

  test('answers one idempotency key once, and refuses it with other parameters', async () => {
    const key = { idempotencyKey: 'a key' };
    const first = await stripe.customers.create({ email: 'once@example.com' }, key);
    expect((await stripe.customers.create({ email: 'once@example.com' }, key)).id).toBe(first.id);
    expect(await failure(stripe.customers.create({ email: 'twice@example.com' }, key))).toMatchObject({
      type: 'StripeIdempotencyError',
      statusCode: 400,
    });
  });

  test('repeats a 500 for the same idempotency key', async () => {
    const key = { idempotencyKey: 'another key' };
    standIn.faults.plan('error', /POST \/v1\/customers/);
    expect(await failure(stripe.customers.create({}, key))).toMatchObject({ statusCode: 500 });
    expect(await failure(stripe.customers.create({}, key))).toMatchObject({ statusCode: 500 });
  });

  test('accepts a key again after a call that was refused before it began', async () => {
    const key = { idempotencyKey: 'a third key' };
    standIn.faults.plan('busy', /POST \/v1\/customers/);
    expect(await failure(stripe.customers.create({}, key))).toMatchObject({ statusCode: 429, headers: { 'retry-after': '1' } });
    expect(await stripe.customers.create({ email: 'other@example.com' }, key)).toMatchObject({ email: 'other@example.com' });
  });

  test('limits calls a second', async () => {
    standIn.limits.callsPerSecond = 2;
    const results = await Promise.allSettled([1, 2, 3].map(() => stripe.customers.list()));
    standIn.limits.callsPerSecond = null;
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });

  test('refuses a key while its first call is running', async () => {
    standIn.faults.latencyMs = 50;
    const key = { idempotencyKey: 'a slow key' };
    const results = await Promise.allSettled([stripe.customers.create({}, key), stripe.customers.create({}, key)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('names what is missing or not authorized', async () => {
    expect(await failure(stripe.customers.retrieve('cus_none'))).toMatchObject({ statusCode: 404, code: 'resource_missing', param: 'id' });
    expect(await failure(stripe.coupons.list())).toMatchObject({ statusCode: 404 });
    expect((await fetch(`${standIn.url}/v1/customers`)).status).toBe(401);
  });

  test('breaks connections, is busy or does not answer on demand', async () => {
    standIn.faults.plan('down', /customers/, 2);
    expect(await failure(stripe.customers.list())).toMatchObject({ type: 'StripeConnectionError' });
    standIn.faults.plan('silent', /customers/);
    expect(await failure(stripe.customers.list({}, { timeout: 500 }))).toMatchObject({ type: 'StripeConnectionError' });
    standIn.faults.plan('busy', /customers/);
    expect(await failure(stripe.customers.list())).toMatchObject({ type: 'StripeRateLimitError', statusCode: 429 });
  });

  test('opens no portal without a configuration', async () => {
    const { id } = await stripe.customers.create({});
    expect(await failure(stripe.billingPortal.sessions.create({ customer: id }))).toMatchObject({ statusCode: 400 });
    const cancelling = { enabled: true, mode: 'at_period_end' };
    const configuration = await stripe.billingPortal.configurations.create({ features: { subscription_cancel: cancelling } });
    expect(configuration).toMatchObject({ features: { subscription_cancel: cancelling } });
    const session = await stripe.billingPortal.sessions.create({ customer: id, configuration: configuration.id });
    expect(session.url).toContain(id);
  });

  describe('a subscription', () => {
    let customer: Stripe.Customer;
    let subscription: Stripe.Subscription;

    beforeAll(async () => {
      await stripe.products.create(productParams);
      const { id: price } = await stripe.prices.create(planPriceParams);
      customer = await stripe.customers.create({});
      const session = await stripe.checkout.sessions.create({
        mode: 'subscription',
        customer: customer.id,
        success_url: 'http://localhost/',
        line_items: [{ price, quantity: 1 }],
      });
      subscription = standIn.completeCheckout(session.id);
    });

    const lastBill = async () => (await stripe.invoices.list({ customer: customer.id, limit: 1 })).data[0]!;

    const item = (invoice: string, amount: number) =>
      stripe.invoiceItems.create({
        customer: customer.id,
        invoice,
        amount,
        currency: 'usd',
        period: { start: 1, end: 2 },
        metadata: { of: 'us' },
      });

    test('accepts items on a draft, finalizes it at the given time, and accepts none on a final invoice', async () => {
      standIn.passTimeUntil(new Date(subscription.items.data[0]!.current_period_end * 1000));
      const { id, created } = await lastBill();
      await item(id, 700);
      const taken = await item(id, -300);
      await stripe.invoices.update(id, { automatically_finalizes_at: created + 7200 });
      standIn.passTimeUntil(new Date((created + 7199) * 1000));
      expect((await lastBill()).status).toBe('draft');
      expect((await stripe.invoices.listLineItems(id)).data.slice(1)).toMatchObject([
        { amount: 700, metadata: { of: 'us' } },
        { amount: -300, parent: { invoice_item_details: { invoice_item: taken.id } } },
      ]);
      await stripe.invoiceItems.del(taken.id);
      standIn.passTimeUntil(new Date((created + 7200) * 1000));
      expect(await lastBill()).toMatchObject({ status: 'paid', total: 5900 + 700 });
      expect(await failure(item(id, 1))).toMatchObject({ statusCode: 400 });
      expect(await failure(stripe.invoices.update(id, { automatically_finalizes_at: created + 9999 }))).toMatchObject({ statusCode: 400 });
    });

    test("gives a draft its customer's custom fields, replaces up to four of them as a list, and changes none on a final invoice", async () => {
      const field = (name: string, value = 'v') => ({ name, value });
      await stripe.customers.update(customer.id, { invoice_settings: { custom_fields: [field('PO')] } });
      const { id, custom_fields } = await stripe.invoices.create({ customer: customer.id, auto_advance: false });
      expect(custom_fields).toEqual([field('PO')]);
      const set = (fields: Stripe.InvoiceUpdateParams['custom_fields']) => stripe.invoices.update(id, { custom_fields: fields! });
      expect(await set([field('Ledger', 'x'.repeat(140))])).toMatchObject({ custom_fields: [field('Ledger', 'x'.repeat(140))] });
      expect(await stripe.invoices.update(id, { auto_advance: false })).toMatchObject({ custom_fields: [{ name: 'Ledger' }] });
      expect(await failure(set(['1', '2', '3', '4', '5'].map((name) => field(name))))).toMatchObject({ statusCode: 400 });
      expect(await failure(set([field('x'.repeat(41))]))).toMatchObject({ statusCode: 400 });
      expect(await failure(set([field('Ledger', 'x'.repeat(141))]))).toMatchObject({ statusCode: 400 });
      expect(await set('')).toMatchObject({ custom_fields: null });
      await stripe.invoices.finalizeInvoice(id);
      expect(await failure(set([field('late')]))).toMatchObject({ statusCode: 400 });
      await stripe.customers.update(customer.id, { invoice_settings: { custom_fields: '' } });
    });

    test('previews no invoice of nothing, nor of a subscription that ends', async () => {
      const preview = (params: Stripe.InvoiceCreatePreviewParams) => stripe.invoices.createPreview({ customer: customer.id, ...params });
      standIn.cancelAtPeriodEnd(subscription.id);
      expect(await failure(preview({ subscription: subscription.id }))).toMatchObject({ code: 'invoice_upcoming_none' });
      standIn.cancelAtPeriodEnd(subscription.id, false);
      expect(await failure(preview({}))).toMatchObject({ statusCode: 400 });
    });

    test('sends ten lines with an invoice, dashboard items first, and lists the others', async () => {
      for (let item = 0; item < 10; item++) standIn.billWithNext(subscription.id, 100);
      standIn.moveBillingCycle(subscription.id);
      const { latest_invoice } = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
      const { id, lines } = latest_invoice as Stripe.Invoice;
      expect(lines).toMatchObject({ has_more: true, data: Array.from({ length: 10 }, () => ({ amount: 100 })) });
      const all = await stripe.invoices.listLineItems(id, { limit: 100 });
      expect(all.data.slice(9)).toMatchObject([{ amount: 100 }, { amount: 5900 }]);
    });

    test('expands what the service asks for, and refuses the rest', async () => {
      const expanded = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
      expect(expanded.latest_invoice).toMatchObject({ object: 'invoice' });
      expect(await failure(stripe.subscriptions.retrieve(subscription.id, { expand: ['customer'] }))).toMatchObject({ statusCode: 400 });
    });
  });
});
