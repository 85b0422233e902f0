import { relativeTime } from '../../src/console/format/clock.js';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

describe('a time in words', () => {
  it.each([
    ['in 30 days', 30 * day - 2000],
    ['in 30 days', 30 * day],
    ['in 29 days', 29.4 * day],
    ['in 2 months', 60 * day],
    ['tomorrow', 23.9 * hour],
    ['in 23 hours', 23.4 * hour],
    ['1 minute ago', -59_700],
    ['59 seconds ago', -59_400],
    ['5 minutes ago', -5 * minute],
    ['now', -300],
    ['2 years ago', -730 * day],
  ])('is %s, rounded to the nearest', (words, distanceMs) => {
    expect(relativeTime(distanceMs)).toBe(words);
  });
});
