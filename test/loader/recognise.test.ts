import { measure } from './schemas/measure.js';
import { readSchemas } from './schemas/read-schemas.js';

describe('the columns of files whose names we know', () => {
  const { recall, precision, faults } = measure(readSchemas('test/loader/schemas/seen.txt'));

  test('are found', () => expect([recall, faults]).toEqual([1, []]));
  test('are not mistaken for others', () => expect(precision).toBe(1));
});
