import type { FieldSource } from '../mapping/fields.js';
import type { SampledColumn } from '../mapping/sampled-column.js';
import { haveDecimals } from '../mapping/value-evidence.js';

/** A parcel number of several columns keeps the zeros behind a point where one of them has other decimals, as that of one column does. */
export function numberOfPieces(number: FieldSource, columns: SampledColumn[]): FieldSource {
  if (number.columns.length < 2) return number;
  const haveAny = columns.some((column) => number.columns.includes(column.name) && haveDecimals(column));
  return haveAny ? { ...number, unit: 'with decimals' } : number;
}
