import type Stripe from 'stripe';
import { planProductId } from '../../src/billing/stripe/catalogue.js';
import { dayMs, hourMs, minuteMs, Situation, startsAt } from '../harness/situation.js';
import type { FaultKind } from '../stripe/faults.js';
import { payInvoice } from '../stripe/subscribing.js';

const items = /POST \/v1\/invoiceitems/;

// Whatever happens in Stripe's dashboard and whatever Stripe loses: in the end final invoices less credits have the ledger's overage. Each
// test begins with a subscriber who has read all included records.
describe('overage is billed once, to the record, when', () => {
  let s: Situation;

  beforeEach(async () => {
    s = await Situation.withReader();
  });

  /** Once all have left, everything due has been billed. */
  const isRight = async () => expect(await s.differencesAtEnd()).toEqual([]);

  /** @param bills the overage records on each bill */
  const situation = (title: string, bills: number[], happens: () => Promise<unknown>) =>
    test(title, async () => {
      await happens();
      expect(s.overage()).toEqual(bills);
      await isRight();
    });

  test('two subscriptions last at once', async () => {
    const { prices } = s.stripe.world;
    const second = await s.life.again(s.api, startsAt, s.stripe.subscribeByHand(s.life.customerId, prices.all()).id);
    await s.hear(second.subscriptionId);
    await second.issueToken();
    await second.read(4000);
    await s.read(100);
    await second.read(60);
    s.all.push(second);
    await s.renew();
    expect(s.overage().reduce((sum, records) => sum + records, 0)).toBe(160);
    await isRight();
  });

  test.each([true, false])('a billing threshold is reached (cycle reset: %p), and the subscription then ends at once', async (isReset) => {
    await s.read(200);
    await s.later(dayMs);
    s.stripe.billAtThreshold(s.life.subscriptionId, isReset);
    await s.hear();
    await s.work();
    await s.read(30);
    await s.later(hourMs);
    await s.end();
    await isRight();
  });

  test('the subscription’s prices are replaced, and it ends with an invoice', async () => {
    await s.read(100);
    s.stripe.replacePrices(s.life.subscriptionId, s.stripe.world.prices.all());
    await s.hear();
    await s.read(40);
    await s.later(hourMs);
    s.stripe.changeQuantity(s.life.subscriptionId, 3);
    s.stripe.cancelNow(s.life.subscriptionId, true);
    await s.hear();
    await s.pass(4 * hourMs);
    const lines = s.bills().flatMap(({ lines: { data } }) => data);
    expect(lines.filter(({ metadata }) => metadata.overage_item)).toMatchObject([{ quantity: 140 }]);
    await s.leave();
    expect(await s.service.differences()).toEqual([]);
  });

  // No draft comes with the end of the period that the trial has cut off.
  situation('a running subscription gets a trial', [0, 0, 20, 0], async () => {
    await s.read(20);
    await s.later(10 * dayMs);
    const trialEnd = new Date(startsAt.getTime() + 45 * dayMs);
    s.stripe.setTrialEnd(s.life.subscriptionId, trialEnd);
    await s.hear();
    await s.endPeriod(1, dayMs);
    await s.work();
    await s.read(3);
    await s.passTimeUntil(trialEnd);
    await s.pass(3 * hourMs);
  });

  test('a first bill is paid only after a short trial was given: what renews ends with the trial, not with the month paid before', async () => {
    const first = s.stripe.subscribeOnAccount(s.life.customerId, s.stripe.world.prices.all());
    await s.later(4 * hourMs);
    s.stripe.setTrialEnd(first.id, new Date(s.now.getTime() + dayMs));
    s.stripe.payOldestInvoice(first.id);
    s.stripe.cancelAtPeriodEnd(first.id);
    await s.hear(first.id);
    await isRight();
  });

  situation('an invoice is finalized early in the dashboard', [0, 0, 20], async () => {
    await s.read(20);
    await s.endPeriod();
    expect(s.stripe.finalizeEarly(s.life.customerId)).toBe(true);
    await s.pass(3 * hourMs);
    expect(s.overage()).toEqual([0, 0]);
    await s.pass(3 * dayMs, 6 * hourMs);
  });

  test('a subscription’s end goes unnoticed, it reads on, and the next one is invoiced and never paid', async () => {
    await s.read(100);
    await s.later(hourMs);
    s.stripe.cancelNow(s.life.subscriptionId);
    const next = s.stripe.subscribeOnAccount(s.life.customerId, s.stripe.world.prices.all());
    await s.read(50);
    await s.later(hourMs);
    await s.hear(s.life.subscriptionId, next.id);
    await s.pass(3 * hourMs);
    expect(s.bills()).toHaveLength(2);
    await s.passTimeUntil(new Date(next.items.data[0]!.current_period_end * 1000));
    await s.pass(3 * hourMs);
    expect(s.bills().at(-1)).toMatchObject({ status: 'open', total: 5900 + 150 * 5 });
    await s.hear(next.id);
    await s.pass(60 * dayMs, dayMs);
    s.stripe.cancelNow(next.id);
    await s.hear(next.id);
    await isRight();
  });

  test.each([2, 50])('the billing cycle is moved, with %i reads before we learn of it', async (reads) => {
    await s.read(70);
    await s.later(5 * dayMs);
    s.stripe.moveBillingCycle(s.life.subscriptionId);
    await s.later(5 * minuteMs);
    await s.read(...Array(reads).fill(1));
    await s.later(5 * minuteMs);
    await s.hear();
    await s.work();
    await s.read(10);
    await s.pass(4 * hourMs);
    expect(s.overage()).toEqual([0, 0]);
    await isRight();
  });

  describe('a read is reversed', () => {
    situation('before its invoice, which then does not have it', [0, 100], async () => {
      await s.read(100, 170);
      await s.life.takeBack(0.9);
      await s.renew();
    });

    test.each([100, 2000])('after its invoice, so the next one is lower by its %i records, even below zero', async (records) => {
      await s.read(records);
      await s.renew();
      await s.life.takeBack(0.9);
      await s.read(4000, 30);
      await s.renew(2);
      expect(s.totals()).toEqual([5900, 5900 + records * 5, 5900 - (records - 30) * 5]);
      await isRight();
    });

    situation('after the subscription’s end, as a credit that lowers other payments', [0, 70], async () => {
      await s.read(70);
      await s.end();
      await s.later(46 * dayMs);
      await s.life.takeBack(0.9);
      await s.work();
      expect(s.credits()).toEqual([-70 * 5]);
    });

    test.each<[string, (bill: Stripe.Invoice) => unknown]>([
      ['void', () => s.stripe.forgiveOpenBill(s.life.customerId, true)],
      ['written off', () => s.stripe.forgiveOpenBill(s.life.customerId, false)],
      ['credited', (bill) => s.stripe.creditLine(bill, bill.lines.data.find(({ metadata }) => metadata.overage_item)!)],
    ])('after its bill was %s: nothing is given back', async (how, forgive) => {
      s.stripe.setCard(s.life.subscriptionId, how === 'credited');
      await s.read(100, 70);
      await s.renew();
      forgive(s.bills()[1]!);
      await s.life.takeBack(0.9);
      await s.pass(5 * dayMs, dayMs);
      expect(s.credits()).toEqual([]);
      expect(s.totals()).toEqual([5900, 5900 + 170 * 5]);
      expect(await s.service.db.query(`select records from overage_item where state = 'void'`)).toEqual([{ records: -70 }]);
      expect(await s.service.differences()).toEqual([]);
    });
  });

  describe('Stripe', () => {
    test.each<[string, FaultKind, number]>([
      ...(['failed', 'error', 'lost', 'down', 'busy', 'locked', 'late'] as const).map((kind): [string, FaultKind, number] => [
        kind,
        kind,
        3,
      ]),
      ['silent', 'silent', 1],
      ['lost, and then is too busy for the retry', 'lost', 1],
    ])('answers an item repeatedly by %s', async (title, kind, times) => {
      await s.read(70);
      await s.endPeriod();
      s.stripe.faults.plan(kind, items, times);
      if (title.includes('busy for')) s.stripe.faults.plan('busy', items, 2);
      await s.pass(3 * hourMs);
      expect(s.overage()).toEqual([0, 70]);
      await isRight();
    });

    situation('keeps the refusal of a lock under its key: another key is used at once', [0, 70], async () => {
      await s.read(70);
      await s.endPeriod(1, 4 * minuteMs);
      s.stripe.faults.plan('locked', items);
      await s.work();
      await s.pass(minuteMs);
      expect(s.stripe.callsOf(items)).toBe(3);
      await s.pass(2 * hourMs);
    });

    test.each([
      ['item', items],
      ['invoice', /POST .v1.invoices$/],
    ])('carries out late what it answered by 504: there is one %s', async (_, path) => {
      await s.read(70);
      s.stripe.faults.plan('late', path);
      await s.endAtOnce(s.life);
      await s.pass(30 * minuteMs, minuteMs);
      expect(s.totals()).toEqual([5900, 70 * 5]);
      await isRight();
    });

    test('refuses an item for good: the draft goes at its time, and the overage three days later', async () => {
      await s.read(70);
      for (let line = 0; line < 249; line++) s.stripe.billWithNext(s.life.subscriptionId, 1);
      await s.renew();
      expect(s.bills()[1]).toMatchObject({ status: 'paid', total: 5900 + 249 });
      expect(s.stripe.callsOf(items)).toBe(1);
      await s.pass(3 * dayMs, 6 * hourMs);
      expect(s.totals().slice(2)).toEqual([70 * 5]);
      await isRight();
    });

    test.each([30 * minuteMs, 26 * hourMs, 40 * dayMs])(
      'accepts an item without answering, and is down for %i ms after that',
      async (awayMs) => {
        await s.read(70);
        await s.endPeriod(1, 10 * minuteMs);
        s.stripe.faults.plan('lost', items);
        await s.work();
        s.stripe.faults.scatter(['down'], 1, /invoice|subscriptions|customers/, 1);
        await s.pass(awayMs, Math.max(10 * minuteMs, awayMs / 20));
        s.stripe.faults.clear();
        await s.pass(2 * hourMs);
        expect(s.overage()).toEqual([0, 70, ...(awayMs > 30 * dayMs ? [0] : [])]);
        await isRight();
      },
    );

    situation('goes down for hours: the draft goes at its time, and the overage three days later', [0, 0, 70], async () => {
      await s.read(70);
      await s.endPeriod();
      s.stripe.faults.plan('failed', items, 1000);
      await s.pass(5 * hourMs, 20 * minuteMs);
      s.stripe.faults.clear();
      expect(s.totals()).toEqual([5900, 5900]);
      await s.pass(3 * dayMs, 6 * hourMs);
    });

    situation('loses the answer that created an overage invoice: there is one', [0, 70], async () => {
      await s.read(70);
      s.stripe.faults.plan('lost', /POST \/v1\/invoices$/, 2);
      s.stripe.faults.plan('lost', /finalize/, 1);
      await s.end();
    });

    situation('loses the answer that gave a credit: there is one', [0, 70], async () => {
      await s.read(70);
      await s.end(hourMs);
      await s.life.takeBack(0.9);
      s.stripe.faults.plan('lost', /balance_transactions/);
      await s.pass(30 * hourMs, hourMs);
      expect(s.credits()).toEqual([-70 * 5]);
    });

    test.each([true, false])(
      'stops the draft of a subscription that ends within its hour (%p): the overage is billed anyway',
      async (isStopped) => {
        s.stripe.world.endingStopsDrafts = isStopped;
        await s.read(70);
        await s.endPeriod(1, 10 * minuteMs);
        await s.work();
        await s.end(2 * dayMs);
        const last = s.bills().findLast(({ status }) => status !== 'draft');
        expect(last).toMatchObject({ status: 'paid', total: isStopped ? 70 * 5 : 5900 + 70 * 5 });
        await isRight();
      },
    );
  });

  test.each<[string, number, () => Promise<unknown>]>([
    [
      'is paused',
      5,
      async () => {
        s.stripe.setPaused(s.life.subscriptionId, true);
        await s.endPeriod();
      },
    ],
    [
      'is moved to a yearly price',
      40,
      async () => {
        const product = { currency: 'usd', product: planProductId };
        const yearly = await s.api.prices.create({ ...product, unit_amount: 59_000, recurring: { interval: 'year' } });
        s.stripe.replacePrices(s.life.subscriptionId, [yearly]);
        s.stripe.moveBillingCycle(s.life.subscriptionId);
        await s.hear();
      },
    ],
    [
      'ends, and the next one is in euros',
      5,
      async () => {
        s.stripe.cancelNow(s.life.subscriptionId);
        const [plan] = s.stripe.world.prices.all();
        plan!.currency_options = { eur: { unit_amount: 5500 } as Stripe.Price.CurrencyOptions };
        s.stripe.subscribeByHand(s.life.customerId, [plan!], 'eur');
        await s.hear();
      },
    ],
    ...(['void', 'mark_uncollectible', 'keep_as_draft'] as const).map((behavior): [string, number, () => Promise<unknown>] => [
      `has its collection paused, and drafts are left: ${behavior}`,
      5,
      async () => {
        s.stripe.pauseCollection(s.life.subscriptionId, behavior);
        await s.hear();
        await s.renew();
      },
    ]),
  ])('no draft comes, since the subscription %s: three days later it is on a bill of our own', async (_, days, happens) => {
    await s.read(70);
    await s.later(dayMs);
    await happens();
    await s.pass(days * dayMs, 6 * hourMs);
    expect(s.ownBills()).toMatchObject([{ status: 'paid', currency: 'usd', total: 70 * 5 }]);
  });

  test('no draft comes, since it is unpaid: three days later it is on a bill of our own', async () => {
    s.stripe.setCard(s.life.subscriptionId, false);
    await s.renew();
    await s.hear();
    await s.read(4000, 70);
    await s.pass(20 * dayMs, dayMs);
    await s.hear();
    expect(s.stripe.world.subscriptions.get(s.life.subscriptionId).status).toBe('unpaid');
    await s.endPeriod(2);
    await s.pass(5 * dayMs, 6 * hourMs);
    expect(s.ownBills()).toMatchObject([{ status: 'open', total: 70 * 5 }]);
  });

  describe('it costs the same on a draft and on a bill of our own, with', () => {
    const bothWays = async () => {
      await s.read(100);
      await s.renew();
      await s.read(4000, 100);
      await s.end();
      return s.totals().slice(1);
    };

    test('a coupon for everything that the subscription or its customer has', async () => {
      s.stripe.giveCoupon(s.life.subscriptionId, 100);
      s.stripe.giveCoupon(s.life.customerId, 50);
      expect(await bothWays()).toEqual([100 * 5, 100 * 5]);
      await isRight();
    });

    test('a manual tax rate', async () => {
      s.stripe.addTaxRate(s.life.subscriptionId, 10);
      expect(await bothWays()).toEqual([7040, 550]);
      await isRight();
    });

    test('a reversal after a coupon', async () => {
      s.stripe.giveCoupon(s.life.subscriptionId, 50);
      await s.read(100);
      await s.renew();
      await s.end(4 * dayMs);
      await s.life.takeBack(0.9);
      await s.work();
      expect(s.totals().slice(1)).toEqual([5900 / 2 + 100 * 5]);
      expect(s.credits()).toEqual([-100 * 5]);
      await isRight();
    });
  });

  test('an invoice is void or written off: its overage is forgiven', async () => {
    for (const [month, isVoid] of [
      [1, true],
      [2, false],
    ] as const) {
      s.stripe.setCard(s.life.subscriptionId, false);
      if (month > 1) await s.read(4000);
      await s.read(70);
      await s.renew(month);
      expect(s.stripe.forgiveOpenBill(s.life.customerId, isVoid)).toBe(true);
      s.stripe.setCard(s.life.subscriptionId, true);
      await s.hear();
      s.stripe.world.collections.get(s.life.subscriptionId)!.retriesLeft = 3;
    }
    await isRight();
    expect(s.overage().reduce((sum, records) => sum + records, 0)).toBe(140);
  });

  situation('our draft is deleted in the dashboard: it is created again', [0, 70], async () => {
    await s.read(70);
    s.stripe.faults.plan('failed', items, 100);
    await s.end(5 * minuteMs);
    const [, draft] = s.bills();
    await s.api.invoices.del(draft!.id);
    s.stripe.faults.clear();
    await s.pass(2 * hourMs);
  });

  situation('Stripe does not know the customer for a while, since the key may be another account’s', [0, 70], async () => {
    await s.read(70);
    const { customers } = s.stripe.world;
    const customer = customers.get(s.life.customerId);
    await s.endAtOnce(s.life);
    customers.remove(customer.id);
    await s.pass(2 * hourMs);
    customers.add(customer);
    await s.pass(2 * hourMs);
  });

  test.each([0, 30_000])('its account is closed, %i ms after it began: less what is reversed soon after', async (ms) => {
    await s.read(1000, 1000);
    await s.later(ms);
    const user = `insert into auth."user" (id, name, email, "emailVerified", banned, "createdAt", "updatedAt")`;
    await s.service.db.query(`${user} values ($1, 'One', 'one@example.com', true, true, now(), now())`, [s.life.accountId]);
    for (const _ of ['once', 'again']) await s.service.endSubscriptions(s.life.accountId);
    expect(s.stripe.world.subscriptions.get(s.life.subscriptionId).status).toBe('canceled');
    await s.life.takeBack(0.9);
    await s.pass(2 * hourMs);
    expect(s.overage()).toEqual([0, 1000]);
    await isRight();
  });

  test.each([
    ['looks for what is due', 'from overage_due'],
    ['asks when it closes', 'closed_at'],
  ])('its period closes while a server %s, and is billed at once', async (_, question) => {
    await s.read(70);
    await s.end(minuteMs);
    const { pool } = await s.service.background;
    const look = pool.query.bind(pool);
    pool.query = (async (text: string, values?: unknown[]) => {
      const found = await look(text, values);
      if (text.includes(question)) await s.later(hourMs);
      return found;
    }) as typeof look;
    await s.hear();
    await s.work();
    pool.query = look;
    expect(s.overage()).toEqual([0, 70]);
    await isRight();
  });

  test('invoices are sent, not collected: ours too', async () => {
    Object.assign(s.stripe.world.subscriptions.get(s.life.subscriptionId), { collection_method: 'send_invoice', days_until_due: 14 });
    await s.read(70);
    await s.end();
    expect(s.bills().at(-1)).toMatchObject({ status: 'open', collection_method: 'send_invoice', due_date: expect.any(Number) });
  });

  test('the card fails until Stripe gives up and ends the subscription', async () => {
    s.stripe.world.dunningEnds = 'canceled';
    await s.read(70);
    s.stripe.setCard(s.life.subscriptionId, false);
    await s.renew();
    await s.hear();
    await s.read(4000, 30);
    await s.pass(20 * dayMs, 6 * hourMs);
    expect(s.stripe.world.subscriptions.get(s.life.subscriptionId).status).toBe('canceled');
    expect(s.overage()).toEqual([0, 70, 30]);
    await s.pass(16 * dayMs, dayMs);
    await s.hear();
    const [warned] = await s.service.db.query<{ warning: string }>('select warning from subscription');
    expect(warned!.warning).toMatch(/no longer tries to collect its overage, our bill in_\w+ of \$1\.50/);
    // Whichever bill is open is paid before anything else is sold.
    const { startCheckout } = await s.console();
    for (const owed of ['1.50', '62.50']) {
      await expect(startCheckout()).rejects.toThrow(`${owed} is open`);
      payInvoice(s.stripe.world, s.bills().findLast(({ status }) => status === 'open')!);
    }
    expect(await startCheckout()).toContain('/pay/');
    await isRight();
  });
});
