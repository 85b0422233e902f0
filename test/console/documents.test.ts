import { readFileSync, statSync } from 'node:fs';
import { errorRows } from '../../src/console/docs/error-rows.js';
import { generateOperations } from '../../src/console/graphql/generate.js';
import { statusOf } from '../../src/errors.js';

describe("the console's documents", () => {
  it('have types that are up to date (node src/console/graphql/generate.js)', async () => {
    expect(readFileSync('src/console/graphql/operations.ts', 'utf8')).toBe(await generateOperations());
  });
});

describe('the error table of the docs', () => {
  // Codes that no API customer can meet.
  const internalOnes = ['bad_signature', 'subscription_required', 'conflict', 'not_configured'];

  it('names every code that a customer can meet, with its status', () => {
    const expected = Object.entries(statusOf).filter(([code]) => !internalOnes.includes(code));
    expect(Object.fromEntries(errorRows.map(([status, code]) => [code, status]))).toEqual(Object.fromEntries(expected));
  });
});

describe('the first load', () => {
  const budgetBytes = 200_000;

  it.each([
    ['/', ['index.html']],
    ['/console', ['index.html', 'customer/customer-pages.tsx']],
  ])('of %s is under 200 KB of compressed script', (_path, entries) => {
    const manifest: Record<string, { file: string; imports?: string[] }> = JSON.parse(
      readFileSync('dist/console/.vite/manifest.json', 'utf8'),
    );
    const scripts = new Set<string>();
    const collect = (key: string) => {
      const { file, imports = [] } = manifest[key]!;
      if (scripts.has(file)) return;
      scripts.add(file);
      imports.forEach(collect);
    };
    entries.forEach(collect);
    const bytes = [...scripts].reduce((sum, file) => sum + statSync(`dist/console/${file}.gz`).size, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(budgetBytes);
  });
});
