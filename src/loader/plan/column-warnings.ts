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

/**
 * Warns of parcel numbers that Excel spoilt when it opened and saved a CSV. Numbers cut to six digits reach no record, from whichever
 * column. Numbers that became days, such as 1-9, are kept, because some may be genuine.
 */
export function spoiltNumberWarnings({ apn }: Mapping, columns: SampledColumn[]): string[] {
  return columns
    .filter(({ name, plain }) => (apn ? apn.columns.includes(name) : parcelNumberNames.includes(plain)))
    .flatMap(({ name, values }) => {
      const warning = (spoilt: string[], what: string, why: string) =>
        spoilt.length === 0
          ? []
          : [
              `${spoilt.length} of the first ${values.length} values of ${name} ${what}: export the table with that column as text. ${why}.`,
            ];
      const [cut, days] = [values.filter(isTruncatedNumber), values.filter((value) => dayOfExcel.test(value))];
      return [
        ...warning(cut, `have lost digits (${cut[0]}) and are no parcel numbers`, 'Excel shortens numbers when it opens and saves a CSV'),
        ...warning(days, `are days (${days[0]})`, 'Excel turns parcel numbers such as 1-9 into days when it opens and saves a CSV'),
      ];
    });
}

const dayOfExcel =
  /^(\d{1,2}-)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(-\d\d)?$|^(1[0-2]|[1-9])\/(3[01]|[12]\d|[1-9])\/(19|20)\d\d$/i;
