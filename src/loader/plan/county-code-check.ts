import { AppError } from '../../core/errors.js';
import { successorsOf } from '../../counties/retired-counties.js';
import { countyCodeNames } from '../columns/dialects.js';
import { plainName } from '../columns/fields.js';
import type { SourceRow } from '../formats/source.js';
import { textOf } from '../values/values.js';

/** @throws AppError when the rows themselves name another county by its five digits, and none whose land is this one's today */
export function refuseForeignCode(fips: string, sample: SourceRow[]): void {
  const columns = Object.keys(sample[0]?.properties ?? {}).filter((column) => countyCodeNames.includes(plainName(column)));
  for (const column of columns) {
    const codes = sample
      .map(({ properties }) => textOf(properties[column])?.replace(/^(\d{4})$/, '0$1'))
      .filter((code) => /^\d{5}$/.test(code ?? ''));
    if (codes.length * 2 < sample.length || codes.some((code) => successorsOf(code!).includes(fips))) continue;
    throw new AppError(
      'invalid_request',
      `The rows say themselves that they are of ${codes[0]} (column ${column}), not of ${fips}; --force loads them all the same.`,
    );
  }
}
