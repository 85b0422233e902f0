import { readdirSync, readFileSync, statSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { errorRows } from '../../src/console/docs/error-rows.js';
import { generateOperations } from '../../src/console/graphql/generate.js';
import { statusOf } from '../../src/errors.js';

const folder = 'schema/operations/console';
const documents = parse(
  readdirSync(folder)
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
    .join('\n'),
);

describe("the console's documents", () => {
  it('ask only for what the schema has', () => {
    const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));
    expect(validate(schema, documents).map(({ message }) => message)).toEqual([]);
  });

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
    ['/', 'index.html'],
    ['/console', 'console.html'],
  ])('of %s is under 200 KB of compressed script', (_path, shell) => {
    const html = readFileSync(`dist/console/${shell}`, 'utf8');
    const scripts = [...html.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path);
    expect(scripts.length).toBeGreaterThan(0);
    const bytes = scripts.reduce((sum, path) => sum + statSync(`dist/console${path}.gz`).size, 0);
    expect(bytes).toBeLessThan(budgetBytes);
  });
});
