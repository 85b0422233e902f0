import type Stripe from 'stripe';
import { planProductId } from '../../src/billing/stripe/catalogue.js';
import { openFairLife } from '../harness/fair-lives.js';
import type { Life } from '../harness/life.js';
import type { Lives } from '../harness/lives.js';
import type { PaidService } from '../harness/paid-service.js';
import type { FaultKind } from '../stripe/faults.js';
import { payInvoice } from '../stripe/subscribing.js';

const [minuteMs, hourMs, dayMs] = [60_000, 3600_000, 24 * 3600_000];
const startsAt = new Date('2027-01-31T10:00:00Z');
const items = /POST \/v1\/invoiceitems/;

// Whatever happens in Stripe's dashboard and whatever Stripe loses: in the end final invoices less credits have the ledger's overage. Each
// test begins with a subscriber who has read all included records.
describe('overage is billed once, to the record, when', () => {
  let service: PaidService;
  let lives: Lives;
  let life: Life;
  let now: Date;

  beforeEach(async () => {
    ({ service, lives, life } = await openFairLife(startsAt));
    now = startsAt;
  });

  const at = async (time: Date) => {
    now = time;
    await lives.passTimeUntil(time);
  };
  const later = (ms: number) => at(new Date(now.getTime() + ms));
  const hear = async (...ids: string[]) => {
    for (const subscriptionId of ids.length > 0 ? ids : [life.subscriptionId]) await lives.follow({ subscriptionId });
  };
  /** Passes time in steps; the service works at each. */
  const pass = async (ms: number, stepMs = 10 * minuteMs) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await later(Math.min(stepMs, ms - passed));
      await lives.work();
    }
  };
  const renew = async (month = 1) => {
    await at(await life.periodEnd(month));
    await pass(3 * hourMs);
  };
  const read = async (...amounts: number[]) => {
    for (const records of amounts) await life.read(records);
  };
  const totals = () => service.stripe.billsOf(life.customerId).map(({ total }) => total);
  const overageOf = () => totals().map((total) => (total % 5900) / 5);
  const credits = () => service.stripe.world.balanceTransactions.all().map(({ amount }) => amount);

  /** Once all have left, everything due has been billed. */
  const isRight = async () => {
    await lives.leave();
    expect(await lives.differences()).toEqual([]);
  };

  test('nothing special happens: it is on its period’s invoice', async () => {
    await read(270);
    await renew();
    expect(totals()).toEqual([5900, 5900 + 270 * 5]);
    const [line] = service.stripe.billsOf(life.customerId)[1]!.lines.data.filter(({ metadata }) => metadata.overage_item);
    expect(line).toMatchObject({ quantity: 270, amount: 1350, period: { start: startsAt.getTime() / 1000 } });
    await isRight();
  });

  test('two subscriptions last at once', async () => {
    const { prices } = service.stripe.world;
    const second = await life.again(lives.stripe, now, service.stripe.subscribeByHand(life.customerId, prices.all()).id);
    await hear(second.subscriptionId);
    await second.issueToken();
    await second.read(4000);
    await read(100);
    await second.read(60);
    lives.all.push(second);
    await renew();
    expect(overageOf().reduce((sum, records) => sum + records, 0)).toBe(160);
    await isRight();
  });

  test.each([true, false])(
    'a billing threshold is reached (cycle reset: %p), and the subscription then ends at once',
    async (doesResetCycle) => {
      await read(200);
      await later(dayMs);
      service.stripe.billAtThreshold(life.subscriptionId, doesResetCycle);
      await hear();
      await lives.work();
      await read(30);
      await later(hourMs);
      await lives.endAtOnce(life);
      await pass(4 * hourMs);
      await isRight();
    },
  );

  test('the subscription’s prices are replaced, and it ends with an invoice', async () => {
    await read(100);
    const { prices } = service.stripe.world;
    service.stripe.replacePrices(life.subscriptionId, prices.all());
    await hear();
    await read(40);
    await later(hourMs);
    service.stripe.changeQuantity(life.subscriptionId, 3);
    service.stripe.cancelNow(life.subscriptionId, true);
    await hear();
    await pass(4 * hourMs);
    expect(
      service.stripe
        .billsOf(life.customerId)
        .flatMap(({ lines }) => lines.data)
        .filter(({ metadata }) => metadata.overage_item),
    ).toMatchObject([{ quantity: 140 }]);
    await lives.leave();
    expect(await service.differences()).toEqual([]);
  });

  test('a running subscription gets a trial', async () => {
    await read(20);
    await later(10 * dayMs);
    const trialEnd = new Date(startsAt.getTime() + 45 * dayMs);
    service.stripe.setTrialEnd(life.subscriptionId, trialEnd);
    await hear();
    await at(new Date((await life.periodEnd(1)).getTime() + dayMs));
    await lives.work();
    await read(3);
    await at(trialEnd);
    await pass(3 * hourMs);
    // No draft comes with the end of the period that the trial has cut off.
    expect(totals()).toEqual([5900, 0, 20 * 5, 5900]);
    await isRight();
  });

  test('an invoice is finalized early in the dashboard', async () => {
    await read(20);
    await at(await life.periodEnd(1));
    expect(service.stripe.finalizeEarly(life.customerId)).toBe(true);
    await pass(3 * hourMs);
    expect(overageOf()).toEqual([0, 0]);
    await pass(3 * dayMs, 6 * hourMs);
    expect(overageOf()).toEqual([0, 0, 20]);
    await isRight();
  });

  test('a subscription’s end is not heard of, it reads on, and the next one is invoiced and never paid', async () => {
    await read(100);
    await later(hourMs);
    service.stripe.cancelNow(life.subscriptionId);
    const next = service.stripe.subscribeOnAccount(life.customerId, service.stripe.world.prices.all());
    await read(50);
    await later(hourMs);
    await hear(life.subscriptionId, next.id);
    await pass(3 * hourMs);
    expect(service.stripe.billsOf(life.customerId)).toHaveLength(2);
    await at(new Date(next.items.data[0]!.current_period_end * 1000));
    await pass(3 * hourMs);
    expect(service.stripe.billsOf(life.customerId).at(-1)).toMatchObject({ status: 'open', total: 5900 + 150 * 5 });
    await hear(next.id);
    await pass(60 * dayMs, dayMs);
    service.stripe.cancelNow(next.id);
    await hear(next.id);
    await isRight();
  });

  test.each([2, 50])('the billing cycle is moved, with %i reads before we hear of it', async (reads) => {
    await read(70);
    await later(5 * dayMs);
    service.stripe.moveBillingCycle(life.subscriptionId);
    await later(5 * minuteMs);
    for (let i = 0; i < reads; i++) await life.read(1);
    await later(5 * minuteMs);
    await hear();
    await lives.work();
    await life.read(10);
    await pass(4 * hourMs);
    expect(overageOf()).toEqual([0, 0]);
    await isRight();
  });

  describe('a read is reversed', () => {
    test('before its invoice, which then does not have it', async () => {
      await read(100, 170);
      await life.takeBack(0.9);
      await renew();
      expect(overageOf()).toEqual([0, 100]);
      await isRight();
    });

    test('after its invoice, so the next one is lower', async () => {
      await read(100);
      await renew();
      await life.takeBack(0.9);
      await life.read(4000);
      await life.read(30);
      await renew(2);
      expect(totals()).toEqual([5900, 5900 + 100 * 5, 5900 - 70 * 5]);
      await isRight();
    });

    test('after the subscription’s end, as a credit that lowers other payments', async () => {
      await read(70);
      await lives.endAtOnce(life);
      await pass(2 * hourMs);
      expect(overageOf()).toEqual([0, 70]);
      await later(46 * dayMs);
      await life.takeBack(0.9);
      await lives.work();
      expect(credits()).toEqual([-70 * 5]);
      await isRight();
    });

    test('for more than a whole invoice', async () => {
      await read(2000);
      await renew();
      await life.takeBack(0.9);
      await renew(2);
      expect(totals()).toEqual([5900, 5900 + 2000 * 5, 5900 - 2000 * 5]);
      await isRight();
    });
  });

  describe('Stripe', () => {
    test.each<[FaultKind]>([['failed'], ['error'], ['lost'], ['silent'], ['down'], ['busy'], ['locked'], ['late']])(
      'answers an item repeatedly by %s',
      async (kind) => {
        await read(70);
        await at(await life.periodEnd(1));
        service.stripe.faults.plan(kind, items, kind === 'silent' ? 1 : 3);
        await pass(3 * hourMs);
        expect(overageOf()).toEqual([0, 70]);
        await isRight();
      },
      60_000,
    );

    test('keeps the refusal of a lock under its key: another key is used at once', async () => {
      await read(70);
      await at(new Date((await life.periodEnd(1)).getTime() + 4 * minuteMs));
      service.stripe.faults.plan('locked', items);
      await lives.work();
      await later(minuteMs);
      await lives.work();
      expect(service.stripe.callsOf(items)).toBe(3);
      await pass(2 * hourMs);
      expect(overageOf()).toEqual([0, 70]);
      await isRight();
    });

    test.each([
      ['item', items],
      ['invoice', /POST .v1.invoices$/],
    ])('carries out late what it answered by 504: there is one %s', async (_, path) => {
      await read(70);
      await lives.endAtOnce(life);
      service.stripe.faults.plan('late', path);
      for (let minute = 0; minute < 30; minute++) {
        await later(minuteMs);
        await lives.work();
      }
      expect(totals()).toEqual([5900, 70 * 5]);
      await isRight();
    });

    test('refuses an item for good: the draft goes at its time, and the overage three days later', async () => {
      await read(70);
      for (let line = 0; line < 249; line++) service.stripe.billWithNext(life.subscriptionId, 1);
      await renew();
      expect(service.stripe.billsOf(life.customerId)[1]).toMatchObject({ status: 'paid', total: 5900 + 249 });
      expect(service.stripe.callsOf(items)).toBe(1);
      await pass(3 * dayMs, 6 * hourMs);
      expect(totals().slice(2)).toEqual([70 * 5]);
      await isRight();
    });

    test('accepts an item without answering, and is too busy for the retry', async () => {
      await read(70);
      await at(await life.periodEnd(1));
      service.stripe.faults.plan('lost', items);
      service.stripe.faults.plan('busy', items, 2);
      await pass(3 * hourMs);
      expect(overageOf()).toEqual([0, 70]);
      await isRight();
    });

    test.each([30 * minuteMs, 26 * hourMs, 40 * dayMs])(
      'accepts an item without answering, and is down for %i ms after that',
      async (awayMs) => {
        await read(70);
        await at(new Date((await life.periodEnd(1)).getTime() + 10 * minuteMs));
        service.stripe.faults.plan('lost', items);
        await lives.work();
        service.stripe.faults.scatter(['down'], 1, /invoice|subscriptions|customers/, 1);
        await pass(awayMs, Math.max(10 * minuteMs, awayMs / 20));
        service.stripe.faults.clear();
        await pass(2 * hourMs);
        expect(overageOf()).toEqual([0, 70, ...(awayMs > 30 * dayMs ? [0] : [])]);
        await isRight();
      },
    );

    test('goes down for hours: the draft goes at its time, and the overage three days later', async () => {
      await read(70);
      await at(await life.periodEnd(1));
      service.stripe.faults.plan('failed', items, 1000);
      await pass(5 * hourMs, 20 * minuteMs);
      service.stripe.faults.clear();
      expect(totals()).toEqual([5900, 5900]);
      await pass(3 * dayMs, 6 * hourMs);
      expect(totals()).toEqual([5900, 5900, 70 * 5]);
      await isRight();
    });

    test('loses the answer that created an overage invoice: there is one', async () => {
      await read(70);
      await lives.endAtOnce(life);
      service.stripe.faults.plan('lost', /POST \/v1\/invoices$/, 2);
      service.stripe.faults.plan('lost', /finalize/, 1);
      await pass(2 * hourMs);
      expect(totals()).toEqual([5900, 70 * 5]);
      await isRight();
    });

    test('loses the answer that gave a credit: there is one', async () => {
      await read(70);
      await lives.endAtOnce(life);
      await pass(hourMs);
      await life.takeBack(0.9);
      service.stripe.faults.plan('lost', /balance_transactions/);
      await pass(30 * hourMs, hourMs);
      expect(credits()).toEqual([-70 * 5]);
      await isRight();
    });

    test.each([true, false])(
      'stops the draft of a subscription that ends within its hour (%p): the overage is billed anyway',
      async (isStopped) => {
        service.stripe.world.endingStopsDrafts = isStopped;
        await read(70);
        await at(new Date((await life.periodEnd(1)).getTime() + 10 * minuteMs));
        await lives.work();
        await lives.endAtOnce(life);
        await pass(2 * dayMs, hourMs);
        expect(
          service.stripe
            .billsOf(life.customerId)
            .filter(({ status }) => status !== 'draft')
            .at(-1),
        ).toMatchObject({
          status: 'paid',
          total: isStopped ? 70 * 5 : 5900 + 70 * 5,
        });
        await isRight();
      },
    );
  });

  describe('no draft comes: three days later it is on a bill of our own, after', () => {
    const waits = async (days = 5) => {
      await pass(days * dayMs, 6 * hourMs);
      return service.stripe.billsOf(life.customerId).filter(({ metadata }) => metadata?.overage_bill);
    };

    test('the subscription is paused', async () => {
      await read(70);
      await later(dayMs);
      service.stripe.setPaused(life.subscriptionId, true);
      await at(await life.periodEnd(1));
      expect(await waits()).toMatchObject([{ status: 'paid', total: 70 * 5 }]);
    });

    test('it is moved to a yearly price', async () => {
      await read(70);
      await later(dayMs);
      const yearly = await lives.stripe.prices.create({
        currency: 'usd',
        unit_amount: 59_000,
        product: planProductId,
        recurring: { interval: 'year' },
      });
      service.stripe.replacePrices(life.subscriptionId, [yearly]);
      service.stripe.moveBillingCycle(life.subscriptionId);
      await hear();
      expect(await waits(40)).toMatchObject([{ status: 'paid', total: 70 * 5 }]);
    });

    test('it is unpaid', async () => {
      service.stripe.setCard(life.subscriptionId, false);
      await renew();
      await hear();
      await read(4000, 70);
      await pass(20 * dayMs, dayMs);
      await hear();
      expect(service.stripe.world.subscriptions.get(life.subscriptionId).status).toBe('unpaid');
      await at(await life.periodEnd(2));
      expect(await waits()).toMatchObject([{ status: 'open', total: 70 * 5 }]);
    });

    test('it ends, and the next one is in euros', async () => {
      await read(70);
      await later(dayMs);
      service.stripe.cancelNow(life.subscriptionId);
      const [plan] = service.stripe.world.prices.all();
      plan!.currency_options = { eur: { unit_amount: 5500 } as Stripe.Price.CurrencyOptions };
      service.stripe.subscribeByHand(life.customerId, [plan!], 'eur');
      await hear();
      expect(await waits()).toMatchObject([{ status: 'paid', currency: 'usd', total: 70 * 5 }]);
    });

    test.each(['void', 'mark_uncollectible', 'keep_as_draft'] as const)(
      'collection is paused, and drafts are left: %s',
      async (behavior) => {
        await read(70);
        await later(dayMs);
        service.stripe.pauseCollection(life.subscriptionId, behavior);
        await hear();
        await renew();
        expect(await waits()).toMatchObject([{ status: 'paid', total: 70 * 5 }]);
      },
    );
  });

  describe('it costs the same on a draft and on a bill of our own, with', () => {
    const bothWays = async () => {
      await read(100);
      await renew();
      await read(4000, 100);
      await lives.endAtOnce(life);
      await pass(2 * hourMs);
      return service.stripe
        .billsOf(life.customerId)
        .slice(1)
        .map(({ total }) => total);
    };

    test('a coupon for everything that the subscription or its customer has', async () => {
      service.stripe.giveCoupon(life.subscriptionId, 100);
      service.stripe.giveCoupon(life.customerId, 50);
      expect(await bothWays()).toEqual([100 * 5, 100 * 5]);
      await isRight();
    });

    test('a manual tax rate', async () => {
      service.stripe.addTaxRate(life.subscriptionId, 10);
      expect(await bothWays()).toEqual([7040, 550]);
      await isRight();
    });

    test('a reversal after a coupon', async () => {
      service.stripe.giveCoupon(life.subscriptionId, 50);
      await read(100);
      await renew();
      await lives.endAtOnce(life);
      await pass(4 * dayMs, dayMs);
      await life.takeBack(0.9);
      await lives.work();
      expect(totals().slice(1)).toEqual([5900 / 2 + 100 * 5]);
      expect(credits()).toEqual([-100 * 5]);
      await isRight();
    });
  });

  test.each<[string, (bill: Stripe.Invoice) => unknown]>([
    ['void', () => service.stripe.forgiveOpenBill(life.customerId, true)],
    ['written off', () => service.stripe.forgiveOpenBill(life.customerId, false)],
    ['credited', (bill) => service.stripe.creditLine(bill, bill.lines.data.find(({ metadata }) => metadata.overage_item)!)],
  ])('a read is reversed after its bill was %s: nothing is given back', async (how, forgive) => {
    service.stripe.setCard(life.subscriptionId, how === 'credited');
    await read(100, 70);
    await renew();
    forgive(service.stripe.billsOf(life.customerId)[1]!);
    await life.takeBack(0.9);
    await pass(5 * dayMs, dayMs);
    expect(credits()).toEqual([]);
    expect(totals()).toEqual([5900, 5900 + 170 * 5]);
    expect(await service.db.query(`select records from overage_item where state = 'void'`)).toEqual([{ records: -70 }]);
    expect(await service.differences()).toEqual([]);
  });

  test('an invoice is void or written off: its overage is forgiven', async () => {
    for (const [month, isVoid] of [
      [1, true],
      [2, false],
    ] as const) {
      service.stripe.setCard(life.subscriptionId, false);
      if (month > 1) await life.read(4000);
      await read(70);
      await renew(month);
      expect(service.stripe.forgiveOpenBill(life.customerId, isVoid)).toBe(true);
      service.stripe.setCard(life.subscriptionId, true);
      await hear();
      service.stripe.world.collections.get(life.subscriptionId)!.retriesLeft = 3;
    }
    await isRight();
    expect(overageOf().reduce((sum, records) => sum + records, 0)).toBe(140);
  });

  test('our draft is deleted in the dashboard: it is created again', async () => {
    await read(70);
    await lives.endAtOnce(life);
    service.stripe.faults.plan('failed', items, 1);
    await pass(5 * minuteMs);
    const [, draft] = service.stripe.billsOf(life.customerId);
    await lives.stripe.invoices.del(draft!.id);
    await pass(2 * hourMs);
    expect(overageOf()).toEqual([0, 70]);
    await isRight();
  });

  test('invoices are sent, not collected: ours too', async () => {
    Object.assign(service.stripe.world.subscriptions.get(life.subscriptionId), { collection_method: 'send_invoice', days_until_due: 14 });
    await read(70);
    await lives.endAtOnce(life);
    await pass(2 * hourMs);
    expect(service.stripe.billsOf(life.customerId).at(-1)).toMatchObject({
      status: 'open',
      collection_method: 'send_invoice',
      due_date: expect.any(Number),
    });
  });

  test('the card fails until Stripe gives up and ends the subscription', async () => {
    service.stripe.world.dunningEnds = 'canceled';
    await read(70);
    service.stripe.setCard(life.subscriptionId, false);
    await renew();
    await hear();
    await life.read(4000);
    await life.read(30);
    await pass(20 * dayMs, 6 * hourMs);
    expect(service.stripe.world.subscriptions.get(life.subscriptionId).status).toBe('canceled');
    expect(overageOf()).toEqual([0, 70, 30]);
    // Whichever bill is open is paid before anything else is sold.
    const checkout = await service.openCheckout();
    const start = () => checkout.start({ id: life.accountId, email: 'one@example.com' });
    for (const owed of ['1.50', '62.50']) {
      await expect(start()).rejects.toThrow(`${owed} is open`);
      payInvoice(service.stripe.world, service.stripe.billsOf(life.customerId).findLast(({ status }) => status === 'open')!);
    }
    expect(await start()).toContain('/pay/');
    await isRight();
  });
});
