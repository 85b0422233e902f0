import { readFileSync } from 'node:fs';
import { projectFile } from '../../../core/project-files.js';

/** The words of each line of a list, with their meaning. */
const wordsIn = (file: string): [meaning: string, words: string[]][] =>
  [...readFileSync(projectFile(`src/loader/columns/names/${file}`), 'utf8').matchAll(/^([^#:\n]+): (.+)$/gm)].map(([, meaning, words]) => [
    meaning!,
    words!.split(' '),
  ]);

/** The readings of each spelling in `words.txt`. */
export const readingsOf = new Map<string, string[][]>();
for (const [meaning, words] of wordsIn('words.txt'))
  for (const word of words) readingsOf.set(word, [...(readingsOf.get(word) ?? []), meaning.split(' ')]);

export const longestSpelling = Math.max(...[...readingsOf.keys()].map((word) => word.length));

const parcelNumbers = wordsIn('parcel-numbers.txt');
const namesOf = (kind: string): string[] => parcelNumbers.flatMap(([meaning, words]) => (meaning === kind ? words : []));

/** Names of the parcel number, the most certain first (see `parcel-numbers.txt`). */
export const parcelNumberNames = namesOf('certain');
export const doubtfulParcelNumberNames = namesOf('doubtful');
export const rowNumberNames = namesOf('row number');
