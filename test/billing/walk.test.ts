import { Walk } from '../harness/walk.js';

const firstSeed = Number(process.env.LIVES_SEED ?? 20_270_131);
// `npm run lives` adds one longer walk for every ten lives.
const isLong = process.env.LIVES !== undefined;
const count = isLong ? Math.ceil(Number(process.env.LIVES) / 10) : 2;
const size = isLong ? { customers: 8, steps: 150 } : { customers: 6, steps: 100 };
const kinds = [
  { name: 'plain', isDense: false, hasBadCards: false },
  { name: 'dense', isDense: true, hasBadCards: false },
  { name: 'with bad cards', isDense: false, hasBadCards: true },
];

// lives.test.ts follows a plan whose invoices can be counted one by one. Here customers read, reverse, leave, return and fail to pay in any order
// while events, answers and servers are lost, to find faults in sequences that nobody thought of.
describe('billing under random events', () => {
  const walks = Array.from({ length: count }, (_, i) => ({
    ...kinds[i % kinds.length]!,
    ...size,
    seed: firstSeed + i,
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
      const walk = await Walk.begin({ ...kinds[1]!, seed: firstSeed, customers: 3, steps: 40, followedShare: 0.6 });
      await walk.go();
      courses.push(walk.course);
    }
    Math.random = random;
    expect(courses[0]!.length).toBeGreaterThan(50);
    expect(courses[1]).toEqual(courses[0]);
  });
});
