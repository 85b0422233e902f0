import { existsSync } from 'node:fs';
import { projectFile } from '../../src/core/project-files.js';

/** The county files that are not part of the project. */
export const countyData = projectFile('../shared/data');

/**
 * `describe` and `test` for what needs something that not every machine has. Where it is missing they are skipped, and their titles
 * end with the reason: `skip-reporter.js` counts them by it at the end of the run.
 */
export function onlyWith(isThere: boolean, reason: string): { describe: jest.Describe; test: jest.It } {
  if (isThere) return { describe, test };
  const named = <T extends (name: string, ...rest: never[]) => unknown>(skip: T): T =>
    ((name: string, ...rest: never[]) => skip(`${name} (skipped: ${reason})`, ...rest)) as T;
  const each =
    (skip: typeof describe.skip | typeof test.skip) =>
    (...table: unknown[]) =>
    (name: string, ...rest: unknown[]) =>
      (skip.each as (...table: unknown[]) => (...rest: unknown[]) => void)(...table)(`${name} (skipped: ${reason})`, ...rest);
  return {
    describe: Object.assign(named(describe.skip as never), { each: each(describe.skip) }) as never,
    test: Object.assign(named(test.skip as never), { each: each(test.skip) }) as never,
  };
}

export const withCountyData = onlyWith(existsSync(countyData), 'no county files in ../shared/data');
