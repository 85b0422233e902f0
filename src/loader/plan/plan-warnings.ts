import { fieldsOfType, type Mapping, mappableFields } from '../columns/fields.js';
import { shownColumns } from '../columns/map-options.js';
import { parcelNumberNames } from '../columns/names/words.js';
import type { SampledColumn } from '../columns/sampled-column.js';
import type { Source } from '../formats/source.js';
import type { SourceRow } from '../formats/source-row.js';
import { isTruncatedNumber } from '../values/values.js';

/** Facts from the first rows. */
interface Sampled {
  mapping: Mapping;
  columns: SampledColumn[];
  files: { source: Pick<Source, 'name'>; sample: SourceRow[] }[];
}

/** The operator's warnings before the load, by one rule each. */
export const planWarnings = (sampled: Sampled): string[] => [decimalCommas, spoiltNumbers, missingColumns].flatMap((rule) => rule(sampled));

const numberFields = fieldsOfType('dollars', 'dollars and cents', 'acres', 'square feet', 'count', 'number');
const surelyDecimal = /^-?\d*,(\d{1,2}|\d{4,})$/;
const doubtful = /^-?[1-9]\d{0,2},\d{3}$/;

/** Numbers that `numberOf` reads as thousands, in columns whose other values have decimal commas. */
function decimalCommas({ mapping, columns }: Sampled): string[] {
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

/** Parcel numbers that Excel cut to six digits when it opened and saved a CSV. They reach no record, from whichever column. */
function spoiltNumbers({ mapping: { apn }, columns }: Sampled): string[] {
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

const placeFields = new Set<string>(['latitude', 'longitude', 'geometry']);

/** One of several files lacks a mapped column, which may have another name there. */
function missingColumns({ files: sampled, mapping }: Sampled): string[] {
  const files = sampled.map(({ source, sample }) => {
    const rows = sample.filter(({ fault }) => fault === null);
    const columns = new Set(rows.flatMap(({ properties }) => Object.keys(properties)));
    return { name: source.name, columns, hasShapes: rows.some(({ geometry }) => geometry !== null) };
  });
  return files.flatMap((file) => {
    const others = files.filter((other) => other !== file);
    const missing = mappableFields
      .filter((field) => !(file.hasShapes && placeFields.has(field)))
      .flatMap((field) => (mapping[field]?.columns ?? []).map((column) => ({ field, column })))
      .filter(({ column }) => !file.columns.has(column) && others.some(({ columns }) => columns.has(column)));
    const [first] = missing;
    if (file.columns.size === 0 || !first) return [];
    const own = [...file.columns].filter((column) => others.every(({ columns }) => !columns.has(column)));
    return [
      `${file.name} has no column ${shownColumns(missing.map(({ field, column }) => `${column} (${field})`))}` +
        (own.length === 0
          ? '.'
          : `, but only it has ${shownColumns(own)}: if they mean the same, map both, such as --map ${first.field}=${first.column}+${own[0]}.`),
    ];
  });
}
