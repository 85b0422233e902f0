import { Lives, readAtOnce, type Weather } from '../harness/lives.js';
import { PaidService } from '../harness/paid-service.js';
import { publishRecords } from '../harness/records.js';
import { type FaultKind, randomFrom } from '../stripe/faults.js';

const seed = Number(process.env.LIVES_SEED ?? 20_270_131);
const count = Number(process.env.LIVES ?? 9);
const months = Number(process.env.LIVES_MONTHS ?? 3);
const testKey = process.env.STRIPE_TEST_KEY;

// Subscribers read, and reads are reversed, at random, while Stripe fails at any call and servers die. In the end billed overage less
// credits is what the ledger has, to the cent. `npm run lives` simulates 500.
describe('random lives of subscribers', () => {
  const startsAt = new Date('2027-01-31T10:00:00Z');

  test(`${count} against the stand-in, whose calls fail`, async () => {
    const service = await PaidService.open();
    await publishRecords(service.db, '25017', readAtOnce);
    const faults = (weather: Weather) => {
      const kinds: FaultKind[] = ['lost', 'error', 'failed', 'down', 'busy', 'locked', 'late'];
      const items = /POST .*invoiceitems/;
      const calls = /POST .*(balance_transactions|invoices|invoiceitems|finalize)|GET .*(invoices|subscriptions)/;
      service.stripe.faults.clear();
      if (weather === 'clear') return;
      service.stripe.faults.scatter(kinds, weather === 'rough' ? 0.25 : 1, weather === 'away' ? items : calls, seed);
    };
    const lives = await Lives.open({ db: service.db, config: service.config, random: randomFrom(seed), setWeather: faults }, startsAt);
    await lives.live(count, months, startsAt);
    expect(await lives.differences()).toEqual([]);
  }, 3_600_000);

  (testKey ? test : test.skip)(
    `three against Stripe's test mode${testKey ? '' : ': not tried, since STRIPE_TEST_KEY is not set'}`,
    async () => {
      const service = await PaidService.open({ STRIPE_SECRET_KEY: testKey!, STRIPE_API_URL: '' });
      await publishRecords(service.db, '25017', readAtOnce);
      // A test clock of Stripe starts near now, and holds three customers.
      const now = new Date(Math.floor(Date.now() / 1000) * 1000);
      const lives = await Lives.open({ db: service.db, config: service.config, random: randomFrom(seed), setWeather: () => {} }, now);
      await lives.live(3, 2, now);
      expect(await lives.differences()).toEqual([]);
    },
    3_600_000,
  );
});
