import type { Mapping } from '../columns/fields.js';
import { parcelNumberNames } from '../columns/names/parcel-number-names.js';
import type { SampledColumn } from '../columns/sampled-column.js';
import { isCutNumber } from '../values/values.js';

/**
 * Parcel numbers that Excel has spoilt when it opened and saved a CSV: those of which it kept six digits, which no record gets, whichever
 * column they are taken from, and those that became days, as 1-9 does. Of these nobody can tell what they were, or that all of them are.
 */
export function cutNumberWarnings({ apn }: Mapping, columns: SampledColumn[]): string[] {
  return columns
    .filter(({ name, plain }) => (apn ? apn.columns.includes(name) : parcelNumberNames.includes(plain)))
    .flatMap(({ name, values }) => {
      const warning = (spoilt: string[], what: string, why: string) =>
        spoilt.length === 0
          ? []
          : [
              `${spoilt.length} of the first ${values.length} values of ${name} ${what}: export the table with that column as text. ${why}.`,
            ];
      const [cut, days] = [values.filter(isCutNumber), values.filter((value) => dayOfExcel.test(value))];
      return [
        ...warning(cut, `have lost digits (${cut[0]}) and are no parcel numbers`, 'Excel shortens numbers when it opens and saves a CSV'),
        ...warning(days, `are days (${days[0]})`, 'Excel makes days of parcel numbers such as 1-9 when it opens and saves a CSV'),
      ];
    });
}

const dayOfExcel =
  /^(\d{1,2}-)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(-\d\d)?$|^(1[0-2]|[1-9])\/(3[01]|[12]\d|[1-9])\/(19|20)\d\d$/i;
