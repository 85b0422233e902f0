import type Stripe from 'stripe';
import { differences } from '../harness/differences.js';
import { openFairLife, openFairLives } from '../harness/fair-lives.js';
import type { Life } from '../harness/life.js';
import type { Lives } from '../harness/lives.js';
import type { PaidService } from '../harness/paid-service.js';

const minuteMs = 60_000;
// A failed report is tried again within five minutes.
const stepMinutes = 6;

/** What somebody does, in minutes after the end of the first subscription. */
interface Plan {
  begunAgain: number;
  takenBack: number | null;
}

/** Before Stripe's bill would be closed, before ours is made, and after that. */
const plans: Plan[] = [12, 132].flatMap((begunAgain) => [null, 6, 66, 138].map((takenBack) => ({ begunAgain, takenBack })));

// A subscription ends while Stripe's meter is away, and the same customer, counted by the same meter, subscribes again: all that was read is
// paid once, and what is taken back is given back once.
describe('the last bill of somebody who subscribes again', () => {
  const startsAt = new Date('2027-01-31T10:00:00Z');
  let service: PaidService;
  let lives: Lives;
  let subscribers: (Plan & { first: Life; second?: Life })[];

  beforeEach(async () => {
    ({ service, lives } = await openFairLives(startsAt));
    subscribers = [];
    for (const plan of plans) {
      const first = await lives.begin(`again ${plan.begunAgain}, back ${plan.takenBack}`);
      await first.read(4000);
      subscribers.push({ ...plan, first });
    }
  });

  const setMeter = (isThere: boolean) => {
    service.stripe.faults.clear();
    if (!isThere) service.stripe.faults.scatter(['failed'], 1, /POST .*meter_events/, 1);
  };

  /** Reads with the meter away, then lives from the end on as planned, until the bills of the next subscriptions are final. */
  const live = async (endsAt: Date, meterIsBack: number, closesAfter: number) => {
    const minutesLater = (minutes: number) => new Date(endsAt.getTime() + minutes * minuteMs);
    await lives.passTimeUntil(minutesLater(-stepMinutes));
    setMeter(false);
    for (const { first } of subscribers) for (const records of [200, 70]) await first.read(records);
    // Then what is taken back is a credit, too, though the bill is not made yet.
    for (const { first } of subscribers) first.hadOutage = meterIsBack > closesAfter;
    await lives.work();
    await lives.passTimeUntil(endsAt);
    const end = await subscribers[0]!.first.periodEnd(1);
    for (const { first } of subscribers) if (endsAt < end) await lives.endAtOnce(first, end);
    for (let minutes = stepMinutes; minutes <= 180; minutes += stepMinutes) {
      await lives.passTimeUntil(minutesLater(minutes));
      if (minutes === meterIsBack) setMeter(true);
      for (const one of subscribers) {
        if (one.begunAgain === minutes) one.second = await lives.beginAgain(one.first);
        if (one.takenBack === minutes) await one.first.takeBack(0.9, minutesLater(minutes));
      }
      await lives.work();
    }
    for (const hours of [2, 24]) {
      await lives.passTimeUntil(new Date((await subscribers.at(-1)!.second!.periodEnd(1)).getTime() + hours * 60 * minuteMs));
      await lives.work();
    }
  };

  const findings = () =>
    differences(
      subscribers.flatMap(({ first, second }) => [first, second!]),
      lives.stripe,
      service.config,
    );

  test.each([30, 72, 150])('is right where it was ended at once, and the meter comes back after %i minutes', async (meterIsBack) => {
    await live(new Date(startsAt.getTime() + 60 * minuteMs), meterIsBack, 120);
    expect(await findings()).toEqual([]);
  });

  test.each([30, 72, 150])('is right where it ended with its period, and the meter comes back after %i minutes', async (meterIsBack) => {
    for (const { first } of subscribers) await lives.cancel(first);
    await live(await subscribers[0]!.first.periodEnd(1), meterIsBack, 50);
    expect(await findings()).toEqual([]);
  });

  test('and a record on a bill that nobody has read shows in the audit', async () => {
    const { first } = subscribers[0]!;
    const { usage, meters, clock } = service.stripe.world;
    const timestamp = startsAt.getTime() / 1000 + 10 * 24 * 3600;
    const event: Stripe.Billing.MeterEvent = {
      object: 'billing.meter_event',
      created: clock.now(),
      event_name: meters.all()[0]!.event_name,
      identifier: 'another',
      livemode: false,
      payload: {},
      timestamp,
    };
    usage.set('another', { event, customer: first.customerId, value: 5, receivedAt: timestamp, isCancelled: false });
    await live(new Date(startsAt.getTime() + 60 * minuteMs), 30, 120);
    expect(await findings()).toContain(
      `subscription ${subscribers[0]!.second!.subscriptionId}, period until 2027-02-28: 0 records reported, 5 billed`,
    );
  });
});

// The meter fails until the period's bill is as good as closed, and the first answer after that is lost.
describe('an event that Stripe has with another time than it was first told', () => {
  const startsAt = new Date('2027-01-31T10:00:00Z');

  test.each([
    ['of a subscription that ended with its period is billed once', { isCancelled: true, isTakenBack: false }],
    ['of one that goes on is on the bill that has it', { isCancelled: false, isTakenBack: false }],
    ['and is taken back is on no bill, and no credit is given for it', { isCancelled: false, isTakenBack: true }],
  ])('%s', async (_, { isCancelled, isTakenBack }) => {
    const { service, lives, life } = await openFairLife(startsAt);
    life.hadOutage = true;
    if (isCancelled) await lives.cancel(life);
    const end = await life.periodEnd(1);
    const minutesAfter = (minutes: number) => new Date(end.getTime() + minutes * minuteMs);
    await lives.passTimeUntil(minutesAfter(-stepMinutes));
    const { faults } = service.stripe;
    faults.scatter(['failed'], 1, /POST .*meter_events/, 1);
    await life.read(270);
    await lives.work();
    for (let minutes = 0; minutes <= 240; minutes += stepMinutes) {
      await lives.passTimeUntil(minutesAfter(minutes));
      faults.clear();
      if (minutes <= 48) faults.scatter(['failed'], 1, /POST .*meter_events/, 1);
      else if (minutes === 54) faults.scatter(['lost'], 1, /POST .*meter_events/, 1);
      if (minutes === 198 && isTakenBack) await life.takeBack(0.9, minutesAfter(minutes));
      await lives.work();
    }
    for (const hours of [2, 24]) {
      await lives.passTimeUntil(new Date((await life.periodEnd(2)).getTime() + hours * 60 * minuteMs));
      await lives.work();
    }
    expect(await differences([life], lives.stripe, service.config)).toEqual([]);
  });
});

// Then the moment in which late reports count is on a bill of the next one, until that is closed.
describe('a subscription that ended with its period, when the next one began', () => {
  test.each([
    ['in time for that bill', 10, { last: 0, next: 70 }],
    ['too late for any', 45, { last: 70, next: 0 }],
  ])('is billed once what an operator finds %s not to have reached Stripe', async (_, days, is) => {
    const startsAt = new Date('2027-01-31T10:00:00Z');
    const { service, lives, life } = await openFairLife(startsAt);
    await lives.cancel(life);
    const end = await life.periodEnd(1);
    await lives.passTimeUntil(new Date(end.getTime() - stepMinutes * minuteMs));
    await life.read(70);
    service.stripe.faults.plan('failed', /POST .*meter_events/);
    await service.reportDue();
    const [failed] = await service.db.query<{ id: string }>(`update meter_event set state = 'failed' returning identifier as id`);
    await lives.passTimeUntil(end);
    await lives.follow(life);
    const next = await lives.beginAgain(life);
    for (const day of [1, 10, 29, 32, 45, 46]) {
      await lives.passTimeUntil(new Date(end.getTime() + day * 24 * 60 * minuteMs));
      await lives.follow(next);
      if (day === days) await service.resolveMeterEvent(failed!.id, false);
      await lives.work();
    }
    const { invoices } = service.stripe.world;
    const totals = invoices.all().map(({ total }) => total);
    expect(totals).toEqual([5900, 0, 5900, 5900 + is.next * 5, ...(is.last > 0 ? [is.last * 5] : [])]);
    expect(await service.differences()).toEqual([]);
  });
});

describe('the last bill of one that was ended at once', () => {
  const startsAt = new Date('2027-01-31T10:00:00Z');
  const endsAt = new Date(startsAt.getTime() + 60 * minuteMs);
  let service: PaidService;
  let lives: Lives;
  let life: Life;

  beforeEach(async () => {
    ({ service, lives, life } = await openFairLife(startsAt));
  });

  const passUntil = async (from: Date, minutes: number, atMinute: (minute: number) => Promise<unknown> = async () => {}) => {
    for (let minute = 0; minute <= minutes; minute += stepMinutes) {
      await lives.passTimeUntil(new Date(from.getTime() + minute * minuteMs));
      await atMinute(minute);
      await lives.work();
    }
  };

  /** Ends it after an hour, and makes another one in its place. */
  const replaceInDashboard = async () => {
    await lives.passTimeUntil(endsAt);
    await lives.stripe.subscriptions.cancel(life.subscriptionId);
    return life.again(lives.stripe, endsAt);
  };

  const setMeter = (isThere: boolean) => {
    service.stripe.faults.clear();
    if (!isThere) service.stripe.faults.scatter(['failed'], 1, /POST .*meter_events/, 1);
  };

  test('has what was read at the price of then, though the subscription has none any more', async () => {
    const end = await life.periodEnd(1);
    await lives.passTimeUntil(new Date(end.getTime() - stepMinutes * minuteMs));
    setMeter(false);
    await life.read(70);
    life.hadOutage = true;
    const subscription = service.stripe.world.subscriptions.get(life.subscriptionId);
    await passUntil(end, 360, async (minute) => {
      if (minute === 60) subscription.items.data = subscription.items.data.filter(({ price }) => !price.recurring?.meter);
      if (minute === 66) await lives.follow(life);
      if (minute === 72) setMeter(true);
      if (minute !== 96) return;
      await lives.stripe.subscriptions.cancel(life.subscriptionId);
      await lives.follow(life);
    });
    const lastBills = service.stripe.world.invoices.all().filter(({ metadata }) => metadata?.last_usage_of === life.subscriptionId);
    expect(lastBills).toMatchObject([{ status: 'paid', total: 70 * 5 }]);
    expect(await life.differenceOf(lives.stripe)).toBeNull();
  });

  test('is sent to somebody whose bills are sent, and collected from nobody’s card', async () => {
    await life.read(70);
    await lives.work();
    const subscription = service.stripe.world.subscriptions.get(life.subscriptionId);
    Object.assign(subscription, { collection_method: 'send_invoice', days_until_due: 14 });
    await lives.passTimeUntil(endsAt);
    await lives.endAtOnce(life, await life.periodEnd(1));
    await passUntil(endsAt, 150);
    const lastBills = service.stripe.world.invoices.all().filter(({ metadata }) => metadata?.last_usage_of === life.subscriptionId);
    const due = expect.any(Number);
    expect(lastBills).toMatchObject([
      { status: 'open', collection_method: 'send_invoice', due_date: due, total: 70 * 5, attempted: false },
    ]);
    expect(await service.differences()).toEqual([]);
  });

  test.each([null, 102])('has what Stripe was told too late to bill it when it was asked to (taken back: %p)', async (takenBack) => {
    const end = await life.periodEnd(1);
    await life.read(30);
    await lives.work();
    setMeter(false);
    for (const records of [200, 70]) await life.read(records);
    life.hadOutage = true;
    await passUntil(endsAt, 240, async (minute) => {
      if (minute === 0) {
        life.end(endsAt, end);
        await lives.stripe.subscriptions.cancel(life.subscriptionId, { invoice_now: true });
        await lives.follow(life);
      }
      if (minute === 72) setMeter(true);
      if (minute === takenBack) await life.takeBack(0.9, new Date(endsAt.getTime() + minute * minuteMs));
    });
    expect(service.stripe.invoicesOf(life.subscriptionId).map(({ total }) => total)).toEqual([5900, 30 * 5]);
    expect(await differences([life], lives.stripe, service.config)).toEqual([]);
  });

  // Stripe's bill is final after an hour, and ours would be made an hour later.
  test.each([
    [30, { billed: 30, given: 0 }],
    [90, { billed: 100, given: 70 }],
    [150, { billed: 100, given: 70 }],
  ])('is Stripe’s where it was asked for one, and what is taken back %i minutes later is given back once', async (takenBack, is) => {
    for (const records of [30, 70]) await life.read(records);
    await lives.work();
    await lives.passTimeUntil(endsAt);
    await lives.stripe.subscriptions.cancel(life.subscriptionId, { invoice_now: true });
    await lives.follow(life);
    await passUntil(endsAt, 360, async (minute) => {
      if (minute === takenBack) await life.takeBack(0.9, endsAt);
    });
    const { balanceTransactions } = service.stripe.world;
    expect(service.stripe.invoicesOf(life.subscriptionId).map(({ total }) => total)).toEqual([5900, is.billed * 5]);
    expect(balanceTransactions.all().reduce((sum, { amount }) => sum - amount, 0)).toBe(is.given * 5);
    expect(await service.differences()).toEqual([]);
  });

  test('has nothing that is on the bill which Stripe was asked for, though the plan for the rest of the period is on that, too', async () => {
    await life.read(70);
    await lives.work();
    await lives.passTimeUntil(endsAt);
    service.stripe.changeQuantity(life.subscriptionId, 3);
    await lives.stripe.subscriptions.cancel(life.subscriptionId, { invoice_now: true });
    await lives.follow(life);
    await passUntil(endsAt, 180);
    expect(service.stripe.world.invoices.all().filter(({ parent }) => parent === null)).toEqual([]);
    expect(await service.differences()).toEqual([]);
  });

  test('has what was read beside what was taken back, and no credit is given for that while reads still wait for the meter', async () => {
    await life.read(70);
    await lives.work();
    const inSecondPeriod = new Date((await life.periodEnd(1)).getTime() + 24 * 60 * minuteMs);
    await lives.passTimeUntil(inSecondPeriod);
    await lives.follow(life);
    await life.read(4000);
    setMeter(false);
    life.hadOutage = true;
    await life.takeBack(0.5, inSecondPeriod);
    await life.read(100);
    await lives.endAtOnce(life, await life.periodEnd(2));
    await passUntil(inSecondPeriod, 240, async (minute) => {
      if (minute !== 180) return;
      setMeter(true);
      await service.reportDue();
      await lives.giveCredits();
    });
    expect(service.stripe.world.balanceTransactions.all()).toEqual([]);
    expect(await differences([life], lives.stripe, service.config)).toEqual([]);
  });

  test.each([
    [null, { lastBill: 100, credited: 0 }],
    [30, { lastBill: 100 - 70, credited: 0 }],
    [138, { lastBill: 100, credited: 70 }],
  ])('has nothing that is on a bill of the next subscription, begun before we knew of the end (taken back: %p)', async (takenBack, is) => {
    await life.read(100);
    await lives.work();
    const next = await replaceInDashboard();
    await passUntil(endsAt, 180, async (minute) => {
      if (minute === 6) await life.read(70);
      if (minute === 12) for (const one of [life, next]) await lives.follow(one);
      if (minute === takenBack) await life.takeBack(0.9, new Date(endsAt.getTime() + minute * minuteMs));
    });
    await passUntil(await next.periodEnd(1), 300);
    const { invoices, balanceTransactions } = service.stripe.world;
    expect(invoices.all().map(({ total }) => total)).toEqual([5900, 5900, is.lastBill * 5, 5900 + 70 * 5]);
    expect(balanceTransactions.all().reduce((sum, { amount }) => sum - amount, 0)).toBe(is.credited * 5);
    expect(await service.differences()).toEqual([]);
  });

  test('has nothing that is on a bill of the next subscription, of which no event has told us', async () => {
    const next = await replaceInDashboard();
    await passUntil(endsAt, 300, async (minute) => {
      if (minute === 6) await life.read(70);
    });
    await passUntil(await next.periodEnd(1), 300);
    expect(service.stripe.world.invoices.all().map(({ total }) => total)).toEqual([5900, 5900, 5900 + 70 * 5]);
    expect(await service.differences()).toEqual([]);
  });

  // Stripe bills no further record on such a one.
  test.each([
    ['read', 70],
    ['taken back', -30],
  ])('has what was %s until we knew of the end, though one without the price of further records took its place', async (_, records) => {
    for (const overage of [100, 30]) await life.read(overage);
    await lives.work();
    await lives.passTimeUntil(endsAt);
    await lives.stripe.subscriptions.cancel(life.subscriptionId);
    const { prices } = service.stripe.world;
    const next = service.stripe.subscribeByHand(
      life.customerId,
      prices.all().filter(({ recurring }) => !recurring?.meter),
    );
    await passUntil(endsAt, 240, async (minute) => {
      if (minute === 6) await (records > 0 ? life.read(records) : life.takeBack(0.9, endsAt));
      if (minute === 12) for (const subscriptionId of [life.subscriptionId, next.id]) await lives.follow({ subscriptionId });
    });
    const { invoices, balanceTransactions } = service.stripe.world;
    expect(invoices.all().map(({ total }) => total)).toEqual([5900, 5900, (100 + 30 + records) * 5]);
    expect(balanceTransactions.all()).toEqual([]);
    expect(await service.differences()).toEqual([]);
  });

  test.each([
    ['paid', [5900, 5900, 5900 + 70 * 5]],
    ['ended without that', [5900, 5900, 70 * 5]],
  ])('waits while what took its place is unpaid, and has what was read meanwhile unless that one is %s', async (what, bills) => {
    await lives.passTimeUntil(endsAt);
    await lives.stripe.subscriptions.cancel(life.subscriptionId);
    const { invoices, prices, subscriptions } = service.stripe.world;
    const next = service.stripe.subscribeOnAccount(life.customerId, prices.all());
    await passUntil(endsAt, 420, async (minute) => {
      if (minute === 6) await life.read(70);
      if (minute === 12) for (const subscriptionId of [life.subscriptionId, next.id]) await lives.follow({ subscriptionId });
      if (minute !== 240) return;
      expect(await service.differences()).toEqual([]);
      if (what === 'paid') service.stripe.payOldestInvoice(next.id);
      else service.stripe.cancelNow(next.id);
      await lives.follow({ subscriptionId: next.id });
    });
    await passUntil(new Date(subscriptions.get(next.id).items.data[0]!.current_period_end * 1000), 300);
    expect(invoices.all().map(({ total }) => total)).toEqual(bills);
    expect(await service.differences()).toEqual([]);
  });

  test('has what was taken back on a bill of the one that took its place, and that is given back if nobody ever pays for that one', async () => {
    for (const records of [100, 30]) await life.read(records);
    await lives.work();
    await lives.passTimeUntil(endsAt);
    await lives.stripe.subscriptions.cancel(life.subscriptionId);
    const { balanceTransactions, invoices, prices, subscriptions } = service.stripe.world;
    const next = service.stripe.subscribeOnAccount(life.customerId, prices.all());
    await passUntil(endsAt, 180, async (minute) => {
      if (minute === 6) await life.takeBack(0.9, endsAt);
      if (minute === 12) for (const subscriptionId of [life.subscriptionId, next.id]) await lives.follow({ subscriptionId });
    });
    await passUntil(new Date(subscriptions.get(next.id).items.data[0]!.current_period_end * 1000), 420, async (minute) => {
      if (minute !== 240) return;
      expect(balanceTransactions.all()).toEqual([]);
      service.stripe.cancelNow(next.id);
      await lives.follow({ subscriptionId: next.id });
    });
    expect(invoices.all().map(({ total }) => total)).toEqual([5900, 5900, 5900, (100 + 30) * 5]);
    expect(balanceTransactions.all().map(({ amount }) => amount)).toEqual([-30 * 5]);
    expect(await service.differences()).toEqual([]);
  });

  // Longer ago than Stripe takes a count of.
  test('is given back in full where it is taken back a month and a half later, and no bill of the next subscription has a part in it', async () => {
    await life.read(70);
    await lives.work();
    await lives.endAtOnce(life, await life.periodEnd(1));
    await passUntil(startsAt, 180);
    const next = await lives.beginAgain(life);
    await next.read(4000);
    await next.read(30);
    for (const days of [20, 46]) {
      const at = new Date(startsAt.getTime() + days * 24 * 60 * minuteMs);
      await passUntil(at, 0);
      if (days === 46) await life.takeBack(0.9, at);
      await passUntil(at, 60);
    }
    expect(service.stripe.world.balanceTransactions.all().map(({ amount }) => amount)).toEqual([-70 * 5]);
    expect(await differences([life, next], lives.stripe, service.config)).toEqual([]);
  });

  test('waits until it is decided whether Stripe has what was read on the one before, and then bills it once', async () => {
    const next = await replaceInDashboard();
    const { invoices } = service.stripe.world;
    let event: string;
    await passUntil(endsAt, 180, async (minute) => {
      if (minute === 6) {
        await life.read(70);
        service.stripe.faults.plan('lost', /meter_events/);
        await service.reportDue();
        const [failed] = await service.db.query<{ id: string }>(`update meter_event set state = 'failed' returning identifier as id`);
        event = failed!.id;
      }
      if (minute === 12) for (const one of [life, next]) await lives.follow(one);
      if (minute !== 18) return;
      await next.issueToken();
      await next.read(4000);
      await next.read(30);
      await lives.stripe.subscriptions.cancel(next.subscriptionId);
      await lives.follow(next);
    });
    expect(invoices.all().map(({ total }) => total)).toEqual([5900, 5900]);
    await service.resolveMeterEvent(event!, true);
    await passUntil(new Date(endsAt.getTime() + 180 * minuteMs), 120);
    expect(invoices.all().map(({ total }) => total)).toEqual([5900, 5900, (70 + 30) * 5]);
    expect(await service.differences()).toEqual([]);
  });
});
