import { Lives, readAtOnce, type Weather } from '../harness/lives.js';
import { onlyWith } from '../harness/only-with.js';
import { PaidService } from '../harness/paid-service.js';
import { publishRecords } from '../harness/records.js';
import { type FaultKind, randomFrom } from '../stripe/faults.js';
import { Walk } from './walk.js';

const seed = Number(process.env.LIVES_SEED);
const count = Number(process.env.LIVES);
const months = Number(process.env.LIVES_MONTHS ?? 3);
const testKey = process.env.STRIPE_TEST_KEY;

// The search by night, `npm run lives`, for faults in sequences that nobody thought of. What it finds becomes a test in `billing/`.

// Subscribers read, and reads are reversed, at random, while Stripe fails at any call and servers die. In the end billed overage less
// credits is what the ledger has, to the cent.
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
    const lives = await Lives.open({ service, random: randomFrom(seed), setWeather: faults }, startsAt);
    await lives.live(count, months, startsAt);
    expect(await lives.differences()).toEqual([]);
  }, 3_600_000);

  onlyWith(testKey !== undefined, 'no STRIPE_TEST_KEY').test(
    'three against Stripe’s test mode',
    async () => {
      const service = await PaidService.open({ STRIPE_SECRET_KEY: testKey!, STRIPE_API_URL: '' });
      await publishRecords(service.db, '25017', readAtOnce);
      // A test clock of Stripe starts near now, and holds three customers.
      const now = new Date(Math.floor(Date.now() / 1000) * 1000);
      const lives = await Lives.open({ service, random: randomFrom(seed), setWeather: () => {} }, now);
      await lives.live(3, 2, now);
      expect(await lives.differences()).toEqual([]);
    },
    3_600_000,
  );
});

// Lives follow a plan whose invoices can be counted one by one. Here customers read, reverse, leave, return and fail to pay in any order
// while events, answers and servers are lost.
describe('billing under random events', () => {
  const kinds = [
    { name: 'plain', isDense: false, hasBadCards: false },
    { name: 'dense', isDense: true, hasBadCards: false },
    { name: 'with bad cards', isDense: false, hasBadCards: true },
  ];
  // One walk for every ten lives.
  const walks = Array.from({ length: Math.ceil(count / 10) }, (_, i) => ({
    ...kinds[i % kinds.length]!,
    customers: 8,
    steps: 150,
    seed: seed + i,
    followedShare: i % 2 === 0 ? 0.6 : 0.2,
  }));

  test.each(walks)(
    'bills, less credits, what the ledger has, and the audit finds no difference: seed $seed, $name',
    async (settings) => {
      const walk = await Walk.begin(settings);
      await walk.go();
      await walk.end();
      expect((await walk.differences()).join('\n\n')).toBe('');
    },
    600_000,
  );

  test('runs the same for the same seed', async () => {
    const courses: string[][] = [];
    const { random } = Math;
    for (const _ of ['once', 'again']) {
      const walk = await Walk.begin({ ...kinds[1]!, seed, customers: 3, steps: 40, followedShare: 0.6 });
      await walk.go();
      courses.push(walk.course);
    }
    Math.random = random;
    expect(courses[0]!.length).toBeGreaterThan(50);
    expect(courses[1]).toEqual(courses[0]);
  });
});
