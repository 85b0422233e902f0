import type { ReadColumn } from './names/read-name.js';
import { isMeaning } from './names/read-name.js';
import { filledShare, sparseShare } from './sampled-column.js';

/** An owner and a street have a name, but no code, and a use has a field for each. */
const coded = new Set(['city', 'municipality', 'township', 'community', 'jurisdiction', 'village', 'subdivision', 'neighborhood']);

/**
 * Reads a column as a code where a fuller one says by its name what the codes mean: `CITY` beside `CITY_DESCRIPTION`, `MUNI` beside
 * `MUNI_NAME`. Whatever the values are, the described one says more.
 */
export function withCodes(columns: ReadColumn[]): ReadColumn[] {
  const described = columns.flatMap((column) =>
    column.readings.flatMap(({ concepts }) => {
      const base = concepts.slice(0, -1);
      return isMeaning(concepts.at(-1)) && coded.has(base.at(-1)!) ? [{ base: base.join(), filled: filledShare(column) }] : [];
    }),
  );
  const isCode = (column: ReadColumn, concepts: string[]) =>
    described.some(({ base, filled }) => base === concepts.join() && filled >= filledShare(column) * sparseShare);
  return columns.map((column) => ({
    ...column,
    readings: column.readings.map((reading) =>
      reading.unknown.length === 0 && isCode(column, reading.concepts) ? { ...reading, concepts: [...reading.concepts, 'code'] } : reading,
    ),
  }));
}
