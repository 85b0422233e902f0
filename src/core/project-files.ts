import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root folder. Searched upward, because tests run the code from `src` and the service from `dist/src`. */
const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The path of a project file, given relative to the root folder. */
export const projectFile = (...parts: string[]): string => join(projectRoot, ...parts);

export const packageVersion: string = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')).version;

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('no package.json above the code');
  return findRoot(parent);
}
