import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { buildSearchIndex, type SearchEntry, search } from '../../src/console/docs/search-index.js';
import { authPages, customerPages, operatorPages } from '../../src/console/pages.js';
import { statusOf } from '../../src/core/errors.js';
import { createLog } from '../../src/core/log.js';
import { docPages } from '../../src/docs/doc-pages.js';
import { type Example, examples } from '../../src/docs/examples.js';
import { errorsOf, type OpenApi, type ReferenceEntry, referenceEntries } from '../../src/docs/openapi.js';
import { answerOf, describeOperation } from '../../src/docs/operations.js';
import { type Language, languages } from '../../src/docs/programs.js';
import { requestCode } from '../../src/docs/request-code.js';
import { type DocsSource, sectionsOf } from '../../src/docs/sections.js';
import { loadSampleCounty } from '../../src/loader/sample-county.js';
import { docsTexts } from '../../src/rest/pages/docs-pages.js';
import { startApp, type TestApp } from '../harness/app.js';
import { onlyWith } from '../harness/only-with.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const run = promisify(execFile);

let app: TestApp;
let source: DocsSource;

beforeAll(async () => {
  app = await startApp();
  const contract: OpenApi = (await app.get('/openapi.json')).json;
  const plans = {
    trialPlan: { records: 50, lifetimeDays: 30 },
    paidPlan: { priceUsd: '59.00', includedRecords: 4000, overageUsd: '0.05' },
  };
  source = { contract, plans, texts: docsTexts() };
  await loadSampleCounty(app.database, createLog(app.config));
});

/** Runs a program as it stands in the docs, and returns its output. */
async function printedBy(language: Language, code: string, token: string): Promise<string> {
  const programs = { curl: ['sh', '-c'], javascript: [process.execPath, '--input-type=module', '-e'], python: ['python3', '-c'] } as const;
  const [program, ...args] = programs[language];
  const { stdout } = await run(program, [...args, code.replaceAll('$BASE_URL', app.config.baseUrl)], {
    env: { ...process.env, API_TOKEN: token },
    cwd: await temporaryFolder(),
  });
  return stdout.replaceAll('\r\n', '\n').trim();
}

/** The answer as the docs show it, where `…` may be anything. */
function quoteValue({ answer }: Example): RegExp {
  const parts = answer.replaceAll('$BASE_URL', app.config.baseUrl).split('…');
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')}$`);
}

/** An answer with the values of an example, wherever both have a value of the same type. What a county does not publish is null. */
function withValuesOf(example: unknown, answer: unknown): unknown {
  if (answer === null || example === null) return example;
  if (typeof answer !== 'object' || typeof example !== 'object') return typeof answer === typeof example ? example : answer;
  if (Array.isArray(answer) && typeof answer[0] !== 'object') return example; // of a geometry
  const fields = Object.entries(answer).map(([name, value]) => [name, withValuesOf((example as Record<string, unknown>)[name], value)]);
  return Array.isArray(answer) ? fields.map(([, value]) => value) : Object.fromEntries(fields);
}

describe('the sample county', () => {
  it('is no coverage on the pages, though its records can be read and are counted as its row says', async () => {
    const { totals, states } = (await app.get('/page-data/home')).json.coverage;
    expect(totals).toMatchObject({ parcels: 0, byStatus: { loaded: 0, planned: totals.counties - 1, sample: 1 } });
    expect(states.find(({ state }: { state: string }) => state === 'TX')).toMatchObject({
      counties: 254,
      parcels: 0,
      byStatus: { loaded: 0, planned: 253, sample: 1 },
    });
    const ofApi = (await app.get('/api/coverage')).json.totals;
    expect(ofApi).toMatchObject({ parcels: 300, by_status: { loaded: 1 } });
    expect(Object.keys(ofApi.by_status)).toEqual(['loaded', 'loading', 'planned', 'unavailable']);
    expect((await app.get('/api/counties/48301')).json).toMatchObject({ status: 'loaded', parcel_count: 300 });
  });

  it('is marked as one', async () => {
    const person = await app.signUp();
    const isSample = async (fips: string) => (await person.ask(`{ county(fips: "${fips}") { isSample } }`)).county.isSample;
    expect([await isSample('48301'), await isSample('25017')]).toEqual([true, false]);
  });
});

describe('the errors of the docs', () => {
  // Codes that no API customer can meet.
  const internalOnes = ['bad_signature', 'subscription_required', 'conflict', 'not_configured'];

  it('name every code that a customer can meet, with its status, and what to do', () => {
    const expected = Object.entries(statusOf).filter(([code]) => !internalOnes.includes(code));
    const errors = errorsOf(source.contract);
    expect(Object.fromEntries(errors.map(({ code, status }) => [code, status]))).toEqual(Object.fromEntries(expected));
    expect(errors.filter(({ meaning, cure }) => !/\.$/.test(meaning) || !/\.$/.test(cure))).toEqual([]);
  });
});

const manifest = (): Record<string, { file: string; assets?: string[] }> =>
  JSON.parse(readFileSync('dist/console/.vite/manifest.json', 'utf8'));

/** The scripts that the HTML of a page names: all that are needed for its first content. */
async function scriptsOf(path: string): Promise<string[]> {
  const { text } = await app.get(path, { headers: { accept: 'text/html' } });
  return [...text.matchAll(/(?:modulepreload" crossorigin href|<script type="module" crossorigin src)="\/([^"]+)"/g)].map(
    ([, file]) => file!,
  );
}

describe('the HTML of a page', () => {
  it.each<[path: string, part: string, leastKb: number, mostKb: number]>([
    // Public pages, and the ways in.
    ['/', 'visitor/home-page.tsx', 50, 120],
    ['/docs', 'docs/docs-page.tsx', 50, 120],
    ['/docs/records', 'docs/docs-page.tsx', 50, 120],
    ['/verify', 'verify/verify-page.tsx', 50, 120],
    ['/proofs', 'verify/proofs-page.tsx', 50, 120],
    ['/counties/25017', 'visitor/county-page.tsx', 50, 120],
    ...authPages.map(({ path, file, isRendered }) => [path, file, 50, isRendered ? 120 : 180] as [string, string, number, number]),
    ...[...customerPages, ...operatorPages].map(
      ({ path, file }) => [path.replace(/:\w+/, '1'), file, 100, 180] as [string, string, number, number],
    ),
  ])('of %s asks at once for the script %s, and for %d to %d KB of compressed scripts', async (path, part, leastKb, mostKb) => {
    const scripts = await scriptsOf(path);
    expect(scripts).toContain(manifest()[part]!.file);
    const bytes = scripts.reduce((sum, file) => sum + statSync(`dist/console/${file}.br`).size, 0);
    expect(bytes).toBeGreaterThan(leastKb * 1000);
    expect(bytes).toBeLessThan(mostKb * 1000);
  });
});

describe('the shapes of counties', () => {
  const files = Object.values(manifest())
    .flatMap(({ assets = [] }) => assets)
    .filter((file) => file.includes('-shapes'));
  const bytes = (pattern: RegExp) =>
    [...new Set(files)].filter((file) => pattern.test(file)).map((file) => statSync(`dist/console/${file}.br`).size);

  it('of the whole country leave out no county, however small', () => {
    const [file] = files.filter((each) => /county-shapes/.test(each));
    const { counties }: { counties: [fips: string, name: string, path: string, x: number, y: number, ...bounds: number[]][] } = JSON.parse(
      readFileSync(`dist/console/${file}`, 'utf8'),
    );
    expect(counties.length).toBeGreaterThan(3_100);
    const unseen = counties.filter(([, , path, , , left, top, right, bottom]) => path === '' || left === right || top === bottom);
    expect(unseen.map(([fips, name]) => [fips, name])).toEqual([]);
  });

  it('of the whole country are at most 120 KB', () => {
    expect(bytes(/county-shapes/)).toEqual([expect.any(Number)]);
    expect(bytes(/county-shapes/)[0]).toBeLessThan(120_000);
  });

  it('of each state are at most 45 KB, most of them 16', () => {
    const sizes = bytes(/state-shapes/);
    expect(sizes).toHaveLength(51);
    expect(sizes.filter((size) => size > 45_000)).toEqual([]);
    expect(sizes.filter((size) => size > 16_000).length).toBeLessThan(sizes.length / 2);
  });
});

const isThere: Record<Language, boolean> = { curl: true, javascript: true, python: spawnSync('python3', ['--version']).status === 0 };

describe.each(languages)('the examples of the docs in %s, run one after the other', (language) => {
  let trial: string;
  beforeAll(async () => {
    trial = await app.trialToken();
  });

  onlyWith(isThere[language], `no ${language}`).test.each(Object.entries(examples))('%s prints what is shown', async (name, example) => {
    if (name === 'idempotency') expect(await printedBy(language, example.codes[language], trial)).toContain('"credits_charged":1,');
    const printed = await printedBy(language, example.codes[language], trial);
    expect(printed).toMatch(quoteValue(example));
    const whole = answerOf(source.contract, example);
    if (whole) expect(withValuesOf(whole, JSON.parse(printed))).toEqual(whole);
  });
});

it('every request that the pages of accounts show is answered as they say, in their order, and none signs out those behind it', async () => {
  const cwd = await temporaryFolder();
  const pageNamed = (name: string) => docPages.find((page) => page.name === name)!;
  const operations = ['authentication', 'tokens'].flatMap((name) =>
    sectionsOf(pageNamed(name), source).flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'operation' ? [block.entry] : [])),
    ),
  );
  const isLast = ({ operation }: ReferenceEntry) => operation.tags!.includes('Leaving');
  const send = async (entry: ReferenceEntry, password: string) => {
    const { request } = describeOperation(source.contract, entry);
    const code = request.curl!.replace('curl -s', "curl -s -w '\\n%{http_code}'").replaceAll('$BASE_URL', app.config.baseUrl);
    const { stdout } = await run('sh', ['-c', code.replace('"correct horse battery"}', `"${password}"}`)], { cwd });
    const [body, status] = stdout.split(/\n(?=\d+$)/) as [string, string];
    expect([entry.id, Object.keys(entry.operation.responses), body]).toEqual([entry.id, expect.arrayContaining([status]), body]);
    expect([entry.id, body]).toEqual([entry.id, expect.not.stringContaining('"unauthenticated"')]);
  };
  for (const entry of operations.filter((one) => !isLast(one))) await send(entry, 'correct horse battery');
  const signIn = operations.find(({ id }) => id === 'signInEmail')!;
  // The password is the one that a sample has chosen meanwhile.
  for (const entry of operations.filter(isLast)) for (const one of [signIn, entry]) await send(one, 'another staple');
});

it.each(languages.filter((language) => isThere[language]))(
  'a request in %s sends a header whose value has quotes as it stands',
  async (language) => {
    const token = await app.trialToken();
    const key = `it's-"quoted"-\\-$HOME-\`x\``;
    await app.get('/api/parcels?limit=1', { token, headers: { 'Idempotency-Key': key } });
    const request = { path: '/api/parcels?limit=1', headers: { 'Idempotency-Key': key }, prints: 'Idempotency-Replayed' };
    expect(await printedBy(language, requestCode(request)[language], token)).toBe('Idempotency-Replayed: true');
  },
);

describe('the search of the docs', () => {
  let index: SearchEntry[];
  beforeAll(() => {
    index = buildSearchIndex(source);
  });
  const found = (text: string) => search(index, text).map(({ href }) => href);

  it.each([
    ['land_value', '/docs/fields#record-land_value'],
    ['US dollars', '/docs/fields#record-land_value'],
    ['exhausted', '/docs/errors#error-exhausted'],
    ['422', '/docs/errors#error-idempotency_key_reused'],
    ['idempotency', '/docs/records#idempotency'],
    ['/api/parcels', '/docs/records#parcels'],
    ['trial', '/docs/tokens#issueTrialToken'],
    ['offset', '/docs/counties#counties-offset'],
    ['without uploading', '/docs/metering#receipts-and-proofs'],
    ['unused records expire', '/docs/metering'],
  ])('finds %s', (text, href) => {
    expect(found(text)).toContain(href);
  });

  it('finds nothing for nothing, and for what is not there', () => {
    expect([found(' '), found('no such thing at all')]).toEqual([[], []]);
  });
});

describe('the docs', () => {
  it('say what each parameter and field means, and each answer in a sentence', () => {
    const operations = referenceEntries(source.contract).map((entry) => describeOperation(source.contract, entry));
    const fields = operations.flatMap(({ name, parameters, body, answers }) =>
      [...parameters, ...body, ...answers.flatMap((answer) => answer.fields)].map(
        (field) => `${name} ${field.name}: ${field.meaning ?? ''}`,
      ),
    );
    const sentences = operations.flatMap(({ name, description, answers }) =>
      [description, ...answers.map((answer) => answer.description)].map((sentence) => `${name}: ${sentence}`),
    );
    expect(fields.length).toBeGreaterThan(150);
    expect([...fields, ...sentences].filter((text) => !/: [A-Z`0-9*].+\.$/s.test(text))).toEqual([]);
  });
});

describe('the docs as Markdown', () => {
  it.each(docPages.map(({ name, title }) => [name, title]))(
    'have the page %s, which the list for language models names',
    async (name, title) => {
      const { status, headers, text } = await app.get(`/docs/${name}.md`);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(text).toContain(`# ${title}\n`);
      expect(text).not.toMatch(/\{\{|\$BASE_URL|undefined|\[object/);
      const page = docPages.find((each) => each.name === name)!;
      const html = (await app.get(page.path, { headers: { accept: 'text/html' } })).text;
      expect(html).toContain(`<link rel="alternate" type="text/markdown" href="${app.config.baseUrl}/docs/${name}.md" />`);
      expect((await app.get('/llms.txt')).text).toContain(`[${title}](${app.config.baseUrl}/docs/${name}.md)`);
    },
  );

  it('name every operation of the contract once', async () => {
    const texts = await Promise.all(docPages.map(async ({ name }) => (await app.get(`/docs/${name}.md`)).text));
    const named = [...texts.join('').matchAll(/^#+ ((?:GET|POST) \S+)$/gm)].map(([, operation]) => operation!);
    const operations = Object.entries(source.contract.paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => /^(get|post)$/.test(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(named.sort()).toEqual(operations.sort());
  });

  it('lead only to what is there', async () => {
    for (const { name } of docPages) {
      const { text } = await app.get(`/docs/${name}.md`);
      for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        const { status } = await app.get(new URL(target!, `${app.config.baseUrl}/docs/${name}.md`).pathname);
        expect([target, status]).toEqual([target, 200]);
      }
    }
  });
});
