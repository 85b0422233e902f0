import { AppError } from '../../core/errors.js';
import { successorsOf } from '../../counties/county-codes.js';
import { plainName } from '../columns/fields.js';
import type { SourceRow } from '../formats/source-row.js';
import { textOf } from '../values/values.js';

const countyCodeNames = ['countyfips', 'cntyfips', 'stcntyfips', 'fips', 'fipscode', 'parcelfips', 'geoid', 'stcofips', 'fips5'];

/** @throws AppError when the rows name another county by its FIPS code. A retired code whose land is in this county today is accepted. */
export function refuseForeignCode(fips: string, sample: SourceRow[]): void {
  const columns = Object.keys(sample[0]?.properties ?? {}).filter((column) => countyCodeNames.includes(plainName(column)));
  for (const column of columns) {
    const codes = sample
      .map(({ properties }) => textOf(properties[column])?.replace(/^(\d{4})$/, '0$1'))
      .filter((code) => /^\d{5}$/.test(code ?? ''));
    if (codes.length * 2 < sample.length || codes.some((code) => successorsOf(code!).includes(fips))) continue;
    throw new AppError('invalid_request', `The rows name county ${codes[0]} (column ${column}), not ${fips}; --force loads them anyway.`);
  }
}
