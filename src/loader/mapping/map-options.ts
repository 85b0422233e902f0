import { isMappableField, type Mapping, mappableFields } from './fields.js';

/**
 * Reads `--map` options such as `apn=ML`, `situs_address=StreetNum+StreetName` or `acres=LandArea:sqft`.
 * @throws Error naming the option that can't be followed
 */
export function parseMapOptions(options: string[], columns: string[]): Mapping {
  const mapping: Mapping = {};
  for (const option of options) {
    const [, field = '', value = ''] = /^([^=]*)=(.*)$/s.exec(option) ?? [];
    if (!isMappableField(field)) throw new Error(`--map ${option}: the field must be one of ${mappableFields.join(', ')}.`);
    const [, names = value, unit] = /^(.*):(sqft|acres)$/.exec(value) ?? [];
    mapping[field] = { columns: names === '' ? [] : splitColumns(option, names, columns), ...(unit === 'sqft' && { unit: 'square feet' }) };
  }
  return mapping;
}

// A column's own name may hold a plus sign.
function splitColumns(option: string, names: string, columns: string[]): string[] {
  const whole = findColumn(names, columns);
  if (whole) return [whole];
  return names.split('+').map((name) => {
    const column = findColumn(name.trim(), columns);
    if (!column) throw new Error(`--map ${option}: there is no column ${name.trim()}. There are: ${columns.join(', ')}.`);
    return column;
  });
}

export function findColumn(name: string, columns: string[]): string | undefined {
  return columns.find((column) => column === name) ?? columns.find((column) => column.toLowerCase() === name.toLowerCase());
}
