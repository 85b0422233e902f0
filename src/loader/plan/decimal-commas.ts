import type { MappableField, Mapping } from '../columns/fields.js';
import type { SampledColumn } from '../columns/sampled-column.js';

const numberFields = [
  'land_value',
  'improvement_value',
  'total_value',
  'tax_amount',
  'sale_price',
  'acres',
] as const satisfies MappableField[];

const surelyDecimal = /^-?\d*,(\d{1,2}|\d{4,})$/;
const doubtful = /^-?[1-9]\d{0,2},\d{3}$/;

/** Numbers that `numberOf` reads as thousands, in columns that otherwise write decimal commas. */
export function decimalCommaWarnings(mapping: Mapping, columns: SampledColumn[]): string[] {
  const mapped = new Set(numberFields.flatMap((field) => mapping[field]?.columns ?? []));
  return columns.flatMap(({ name, values }) => {
    const decimal = values.find((value) => surelyDecimal.test(value));
    const thousand = values.find((value) => doubtful.test(value));
    if (!mapped.has(name) || decimal === undefined || thousand === undefined) return [];
    return [
      `${name} has decimal commas (${decimal}), but ${thousand} is read as ${thousand.replace(',', '')}: export it with decimal points, if ` +
        'that is not meant.',
    ];
  });
}
