import { Books } from '../ledger/books.js';
import { isMet, lineOf, median, percentile, ratio } from './figures.js';
import { createTokenTable, spendAndPage, spendBatch } from './our-statements.js';

describe('the bench', () => {
  test('takes medians of rounds, and of the ratios of each round', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 9])).toBe(3);
    expect(ratio([1, 20, 300], [1, 10, 100])).toBe(2);
  });

  test('gives the time that a share of the requests does not exceed', () => {
    const times = Array.from({ length: 200 }, (_, index) => index + 1);
    expect([percentile(times, 0.5), percentile(times, 0.99), percentile([7], 0.99)]).toEqual([100, 198, 7]);
  });

  test('says beside a figure whether its aim is met, but not of one that could not be measured', () => {
    expect([isMet(3, { atMost: 3 }), isMet(2.9, { atLeast: 3 })]).toEqual([true, false]);
    expect(lineOf({ name: 'rate', value: 1.24, unit: '×', aim: { atLeast: 1.2 } })).toMatch(/rate +1\.24 × +aim ≥ 1\.2 ×: met$/);
    expect(lineOf({ name: 'rate', value: null, unit: '×', aim: { atLeast: 1.2 } })).toMatch(/– +aim ≥ 1\.2 ×$/);
  });

  test('has scripts spend as the service does', async () => {
    const books = await Books.open();
    await books.paid();
    await books.db.query(createTokenTable);
    const run = (statement: string) => books.db.query(statement.replaceAll(/:(token|offset)/g, '1'));
    const [spend, page] = spendAndPage(1, '1');
    await expect(run(spend!)).resolves.toMatchObject([{ decision: 'granted', records: 25 }]);
    await expect(run(page!)).resolves.toEqual([{ count: 0, text: null }]);
    await expect(run(spendBatch(1, 64))).resolves.toMatchObject([{ decision: 'granted', records: 25, remaining: 50 }]);
  });
});
