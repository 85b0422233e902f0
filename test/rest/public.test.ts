import { rollBack } from '../../src/releases/lifecycle/publish-release.js';
import { startApp, type TestApp } from '../harness/app.js';
import { type Answer, refusalOf } from '../harness/caller.js';
import { eventually } from '../harness/eventually.js';
import { publishRecords } from '../harness/records.js';
import { words } from '../harness/words.js';

const middlesex = '25017';
const middlesexRecords = 7;
const counties = 3233;
const massachusettsCounties = 14;

interface CountyRow {
  fips: string;
  state: string;
  status: string;
}

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await startApp({
    SUPPORT_EMAIL: 'help@parcels.example',
    TERMS_URL: 'https://parcels.example/terms',
    STATUS_URL: 'https://status.example',
  });
  other = await startApp({}, app);
  await publishRecords(app.db, middlesex, middlesexRecords);
  await app.db.query(`update county set status = 'unavailable' where fips in ('48301', '25001')`);
});

describe('GET /health', () => {
  it('tells anybody that the process is alive', async () => {
    const { status, text } = await app.get('/health');
    expect([status, text]).toEqual([200, '{"ok":true}']);
  });

  it('answers while customers hold every connection to the database', async () => {
    const held = await Promise.all(Array.from({ length: app.database.pool.options.max }, () => app.database.pool.connect()));
    expect((await app.get('/health')).status).toBe(200);
    expect((await app.get('/ready')).status).toBe(200);
    for (const client of held) client.release();
  });
});

it('shows the support address of the operator in the contract, in the docs and below every public page', async () => {
  for (const path of ['/openapi.json', '/docs/errors.md', '/', '/docs/errors']) {
    expect((await app.get(path, { headers: { accept: 'text/html' } })).text).toContain('help@parcels.example');
  }
});

it('links the operator’s own pages below every public page where they are set', async () => {
  const { text } = await app.get('/docs/errors', { headers: { accept: 'text/html' } });
  for (const link of ['href="https://parcels.example/terms"', 'href="https://status.example"']) expect(text).toContain(link);
  expect(text).not.toContain('Privacy</a>');
});

describe('GET /sitemap.xml', () => {
  const pathsOf = (text: string) => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => url!.replace(app.config.baseUrl, ''));

  it('lists the public pages, each canonical, with the time of publication and without places that have no records', async () => {
    const { status, headers, text } = await app.get('/sitemap.xml');
    const { loaded_at } = (await app.get(`/api/counties/${middlesex}`)).json;
    expect(text).toContain(`/counties/${middlesex}</loc><lastmod>${loaded_at}</lastmod>`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
    const paths = pathsOf(text);
    expect(paths).toEqual(expect.arrayContaining(['/', '/docs', '/docs/records', '/verify', '/proofs']));
    expect(paths.filter((path) => path.startsWith('/counties/'))).toEqual([`/counties/${middlesex}`]);
    expect(paths.filter((path) => path.startsWith('/?'))).toEqual(['/?state=MA']);
    for (const path of paths) {
      const page = await app.get(path, { headers: { accept: 'text/html' } });
      expect([page.status, page.text]).toEqual([
        200,
        expect.stringContaining(`<link rel="canonical" href="${app.config.baseUrl}${path}" />`),
      ]);
    }
  });

  it('is named by /robots.txt, which keeps search engines out of the API', async () => {
    const { text } = await app.get('/robots.txt');
    expect(text).toBe(`User-agent: *\nDisallow: /api\n\nSitemap: ${app.config.baseUrl}/sitemap.xml\n`);
  });
});

describe('GET /ready', () => {
  it('asks the database at most twice a second, however often it is asked', async () => {
    const { controlPool } = app.database;
    const asked = jest.spyOn(controlPool, 'query');
    const since = performance.now();
    // Longer than an answer is kept: the test before may have asked just now.
    for (let look = 0; look < 200 || performance.now() - since < 1_000; look++) expect((await app.get('/ready')).status).toBe(200);
    const halfSeconds = (performance.now() - since) / 500;
    const probes = asked.mock.calls.filter(([query]) => JSON.stringify(query).includes('from spend(')).length;
    expect(probes).toBeGreaterThan(0);
    expect(probes).toBeLessThanOrEqual(halfSeconds + 1);
  });

  it('answers 503 while no spend is possible, even if the database answers', async () => {
    const { release } = await app.db.hold('lock table credit_balance in access exclusive mode');
    await eventually('the last answer is out of date', async () => (await app.get('/ready')).status === 503);
    await release();
    await eventually('it is ready', async () => (await app.get('/ready')).status === 200);
  });
});

describe('GET /api/coverage', () => {
  it('counts counties and records of the country and of each state, by every status', async () => {
    const { status, json } = await app.get('/api/coverage');
    expect(status).toBe(200);
    expect(json.totals).toEqual({
      counties,
      parcels: middlesexRecords,
      by_status: { loaded: 1, loading: 0, planned: counties - 3, unavailable: 2 },
    });
    expect(json.states.find(({ state }: CountyRow) => state === 'MA')).toEqual({
      state: 'MA',
      counties: massachusettsCounties,
      parcels: middlesexRecords,
      by_status: { loaded: 1, loading: 0, planned: massachusettsCounties - 2, unavailable: 1 },
    });
  });

  it('lists each state once, by postal code, and the states add up to the totals', async () => {
    const { totals, states } = (await app.get('/api/coverage')).json;
    const sum = (of: (state: typeof totals) => number) => states.reduce((total: number, state: typeof totals) => total + of(state), 0);
    expect(sum((state) => state.counties)).toBe(totals.counties);
    expect(sum((state) => state.parcels)).toBe(totals.parcels);
    for (const status of ['loaded', 'loading', 'planned', 'unavailable']) {
      expect(sum((state) => state.by_status[status])).toBe(totals.by_status[status]);
    }
    const names = states.map(({ state }: CountyRow) => state);
    expect(names).toEqual([...new Set(names)].sort());
  });

  it.each(['gzip', 'deflate', 'br', 'identity'])('returns the same whole answer in %s', async (encoding) => {
    const plain = await app.get('/api/coverage', { headers: { 'accept-encoding': 'identity' } });
    const { text } = await app.get('/api/coverage', { headers: { 'accept-encoding': encoding } });
    expect(text).toBe(plain.text);
  });
});

describe.each(['/api/coverage', '/api/counties?state=MA', `/api/counties/${middlesex}`])('the tag of GET %s', (path) => {
  const tagOf = ({ headers }: Answer) => headers.get('etag')!;
  const getIfChanged = (tag: string, encoding = 'identity') =>
    app.get(path, { headers: { 'if-none-match': tag, 'accept-encoding': encoding } });

  it('saves a client that has the answer from reading it again', async () => {
    const first = await app.get(path);
    const tag = tagOf(first);
    for (const encoding of ['identity', 'gzip']) {
      const answer = await getIfChanged(`"other", ${tag}`, encoding);
      expect([answer.status, answer.text, tagOf(answer)]).toEqual([304, '', tag]);
    }
    expect((await getIfChanged('"other"')).text).toBe(first.text);
  });

  it('comes with a number that grows when its county is loaded and when that is rolled back', async () => {
    const version = async () => Number((await app.get(path)).headers.get('coverage-version'));
    const versions = [await version()];
    await publishRecords(app.db, middlesex, middlesexRecords + 1);
    versions.push(await version());
    await app.database.controlDataSource.transaction((manager) => rollBack(manager, middlesex));
    versions.push(await version());
    expect(versions).toEqual([...new Set(versions)].toSorted((one, other) => one - other));
    expect(versions[0]).toBeGreaterThan(0);
  });

  it('changes with the answer, at once and on every server', async () => {
    const before = await other.get(path);
    await publishRecords(app.db, middlesex, middlesexRecords + 1);
    const after = await other.get(path, { headers: { 'if-none-match': tagOf(before) } });
    expect(after.status).toBe(200);
    expect(tagOf(after)).not.toBe(tagOf(before));
    await publishRecords(app.db, middlesex, middlesexRecords);
    expect((await other.get(path)).json).toMatchObject(path === '/api/coverage' ? before.json : {});
  });
});

it('gives every address of the same answer the same body, whatever else it says', async () => {
  const answers = await Promise.all(
    ['?state=MA&limit=5', '?limit=5&state=MA', '?state=MA&limit=5&utm_source=mail', '?state=MA&limit=5'].map((query) =>
      app.get(`/api/counties${query}`),
    ),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect((await app.get('/api/counties?state=MA&limit=6')).text).not.toBe(answers[0]!.text);
});

describe('GET /api/counties', () => {
  const list = (query = '') => app.get(`/api/counties${query}`);
  const fipsOf = (json: { counties: CountyRow[] }) => json.counties.map(({ fips }) => fips);

  it('returns the first 100 by FIPS code, and how many there are', async () => {
    const { status, json } = await list();
    expect(status).toBe(200);
    expect(json).toMatchObject({ total: counties, limit: 100, offset: 0 });
    expect(json.counties).toHaveLength(100);
    expect(fipsOf(json)).toEqual(fipsOf(json).toSorted());
    expect(json.counties[0]).toEqual({
      fips: '01001',
      name: 'Autauga County',
      state: 'AL',
      status: 'planned',
      parcel_count: 0,
      source_date: null,
      loaded_at: null,
      area_share: null,
      part_names: null,
      license: null,
    });
  });

  it('tells what is loaded and how fresh it is', async () => {
    const { json } = await list('?status=loaded');
    expect(json.counties).toEqual([
      {
        fips: middlesex,
        name: 'Middlesex County',
        state: 'MA',
        status: 'loaded',
        parcel_count: middlesexRecords,
        source_date: '2014-01-31',
        loaded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        area_share: null,
        part_names: null,
        license: null,
      },
    ]);
  });

  it.each([
    ['?state=MA', massachusettsCounties],
    ['?state=ma', massachusettsCounties],
    ['?state=PR', 78],
    ['?state=ZZ', 0],
    ['?status=loaded', 1],
    ['?status=loading', 0],
    ['?status=planned', counties - 3],
    ['?status=unavailable', 2],
    ['?status=unavailable&state=MA', 1],
    ['?status=loaded&state=TX', 0],
  ])('filters %s to %i counties', async (query, total) => {
    const { json } = await list(`${query}&limit=1000`);
    expect(json.total).toBe(total);
    expect(json.counties).toHaveLength(Math.min(total, 1000));
  });

  it('shows every county once to a caller who pages through', async () => {
    const seen: string[] = [];
    for (let offset = 0; offset < counties; offset += 1000) seen.push(...fipsOf((await list(`?limit=1000&offset=${offset}`)).json));
    expect(seen).toHaveLength(counties);
    expect(seen).toEqual([...new Set(seen)].sort());
  });

  it.each([counties, counties + 1, 2147483647])('returns no rows from offset %i on, but still the total', async (offset) => {
    const { status, json } = await list(`?offset=${offset}`);
    expect([status, json.counties, json.total]).toEqual([200, [], counties]);
  });

  it('ignores parameters it does not know', async () => {
    expect((await list('?limit=1&name=x&limits=0')).json.counties).toHaveLength(1);
  });

  it.each<[query: string, rule?: string]>([
    ...words`
      status= status=LOADED status=loaded&status=planned status[]=loaded&status= state= state=M state=MA%0A state=MA&state=MA
      limit=0 offset=-1 offset=x offset=2147483648 offset=9007199254740993 offset=0&offset=0
    `.map((query): [string] => [query]),
    ...['1001', '2147483648', '9007199254740993', '99999999999999999999'].map((limit): [string, string] => [
      `limit=${limit}`,
      `must be 1000 or less, not "?${limit}"?`,
    ]),
    ['state=MAS', 'must be a two-letter state code, not "MAS"'],
  ])('answers 400 for %s, naming the parameter and its rule', async (query, rule = '.+') => {
    const { status, json } = await list(`?${query}`);
    expect([status, json.error]).toEqual([400, 'invalid_request']);
    expect(json.details).toEqual([{ parameter: /^[a-z]+/.exec(query)![0], message: expect.stringMatching(new RegExp(`^${rule}$`)) }]);
  });

  it('names every faulty parameter at once', async () => {
    expect(await refusalOf(list('?limit=x&offset=-1'))).toBe('400 invalid_request limit offset');
  });
});

describe('GET /api/counties/:fips', () => {
  it('returns the row of one county as the list has it', async () => {
    const { status, json } = await app.get(`/api/counties/${middlesex}`);
    expect(status).toBe(200);
    expect(json).toEqual((await app.get('/api/counties?status=loaded')).json.counties[0]);
  });

  it.each([
    ['no such county', '99999'],
    ['a county of old Connecticut', '09001'],
    ['a state', '25000'],
    ['four digits', '2501'],
    ['six digits', '250170'],
    ['letters', 'abcde'],
    ['digits of another script', encodeURIComponent('２５０１７')],
    ['a NUL character', '2501%00'],
    ['a line break behind', '25017%0A'],
    ['a slash within', '25%2F17'],
    ['SQL', encodeURIComponent("25017' or '1'='1")],
    ['a long text', 'x'.repeat(4000)],
    ['an object’s own property', '__proto__'],
  ])('answers 404 for %s', async (_what, fips) => {
    expect(await refusalOf(app.get(`/api/counties/${fips}`))).toBe('404 not_found');
  });
});

describe('the page of a county', () => {
  beforeAll(() => publishRecords(app.db, middlesex, 8));
  const headOf = async (path: string) => {
    const { status, text } = await app.get(path, { headers: { accept: 'text/html' } });
    const content = (name: string) => new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(text)?.[1];
    return { status, title: /<title>([^<]*)</.exec(text)?.[1], canonical: /<link rel="canonical" href="([^"]*)"/.exec(text)?.[1], content };
  };

  it('names the county, its records and a picture to programs that run no script', async () => {
    const { status, title, canonical, content } = await headOf(`/counties/${middlesex}?from=mail`);
    expect(status).toBe(200);
    expect(title).toBe('Middlesex County, MA parcel records – Parcel Records');
    expect(canonical).toBe(`${app.config.baseUrl}/counties/${middlesex}`);
    expect(content('description')).toMatch(/^8 parcel records of Middlesex County, MA/);
    expect([content('og:url'), content('og:title')]).toEqual([canonical, title]);
    const picture = await fetch(content('og:image')!);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  it('has a page of its state beside it, with the state’s number of records', async () => {
    const { status, title, canonical, content } = await headOf('/?state=ma&county=25017');
    expect([status, title]).toEqual([200, 'Massachusetts parcel records by county – Parcel Records']);
    expect(canonical).toBe(`${app.config.baseUrl}/?state=MA`);
    expect(content('description')).toMatch(/^8 parcel records of Massachusetts, from 1 of its 14 counties/);
    expect((await headOf('/?state=WY')).content('description')).toMatch(/^There are no parcel records of Wyoming yet/);
    expect((await headOf('/?state=XX')).canonical).toBe(`${app.config.baseUrl}/`);
  });

  it('loads its scripts and styles together with those of the shell', async () => {
    const { text } = await app.get(`/counties/${middlesex}`, { headers: { accept: 'text/html' } });
    const files = [...text.matchAll(/<(?:script|link)[^>]* (?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(new Set(files).size).toBe(files.length);
    expect(files.some((path) => /county-page.*\.js$/.test(path)) && files.some((path) => /county-page.*\.css$/.test(path))).toBe(true);
    expect(await Promise.all(files.map(async (path) => (await fetch(app.url + path)).status))).toEqual(files.map(() => 200));
  });

  it('says so when the county has no records', async () => {
    expect((await headOf('/counties/25001')).content('description')).toMatch(/^There are no parcel records of Barnstable County, MA/);
  });

  it.each(['99999', '2501', 'abcde', '__proto__'])('is 404 for %s', async (fips) => {
    expect((await headOf(`/counties/${fips}`)).status).toBe(404);
    expect((await app.get(`/page-data/counties/${fips}`)).status).toBe(404);
  });

  it('shows one record free of charge: the best filled of the first, without what may identify a person', async () => {
    const more = { owner_name: 'ADA EXAMPLE', mail_city: 'CONCORD', zoning: 'R1', geometry: { type: 'Polygon', coordinates: [] } };
    await app.db.query(
      `update parcel p set record = (record::jsonb || $2)::text from county c
        where c.fips = $1 and p.release_id = c.current_release_id and ordinal = 3`,
      [middlesex, more],
    );
    const { status, json } = await app.get(`/page-data/counties/${middlesex}`);
    expect(status).toBe(200);
    expect(json.county).toMatchObject({ fips: middlesex, parcelCount: 8, isSample: false, fullReadUsd: '59.00' });
    expect(json.sampleRecord.record).toMatchObject({ apn: 'APN-3', zoning: 'R1' });
    expect(json.sampleRecord.heldBack).toEqual(['owner_name', 'mail_city']);
    expect(JSON.stringify(json)).not.toMatch(/ADA EXAMPLE|CONCORD/);
    expect((await app.get(`/page-data/counties/${middlesex}`)).text).toBe(JSON.stringify(json));
  });

  it('says to the cent what the whole county costs', async () => {
    const costs = async (records: number) => {
      await app.db.query('update county set parcel_count = $2 where fips = $1', [middlesex, records]);
      return (await app.get(`/page-data/counties/${middlesex}`)).json.county.fullReadUsd;
    };
    expect([await costs(4000), await costs(4001), await costs(2_400_000_0)]).toEqual(['59.00', '59.05', '1199859.00']);
  });
});

describe('the counties of a ZIP code', () => {
  it.each([
    ['02139', ['25017']],
    ['79754', ['48301']],
    ['00000', []],
    ['2139', []],
    ['99999', []],
    ['abcde', []],
  ])('%s', async (zip, expected) => {
    const { status, json } = await app.get(`/page-data/zips/${zip}`);
    expect([status, json.countiesOfZip.map(({ fips }: CountyRow) => fips)]).toEqual([200, expected]);
  });
});
