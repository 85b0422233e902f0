import { onlyWith } from '../harness/only-with.js';

describe('a test that needs what not every machine has', () => {
  it('belongs to the file that names it, though test files of one worker share the module that makes it', () => {
    const made = { there: onlyWith(true, ''), missing: onlyWith(false, 'nothing') };
    const named: unknown[] = [];
    const own = { describe, test };
    // Another test file of the same worker: Jest gives it a `describe` and a `test` of its own.
    const others = Object.assign((name: string) => named.push(name), { skip: (name: string) => named.push(`skipped: ${name}`) });
    Object.assign(globalThis, { describe: others, test: others });
    try {
      made.there.describe('a group', () => {});
      made.there.test('a test', () => {});
      made.missing.describe('a group', () => {});
      made.missing.test('a test', () => {});
    } finally {
      Object.assign(globalThis, own);
    }
    expect(named).toEqual(['a group', 'a test', 'skipped: a group (skipped: nothing)', 'skipped: a test (skipped: nothing)']);
  });
});
