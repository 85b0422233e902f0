import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { errorRows } from '../../src/console/docs/error-rows.js';
import { type Example, examples } from '../../src/console/docs/examples.js';
import { generateOperations } from '../../src/console/graphql/generate.js';
import { statusOf } from '../../src/errors.js';
import { loadSampleCounty } from '../../src/loader/sample-county.js';
import { createLog } from '../../src/log.js';
import { startApp, type TestApp } from '../harness/app.js';
import { eventually } from '../harness/eventually.js';

const run = promisify(execFile);

let app: TestApp;
let token: string;

beforeAll(async () => {
  app = await startApp();
  await loadSampleCounty(app.database, createLog(app.config));
  await eventually('the server knows the release', async () => (await app.get('/api/counties?status=loaded')).json.total === 1);
  token = await app.trialToken();
});

async function answerTo({ command }: Example): Promise<string> {
  const { stdout } = await run('sh', ['-c', command.replaceAll('$BASE_URL', app.config.baseUrl)], {
    env: { ...process.env, API_TOKEN: token },
  });
  return stdout.replaceAll('\r\n', '\n').trim();
}

/** The answer as the docs show it, where `…` may be anything. */
function quoteValue({ answer }: Example): RegExp {
  const parts = answer.replaceAll('$BASE_URL', app.config.baseUrl).split('…');
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')}$`);
}

describe("the console's documents", () => {
  it('have types that are up to date (node src/console/graphql/generate.js)', async () => {
    expect(readFileSync('src/console/graphql/operations.ts', 'utf8')).toBe(await generateOperations());
  });
});

describe('the sample county', () => {
  it('is no coverage on the pages, though its records can be read and are counted as its row says', async () => {
    const { totals, states } = (await app.get('/page-data/home')).json.coverage;
    expect(totals).toMatchObject({ parcels: 0, byStatus: { loaded: 0, planned: totals.counties } });
    expect(states.find(({ state }: { state: string }) => state === 'TX')).toMatchObject({ parcels: 0, byStatus: { loaded: 0 } });
    expect((await app.get('/api/coverage')).json.totals).toMatchObject({ parcels: 300, by_status: { loaded: 1 } });
    expect((await app.get('/api/counties/48301')).json).toMatchObject({ status: 'loaded', parcel_count: 300 });
  });

  it('is marked as one', async () => {
    const person = await app.signUp();
    const isSample = async (fips: string) => (await person.ask(`{ county(fips: "${fips}") { isSample } }`)).county.isSample;
    expect([await isSample('48301'), await isSample('25017')]).toEqual([true, false]);
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

describe('the examples of the docs, run in a shell one after the other', () => {
  it.each(Object.entries(examples))('%s is answered as shown', async (name, example) => {
    if (name === 'idempotency') await answerTo(example).catch(() => 'grep finds nothing the first time');
    expect(await answerTo(example)).toMatch(quoteValue(example));
  });
});
