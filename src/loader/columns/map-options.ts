import { isMappableField, type Mapping, mappableFields } from './fields.js';

/**
 * Reads `--map` options such as `apn=ML`, `situs_address=StreetNum+StreetName` or `acres=LandArea:sqft`.
 * @throws Error naming the invalid option
 */
export function parseMapOptions(options: string[], columns: string[]): Mapping {
  const mapping: Mapping = {};
  for (const option of options) {
    const { field, names, unit } = readOption(option);
    if (isMappableField(field) && mapping[field]) throw new Error(`--map ${option}: ${field} is mapped twice; join columns with +.`);
    if (!isMappableField(field)) throw new Error(`--map ${option}: the field must be one of ${mappableFields.join(', ')}.`);
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
    if (!column) throw new Error(`--map ${option}: there is no column ${name}. The columns are: ${columns.join(', ')}.${unitHint(option)}`);
    return column;
  });
}

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
