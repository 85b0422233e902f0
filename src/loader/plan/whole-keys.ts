import { plainParcelNumber } from '../../releases/record-fields/search-keys.js';
import type { Source } from '../formats/source.js';
import type { SourceRow } from '../formats/source-row.js';
import { ColumnNames } from './column-names.js';
import { type KeyCounts, keyIn } from './join-pairs.js';
import type { RowFilter } from './where.js';

/** One file of a join. */
export interface JoinedFile {
  sources: Source[];
  filter: RowFilter;
  sample: SourceRow[];
  rowEstimate: number;
}

/** A file with the columns that may be keys. */
type KeyedFile = JoinedFile & { columns: string[] };

const sampledKeys = 4000;
const mostOtherKeys = 8000;

/**
 * The keys of both whole files by column, for files whose first rows have few parcels in common. Of the smaller file every n-th key is
 * taken, by its hash, and the same keys of the larger one, with some others to tell how many keys it has.
 */
export async function wholeKeys(shapes: KeyedFile, roll: KeyedFile): Promise<{ shapes: FileKeys; roll: FileKeys }> {
  const oneIn = Math.max(1, Math.floor(Math.min(shapes.rowEstimate, roll.rowEstimate) / sampledKeys));
  const isRollSmaller = roll.rowEstimate < shapes.rowEstimate;
  const [first, second] = isRollSmaller ? [roll, shapes] : [shapes, roll];
  const ofFirst = await countKeys(first, oneIn);
  const known = new Set([...ofFirst.values()].flatMap((counts) => [...counts.keys()].map(plainParcelNumber)));
  const ofSecond = await countKeys(second, oneIn, known);
  return isRollSmaller ? { shapes: ofSecond, roll: ofFirst } : { shapes: ofFirst, roll: ofSecond };
}

type FileKeys = Map<string, KeyCounts>;

async function countKeys({ sources, filter, sample, columns }: KeyedFile, oneIn: number, known?: Set<string>): Promise<FileKeys> {
  const names = ColumnNames.of(sample);
  const counts = columns.map((column): [string, KeyCounts] => [column, new Map()]);
  for (const each of sources) {
    for await (const rows of each.read({ bytesRead: 0 })) {
      for (const row of names.ofAll(rows)) {
        if (row.fault !== null || !filter(row)) continue;
        const { properties } = row;
        for (const [column, keys] of counts) {
          const key = keyIn(properties, column);
          if (key === null || (oneIn > 1 && hashOf(key) % oneIn !== 0)) continue;
          const rows = keys.get(key);
          if (rows !== undefined) keys.set(key, rows + 1);
          else if (!known || keys.size < mostOtherKeys || known.has(plainParcelNumber(key))) keys.set(key, 1);
        }
      }
    }
  }
  return new Map(counts);
}

/** FNV-1a over letters and digits, the same for all spellings of a key that `plainParcelNumber` unites. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    const isDigit = code >= 0x30 && code <= 0x39;
    const letter = code & ~0x20;
    if (isDigit || (letter >= 0x41 && letter <= 0x5a)) hash = Math.imul(hash ^ (isDigit ? code : letter), 0x01000193);
  }
  return hash >>> 0;
}
