import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import Stripe from 'stripe';
import { Caller } from '../harness/caller.js';
import { contract } from '../harness/contract.js';
import { PaidService } from '../harness/paid-service.js';
import { rawRequest } from '../harness/raw-request.js';
import { customer as anybody } from '../stripe/shapes.js';

describe('POST /api/stripe/webhook', () => {
  let service: PaidService;
  let server: string;
  let secret: string;

  beforeAll(async () => {
    service = await PaidService.open();
    server = await service.startServer();
    secret = service.stripe.deliveries.secret;
  });

  const anEvent = (more: object = {}): string =>
    JSON.stringify({
      id: `evt_${Math.random()}`,
      object: 'event',
      type: 'product.updated',
      created: 1_800_000_000,
      livemode: false,
      data: { object: {} },
      ...more,
    });

  const sign = (payload: string, { by = secret, at = Date.now() / 1000 } = {}): string =>
    Stripe.webhooks.generateTestHeaderString({ payload, secret: by, timestamp: Math.floor(at) });

  const post = (body: string | Buffer, headers: Record<string, string>, to = server) =>
    new Caller(to).post('/api/stripe/webhook', { body, headers });

  const postSigned = (payload: string, by?: Parameters<typeof sign>[1], to?: string) =>
    post(payload, { 'stripe-signature': sign(payload, by) }, to);

  const stored = async (payload: string) => {
    const { id } = JSON.parse(payload) as { id: string };
    const [row] = await service.db.query<{ state: string; attempts: number; error: string | null }>(
      'select state, attempts, error from stripe_event where id = $1',
      [id],
    );
    return row;
  };

  describe('200', () => {
    test.each([
      ['text that only looks like a NUL', { data: { object: { id: 'prod_1', description: 'C:\\u0000 and \\\\u0000' } } }, null],
      ['an unhandled type', {}, null],
      [
        'an object that Stripe no longer has, and shows operators why',
        { type: 'charge.refunded', data: { object: { id: 'ch_gone' } } },
        "No such charge: 'ch_gone'",
      ],
    ])('stores and ignores a signed event with %s', async (_, more, error) => {
      const payload = anEvent(more);
      expect(await postSigned(payload)).toMatchObject({ status: 200 });
      expect(await stored(payload)).toMatchObject({ state: 'ignored', attempts: 1, error });
    });

    test('accepts either secret during a rotation', async () => {
      const payload = anEvent();
      expect((await postSigned(payload, { by: 'whsec_before_the_rotation' })).status).toBe(200);
    });

    test('accepts a compressed body, any charset and any content type', async () => {
      for (const headers of [
        { 'content-encoding': 'gzip' },
        { 'content-type': 'application/json; charset=utf-8' },
        { 'content-type': 'application/json;charset=UTF-8' },
        { 'content-type': 'text/plain' },
      ] as Record<string, string>[]) {
        const payload = anEvent({ note: 'ünïcödé' });
        const body = headers['content-encoding'] ? gzipSync(payload) : payload;
        expect((await post(body, { ...headers, 'stripe-signature': sign(payload) })).status).toBe(200);
        expect(await stored(payload)).toBeDefined();
      }
    });

    test('stores events for a later replay without a Stripe key', async () => {
      const keyless = await PaidService.open({ STRIPE_SECRET_KEY: '' });
      const url = await keyless.startServer();
      const payload = anEvent({ type: 'invoice.paid' });
      expect((await postSigned(payload, { by: keyless.stripe.deliveries.secret }, url)).status).toBe(200);
      expect(await keyless.db.query('select state from stripe_event')).toEqual([{ state: 'stored' }]);
    });

    test('handles an event exactly once, however often it is delivered, also in parallel', async () => {
      const payload = anEvent();
      const statuses = await Promise.all(Array.from({ length: 10 }, () => postSigned(payload)));
      expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
      expect(await stored(payload)).toMatchObject({ attempts: 1 });
    });
  });

  describe('400', () => {
    const refused = async (payload: string, headers: Record<string, string>, to?: string) => {
      expect(await post(payload, headers, to)).toMatchObject({ status: 400, json: { error: 'bad_signature' } });
      expect(await stored(payload)).toBeUndefined();
    };

    test('a body with a content encoding', async () => {
      const payload = anEvent();
      for (const encoding of ['gzip', 'bogus']) await refused(payload, { 'content-encoding': encoding });
    });

    test('a signature that is missing, malformed, of another secret, or of another body', async () => {
      const payload = anEvent();
      await refused(payload, {});
      await refused(payload, { 'stripe-signature': 'garbage' });
      for (const none of ['', 't=,v1=', sign(payload).replace(/^t=\d+,/, '')]) await refused(payload, { 'stripe-signature': none });
      await refused(payload, { 'stripe-signature': sign(payload, { by: 'whsec_somebody_else' }) });
      await refused(payload, { 'stripe-signature': sign(`${payload} `) });
    });

    test.each([0, 1_100_000, 5_000_000])('an unsigned body of %d bytes', async (bytes) => {
      const { status, text } = await rawRequest(server, 'POST', '/api/stripe/webhook', { body: 'x'.repeat(bytes) });
      expect([status, JSON.parse(text).error]).toEqual([400, 'bad_signature']);
    });

    test('a signature more than 300 s old or 300 s ahead', async () => {
      const payload = anEvent();
      const now = Date.now() / 1000;
      await refused(payload, { 'stripe-signature': sign(payload, { at: now - 310 }) });
      await refused(payload, { 'stripe-signature': sign(payload, { at: now + 310 }) });
      expect((await postSigned(payload, { at: now + 290 })).status).toBe(200);
    });

    test('a signature whose time is not a number', async () => {
      const payload = anEvent();
      for (const time of ['NaN', '', 'soon', '-', '1e99', 'Infinity']) {
        const signature = createHmac('sha256', secret)
          .update(`${Number.parseInt(time, 10)}.${payload}`)
          .digest('hex');
        await refused(payload, { 'stripe-signature': `t=${time},v1=${signature}` });
      }
    });

    test('a live event with a test key, or an event of a connected account', async () => {
      for (const more of [{ livemode: true }, { account: 'acct_1' }]) {
        const payload = anEvent(more);
        expect(await postSigned(payload)).toMatchObject({
          status: 400,
          json: { error: 'invalid_request' },
        });
        expect(await stored(payload)).toBeUndefined();
      }
    });

    test('signed text that is no event: the answer names what is missing, and nothing changes', async () => {
      const type = 'customer.subscription.updated';
      const lacking = (more: object): string => anEvent({ type, ...more });
      const before = await service.db.query('select count(*) from stripe_event');
      for (const [payload, says] of [
        [lacking({ data: undefined }), 'data.object must be an object, not nothing'],
        [lacking({ data: null }), 'data.object must be an object, not nothing'],
        [lacking({ data: {} }), 'data.object must be an object, not nothing'],
        [lacking({ data: { object: null } }), 'data.object must be an object, not null'],
        [lacking({ data: { object: ['sub_1'] } }), 'data.object must be an object, not ["sub_1"]'],
        [lacking({ type: undefined }), 'type must be 1 to 255 printable characters without spaces, not nothing'],
        ['not json', 'not valid JSON'],
        ['null', 'not an object'],
        ['[]', 'not an object'],
        ['"evt_1"', 'not an object'],
        ['{"id":1}', 'id must be 1 to 255 printable characters without spaces, not 1'],
      ] as const) {
        const answer = await postSigned(payload);
        expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_request', message: expect.stringContaining(says) } });
      }
      expect(await service.db.query('select count(*) from stripe_event')).toEqual(before);
    });

    test.each([
      ['an id with a NUL', anEvent({ id: 'evt_\0' })],
      ['a type with a NUL', anEvent({ type: 'customer\0' })],
      ['an object whose id has a NUL', anEvent({ type: 'customer.subscription.updated', data: { object: { id: 'sub_\0' } } })],
      ['a customer whose id has a NUL', anEvent({ type: 'customer.deleted', data: { object: { id: 'cus_\0' } } })],
      ['a charge whose id has a NUL', anEvent({ type: 'charge.dispute.created', data: { object: { id: 'dp_1', charge: 'ch_\0' } } })],
      ['a NUL in a name of a field', anEvent({ data: { object: { id: 'in_1', 'a\0': 1 } } })],
      ['an id that is too long for an index', anEvent({ id: Array.from({ length: 9000 }, () => Math.random()).join('') })],
      ['a time that no calendar has', anEvent({ created: 1e300 })],
      [
        'a depth that nobody reads',
        anEvent({ data: { object: { id: 'sub_1', deep: 'DEEP' } } }).replace('"DEEP"', '['.repeat(9e4) + ']'.repeat(9e4)),
      ],
      ['lists in lists where an object is', anEvent({ data: { object: 'DEEP' } }).replace('"DEEP"', '['.repeat(9e4) + ']'.repeat(9e4))],
      ['lists in lists and nothing else', '['.repeat(9e4) + ']'.repeat(9e4)],
    ])('signed text that cannot be stored: %s', async (_, payload) => {
      const before = await service.db.query('select count(*) from stripe_event');
      const answer = await postSigned(payload);
      expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
      expect(await service.db.query('select count(*) from stripe_event')).toEqual(before);
    });

    test('everything, if no secret is configured', async () => {
      const bare = await PaidService.open({ STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '' });
      const url = await bare.startServer();
      const payload = anEvent();
      expect(await postSigned(payload, { by: '' }, url)).toMatchObject({ status: 400 });
      expect(await postSigned(payload, {}, url)).toMatchObject({ status: 400 });
    });
  });

  test('answers a thin event by 200 and ignores it', async () => {
    const payload = JSON.stringify({
      id: 'evt_thin',
      object: 'v2.core.event',
      type: 'v1.billing.meter.error_report_triggered',
      related_object: null,
    });
    expect(await postSigned(payload)).toMatchObject({ status: 200, json: { received: true } });
    expect(await service.db.query(`select from stripe_event where id = 'evt_thin'`)).toEqual([]);
  });

  describe('500', () => {
    test('a failed handler has no effect and operators see it; a later delivery that succeeds completes it', async () => {
      const { id: customer } = service.stripe.world.customers.add(anybody(0, {}));
      const { id } = service.stripe.subscribeByHand(customer, service.stripe.world.prices.all());
      const payload = anEvent({ type: 'customer.subscription.updated', data: { object: { id } } });
      service.stripe.faults.plan('failed', /subscriptions/, 10);
      const said = contract.components.responses.WebhookFailed!.content!['application/json']!.example;
      const json = { ...(said as object), request_id: expect.any(String) };
      expect(await postSigned(payload)).toMatchObject({ status: 500, json });
      expect(await stored(payload)).toMatchObject({ state: 'failed', attempts: 1, error: expect.stringContaining('went wrong') });
      expect(await service.db.query('select id from subscription')).toEqual([]);

      service.stripe.faults.clear();
      expect(await postSigned(payload)).toMatchObject({ status: 200 });
      expect(await stored(payload)).toMatchObject({ state: 'handled', attempts: 2, error: null });
    });
  });
});
