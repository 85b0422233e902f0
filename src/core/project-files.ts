import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's top folder. Searched for upward from here, since the code runs from `src` in tests and from `dist/src` otherwise. */
const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The path of a file that the project ships, given from its top folder. */
export const projectFile = (...parts: string[]): string => join(projectRoot, ...parts);

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('no package.json above the code');
  return findRoot(parent);
}
