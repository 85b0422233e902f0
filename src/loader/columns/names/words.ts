import { readFileSync } from 'node:fs';
import { projectFile } from '../../../core/project-files.js';

/** The readings of each spelling in `words.txt`. */
export const readingsOf = new Map<string, string[][]>();
for (const [, meaning, words] of readFileSync(projectFile('src/loader/columns/names/words.txt'), 'utf8').matchAll(/^([^#:\n]+): (.+)$/gm)) {
  for (const word of words!.split(' ')) {
    const readings = readingsOf.get(word) ?? [];
    readings.push(meaning!.split(' '));
    readingsOf.set(word, readings);
  }
}

export const longestSpelling = Math.max(...[...readingsOf.keys()].map((word) => word.length));
