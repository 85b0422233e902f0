import type { FieldSource, Mapping } from '../columns/fields.js';
import type { SampledColumn } from '../columns/sampled-column.js';

/** The column of parcel numbers; of numbers, where all that are sampled have nothing but zeros behind their point. */
export function numbersOfColumn({ apn }: Mapping, columns: SampledColumn[]): FieldSource | undefined {
  const { values } = columns.find(({ name }) => name === apn?.columns[0]) ?? { values: [] };
  const areNumbers = apn?.columns.length === 1 && values.length > 0 && values.every((value) => /^\d+\.0+$/.test(value));
  return areNumbers ? { ...apn, unit: 'of numbers' } : apn;
}
