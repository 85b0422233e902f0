import { existsSync } from 'node:fs';
import { projectFile } from '../../src/core/project-files.js';

/** The county files that are not part of the project. */
export const countyData = projectFile('../shared/data');

/**
 * `describe` and `test` for what needs something that not every machine has. Where it is missing they are skipped, and their titles
 * end with the reason: `closing-reporter.js` counts them by it at the end of the run.
 */
export function onlyWith(isThere: boolean, reason: string): { describe: jest.Describe; test: jest.It } {
  // Asked for at each use, since test files of one worker share this module and each has a `describe` and a `test` of its own.
  return {
    get describe() {
      return isThere ? describe : (skipped(describe.skip, reason) as jest.Describe);
    },
    get test() {
      return isThere ? test : (skipped(test.skip, reason) as jest.It);
    },
  };
}

function skipped(skip: jest.Describe | jest.It, reason: string) {
  const titled = (name: unknown) => `${name} (skipped: ${reason})`;
  const call = skip as (...args: unknown[]) => void;
  const table = skip.each as (...table: unknown[]) => typeof call;
  const one = (name: string, ...rest: unknown[]) => call(titled(name), ...rest);
  return Object.assign(one, {
    each:
      (...rows: unknown[]) =>
      (name: string, ...rest: unknown[]) =>
        table(...rows)(titled(name), ...rest),
  }) as unknown;
}

export const withCountyData = onlyWith(existsSync(countyData), 'no county files in ../shared/data');
