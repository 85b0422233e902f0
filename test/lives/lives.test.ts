import { onlyWith } from '../harness/only-with.js';
import { Situation } from '../harness/situation.js';
import { Walk } from './walk.js';

const seed = Number(process.env.LIVES_SEED);
const count = Number(process.env.LIVES);
const testKey = process.env.STRIPE_TEST_KEY;

// The search by night, `npm run lives`, for faults in sequences that nobody thought of. What it finds becomes a test in `billing/`.

// Customers read, reverse, leave, return and fail to pay in any order while events, answers and servers are lost.
describe('billing under random events', () => {
  const kinds = [
    { name: 'plain', isDense: false, hasBadCards: false },
    { name: 'dense', isDense: true, hasBadCards: false },
    { name: 'with bad cards', isDense: false, hasBadCards: true },
  ];
  const walks = Array.from({ length: count }, (_, i) => ({
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

onlyWith(testKey !== undefined, 'no STRIPE_TEST_KEY').test(
  'Stripe’s test mode bills, less credits, what the ledger has of three subscribers, of whom one ends at once and returns',
  async () => {
    // A test clock of Stripe starts near now, and holds three customers.
    const now = new Date(Math.floor(Date.now() / 1000) * 1000);
    const lives = await Situation.open({ STRIPE_SECRET_KEY: testKey!, STRIPE_API_URL: '' }, now);
    for (const overage of [1, 70, 2500]) {
      const life = await lives.begin(`life-${overage}`);
      for (const records of [4000, overage, 100]) await life.read(records);
      await life.takeBack(0.9);
    }
    const [, renewed, ended] = lives.all;
    for (const minutes of [10, 120]) {
      await lives.passTimeUntil(new Date((await renewed!.periodEnd(1)).getTime() + minutes * 60_000));
      for (const life of lives.all) await lives.follow(life);
      await lives.work();
    }
    await renewed!.takeBack(0.9);
    for (const records of [4000, 100]) await ended!.read(records);
    await lives.endAtOnce(ended!);
    const again = await lives.beginAgain(ended!);
    for (const records of [4000, 30]) await again.read(records);
    await lives.leave();
    expect(await lives.differences()).toEqual([]);
  },
  3_600_000,
);
