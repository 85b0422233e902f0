import { recognise } from '../../src/loader/columns/recognise.js';
import { sampleColumns } from '../../src/loader/columns/sampled-column.js';

/** What improvements are read from, of columns with these values in thousands, of a house, a shop and a vacant lot. */
function improvementsOf(values: Record<string, [house: number, shop: number, lot: number]>): string[] | undefined {
  const rows = [0, 1, 2].map((i) => ({
    PIN: `1-${i}`,
    ...Object.fromEntries(Object.entries(values).map(([name, ofRows]) => [name, String(ofRows[i]! * 1000)])),
  }));
  return recognise(sampleColumns(rows)).mapping.improvement_value?.columns;
}

describe('improvements of dwellings and of other buildings', () => {
  test.each([
    ['Dwelling Value', 'Building Value'],
    ['Assessed Dwelling', 'Assessed Building'],
    ['BLDG_VALUE', 'IMPR_VALUE'],
  ])('are both of them where only both and the land make up the total: %s, %s', (dwelling, building) => {
    const [land, total] = dwelling.startsWith('Assessed') ? ['Assessed Land', 'Assessed Total'] : ['Land Value', 'Total Value'];
    const parts = { [land!]: [50, 80, 20], [dwelling]: [400, 0, 0], [building]: [0, 700, 0], [total!]: [450, 780, 20] } as const;
    expect(improvementsOf(parts as never)?.toSorted()).toEqual([dwelling, building].toSorted());
  });

  test('are one of them where it and the land make up the total, or where no total tells', () => {
    const land = { 'Land Value': [50, 80, 20] } as const;
    const both = { 'Dwelling Value': [400, 700, 0], 'Building Value': [400, 700, 0] } as const;
    expect(improvementsOf({ ...land, ...both, 'Total Value': [450, 780, 20] } as never)).toHaveLength(1);
    expect(improvementsOf({ ...land, ...both } as never)).toHaveLength(1);
    expect(improvementsOf({ ...land, ...both, 'Total Value': [900, 900, 900] } as never)).toHaveLength(1);
  });
});
