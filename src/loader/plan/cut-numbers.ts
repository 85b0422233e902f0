import type { Mapping } from '../mapping/fields.js';
import { parcelNumberNames } from '../mapping/parcel-number-names.js';
import type { SampledColumn } from '../mapping/sampled-column.js';
import { isCutNumber } from '../normalise/values.js';

/** Parcel numbers of which Excel has kept six digits: no record gets one, whichever column they are taken from. */
export function cutNumberWarnings({ apn }: Mapping, columns: SampledColumn[]): string[] {
  return columns
    .filter(({ name, plain }) => (apn ? apn.columns.includes(name) : parcelNumberNames.includes(plain)))
    .flatMap(({ name, values }) => {
      const cut = values.filter(isCutNumber);
      if (cut.length === 0) return [];
      return [
        `${cut.length} of the first ${values.length} values of ${name} have lost digits (${cut[0]}) and are no parcel numbers: export the table with ` +
          'that column as text. Excel shortens numbers when it opens and saves a CSV.',
      ];
    });
}
