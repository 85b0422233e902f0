import { refusal } from '../../core/errors.js';
import { isMappableField, type Mapping, mappableFields } from './fields.js';

/**
 * Reads `--map` options such as `apn=ML`, `situs_address=StreetNum+StreetName` or `acres=LandArea:sqft`.
 * @throws AppError naming the invalid option
 */
export function parseMapOptions(options: string[], columns: string[]): Mapping {
  const mapping: Mapping = {};
  for (const option of options) {
    const { field, names, unit } = readOption(option);
    if (!isMappableField(field)) throw invalid(option, `the field must be one of ${mappableFields.join(', ')}.`);
    if (mapping[field]) throw invalid(option, `${field} is mapped twice; join columns with +.`);
    mapping[field] = { columns: splitColumns(option, names, columns), ...(unit === 'sqft' && { unit: 'square feet' }) };
  }
  return mapping;
}

function readOption(option: string): { field: string; names: string; unit: string | undefined } {
  const [, field = '', value = ''] = /^([^=]*)=(.*)$/s.exec(option) ?? [];
  const [, names = value, unit] = /^(.*):(sqft|acres)$/.exec(value) ?? [];
  return { field, names, unit };
}

const piecesOf = (names: string): string[] => (names === '' ? [] : names.split('+').map((name) => name.trim()));

// A column's own name may contain a plus sign.
function splitColumns(option: string, names: string, columns: string[]): string[] {
  const whole = findColumn(names, columns);
  if (whole) return [whole];
  return piecesOf(names).map((name) => {
    const column = findColumn(name, columns);
    if (!column) throw invalid(option, `there is no column ${name}. The columns are: ${columns.join(', ')}.${unitHint(option)}`);
    return column;
  });
}

const invalid = (option: string, why: string) => refusal(`--map ${option}: ${why}`);

const unitHint = (option: string): string => (/^acres=.*:\w*$/.test(option) ? ' The units for acres are :acres and :sqft.' : '');

/** The columns that `--map` options name but the file lacks. */
export function missingColumns(options: string[], columns: string[]): string[] {
  return options.flatMap((option) => {
    const { names } = readOption(option);
    return findColumn(names, columns) ? [] : piecesOf(names).filter((name) => !findColumn(name, columns));
  });
}

export function findColumn(name: string, columns: string[]): string | undefined {
  return columns.find((column) => column === name) ?? columns.find((column) => spellingOf(column) === spellingOf(name));
}

const mostShown = 20;

/** Columns in a sentence. */
export const shownColumns = (names: string[]): string =>
  names.length > mostShown ? `${names.slice(0, mostShown).join(', ')} and ${names.length - mostShown} more` : names.join(', ');

/** Column names with the same spelling are one column. */
export const spellingOf = (column: string): string => column.trim().toLowerCase();
