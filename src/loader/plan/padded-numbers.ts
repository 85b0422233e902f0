import type { Mapping } from '../columns/fields.js';
import type { SampledColumn } from '../columns/sampled-column.js';

const addressFields = ['situs_address', 'mail_address'] as const;

/**
 * Marks addresses whose house numbers a table pads with zeros to one length. Otherwise a zero is the county's: in Portland, 0246 and 246
 * are two houses.
 */
export function markPaddedNumbers(mapping: Mapping, columns: SampledColumn[]): void {
  for (const field of addressFields) {
    const source = mapping[field];
    const numbers = columns.find(({ name }) => name === source?.columns[0])?.values.filter((value) => /^\d+(\.0+)?$/.test(value)) ?? [];
    const lengths = new Set(numbers.map(({ length }) => length));
    if (source && !source.unit && source.columns.length > 1 && lengths.size === 1 && numbers.some((value) => value.startsWith('0')))
      source.unit = 'padded house numbers';
  }
}
