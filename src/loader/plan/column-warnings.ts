import { fieldsOfType, type Mapping } from '../columns/fields.js';
import { parcelNumberNames } from '../columns/names/parcel-number-names.js';
import type { SampledColumn } from '../columns/sampled-column.js';
import { isTruncatedNumber } from '../values/values.js';

const numberFields = fieldsOfType('dollars', 'dollars and cents', 'acres', 'square feet', 'count', 'number');

const surelyDecimal = /^-?\d*,(\d{1,2}|\d{4,})$/;
const doubtful = /^-?[1-9]\d{0,2},\d{3}$/;

/** Warns of numbers that `numberOf` reads as thousands, in columns whose other values have decimal commas. */
export function decimalCommaWarnings(mapping: Mapping, columns: SampledColumn[]): string[] {
  const mapped = new Set(numberFields.flatMap((field) => mapping[field]?.columns ?? []));
  return columns.flatMap(({ name, values }) => {
    const decimal = values.find((value) => surelyDecimal.test(value));
    const thousand = values.find((value) => doubtful.test(value));
    if (!mapped.has(name) || decimal === undefined || thousand === undefined) return [];
    return [
      `${name} has decimal commas (${decimal}), but ${thousand} is read as ${thousand.replace(',', '')}. If that is wrong, ` +
        'export it with decimal points.',
    ];
  });
}

/** Warns of parcel numbers that Excel cut to six digits when it opened and saved a CSV. They reach no record, from whichever column. */
export function spoiltNumberWarnings({ apn }: Mapping, columns: SampledColumn[]): string[] {
  return columns
    .filter(({ name, plain }) => (apn ? apn.columns.includes(name) : parcelNumberNames.includes(plain)))
    .flatMap(({ name, values }) => {
      const cut = values.filter(isTruncatedNumber);
      return cut.length === 0
        ? []
        : [
            `${cut.length} of the first ${values.length} values of ${name} have lost digits (${cut[0]}) and are not parcel numbers. Export the ` +
              'table with that column as text. Excel shortens numbers when it opens and saves a CSV.',
          ];
    });
}
