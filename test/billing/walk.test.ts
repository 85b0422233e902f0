import { Walk } from '../harness/walk.js';

const firstSeed = Number(process.env.LIVES_SEED ?? 20_270_131);
// `npm run lives` takes one longer walk for every ten lives.
const isLong = process.env.LIVES !== undefined;
const count = isLong ? Math.ceil(Number(process.env.LIVES) / 10) : 2;
const size = isLong ? { customers: 8, steps: 150 } : { customers: 6, steps: 100 };
const kinds = [
  { name: 'plain', isDense: false, hasBadCards: false },
  { name: 'dense', isDense: true, hasBadCards: false },
  { name: 'with bad cards', isDense: false, hasBadCards: true },
];

// The lives of billing-lives.test.ts keep to a course that can be counted by hand, bill for bill. Here nothing is expected of one bill:
// customers read, take back, leave, come back and fail to pay in any order while events, answers and servers are lost, so a fault that
// needs a sequence nobody thought of is found, too.
describe('billing, whatever happens in whatever order', () => {
  const walks = Array.from({ length: count }, (_, i) => ({
    ...kinds[i % kinds.length]!,
    ...size,
    seed: firstSeed + i,
    followedShare: i % 2 === 0 ? 0.6 : 0.2,
  }));

  test.each(walks)(
    'bills, less what it gives back, what the ledger says, and the audit finds no difference: seed $seed, $name',
    async (settings) => {
      const walk = await Walk.begin(settings);
      await walk.go();
      await walk.end();
      expect((await walk.differences()).join('\n\n')).toBe('');
    },
    600_000,
  );

  test('is the same course of things for the same seed', async () => {
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
