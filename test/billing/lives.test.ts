import { differences } from '../harness/differences.js';
import { openFairLives } from '../harness/fair-lives.js';
import { Lives, readAtOnce, type Weather } from '../harness/lives.js';
import { PaidService } from '../harness/paid-service.js';
import { publishRecords } from '../harness/records.js';
import { type FaultKind, randomFrom } from '../stripe/faults.js';

const seed = Number(process.env.LIVES_SEED ?? 20_270_131);
const count = Number(process.env.LIVES ?? 9);
const months = Number(process.env.LIVES_MONTHS ?? 3);
const testKey = process.env.STRIPE_TEST_KEY;

// Subscribers who read, and whose reads are taken back, at random, while Stripe fails at any call and servers die. In the end each bill
// is what was counted by hand for its period, to the cent. `npm run lives` takes 500 of them.
describe('random lives of subscribers', () => {
  const startsAt = new Date('2027-01-31T10:00:00Z');

  test(`${count} against the stand-in, whose calls fail`, async () => {
    const service = await PaidService.open();
    await publishRecords(service.db, '25017', readAtOnce);
    const faults = (weather: Weather) => {
      const kinds: FaultKind[] = ['lost', 'error', 'failed', 'down', 'busy'];
      const reports = /POST .*meter_events/;
      const calls = /POST .*(meter_events|balance_transactions)|GET .*(event_summaries|meters|subscriptions)/;
      service.stripe.faults.scatter(kinds, weather === 'rough' ? 0.25 : 1, weather === 'away' ? reports : calls, seed);
    };
    const lives = await Lives.open({ db: service.db, config: service.config, random: randomFrom(seed), setWeather: faults }, startsAt);
    await lives.live(count, months, startsAt);
    service.stripe.faults.clear();
    expect(await differences(lives.all, lives.stripe, service.config)).toEqual([]);
  }, 3_600_000);

  test('what is taken back after its bill is final lowers the next bill, and what does not fit is a credit on the one after', async () => {
    const service = await PaidService.open();
    await publishRecords(service.db, '25017', 4100);
    const setWeather = () => {};
    const lives = await Lives.open({ db: service.db, config: service.config, random: randomFrom(seed), setWeather }, startsAt);
    const life = await lives.begin('one');
    const endPeriod = async (month: number) => {
      await lives.drain();
      await lives.passTimeUntil(new Date((await life.periodEnd(month)).getTime() + 2 * 3600_000));
      await lives.follow(life);
    };
    await life.read(4100);
    await endPeriod(1);
    await life.takeBack(0, new Date((await life.periodEnd(1)).getTime() + 2 * 3600_000));
    await life.read(4030);
    await endPeriod(2);
    await endPeriod(3);
    const bills = service.stripe.invoicesOf(life.subscriptionId);
    expect(bills.map(({ total, amount_paid }) => [total, amount_paid])).toEqual([
      [5900, 5900],
      [5900 + 100 * 5, 5900 + 100 * 5],
      [5900, 5900],
      [5900, 5900 - (100 - 30) * 5],
    ]);
    expect(await differences(lives.all, lives.stripe, service.config)).toEqual([]);
  });

  test.each([
    ['counted', 0],
    ['missing', -270 * 5],
  ])('what is taken back of a report that an operator finds %s is given back if it was paid for', async (decision, creditCents) => {
    const { service, lives } = await openFairLives(startsAt);
    const life = await lives.begin('one');
    const hoursAfterPeriod = async (month: number, hours: number) => {
      await lives.passTimeUntil(new Date((await life.periodEnd(month)).getTime() + hours * 3600_000));
      await lives.follow(life);
      await lives.work();
    };
    await life.read(4000);
    await life.read(270);
    if (decision === 'missing') service.stripe.faults.plan('failed', /meter_events/);
    await lives.work();
    const [event] = await service.db.query<{ id: string }>(`update meter_event set state = 'failed' returning identifier as id`);
    await life.takeBack(0.9, startsAt);
    await lives.work();
    await hoursAfterPeriod(1, 2);
    expect(service.stripe.world.balanceTransactions.all()).toEqual([]);
    await service.resolveMeterEvent(event!.id, decision === 'counted');
    life.hadOutage = true;
    for (const hours of [3, 4]) await hoursAfterPeriod(1, hours);
    await hoursAfterPeriod(2, 2);
    expect(service.stripe.world.balanceTransactions.all().reduce((sum, { amount }) => sum + amount, 0)).toBe(creditCents);
    expect(await differences([life], lives.stripe, service.config)).toEqual([]);
  });

  (testKey ? test : test.skip)(
    `three against Stripe's test mode${testKey ? '' : ': not tried, since STRIPE_TEST_KEY is not set'}`,
    async () => {
      const service = await PaidService.open({ STRIPE_SECRET_KEY: testKey!, STRIPE_API_URL: '' });
      await publishRecords(service.db, '25017', readAtOnce);
      // A clock of Stripe's test mode begins near now, and holds three customers.
      const now = new Date(Math.floor(Date.now() / 1000) * 1000);
      const lives = await Lives.open({ db: service.db, config: service.config, random: randomFrom(seed), setWeather: () => {} }, now);
      await lives.live(3, 2, now);
      expect(await differences(lives.all, lives.stripe, service.config)).toEqual([]);
    },
    3_600_000,
  );
});
