import { createHash } from 'node:crypto';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { openSources } from '../../../src/loader/formats/open-source.js';
import type { SourceRow } from '../../../src/loader/formats/source-row.js';
import {
  checkSource,
  type FetchedSource,
  type FetchOptions,
  fetchSource,
  type SourceState,
} from '../../../src/loader/sources/fetching/county-source.js';
import { type Answer, ArcGisService, idsUpTo, parcel, type StandInLayer, sendJson } from '../../harness/arcgis-service.js';
import { temporaryFolder } from '../../harness/temporary-folder.js';

let service: ArcGisService;
let folder: string;
let options: FetchOptions;
let number = 0;

beforeAll(async () => {
  service = await ArcGisService.open();
  folder = await temporaryFolder();
});

beforeEach(() => {
  service.set({});
  number++;
  options = {
    log: pino({ level: 'silent' }),
    allowedPrivateHosts: [service.host],
    requestsPerSecond: 100_000,
    limits: { backoffMs: 1, tries: 3 },
  };
});

/** A directory for each test. */
const directory = (): string => join(folder, String(number));

const fetchLayer = (more: Partial<FetchOptions> = {}): Promise<FetchedSource> =>
  fetchSource({ url: service.url, protocol: 'arcgis' }, directory(), { ...options, ...more });

const check = (url = service.url): Promise<SourceState> => checkSource({ url, protocol: 'arcgis' }, options);

async function rowsOf({ path }: FetchedSource): Promise<SourceRow[]> {
  const [source] = await openSources([path]);
  const rows: SourceRow[] = [];
  for await (const batch of source!.read({ bytesRead: 0 })) rows.push(...batch);
  return rows;
}

/** The object ids of the fetched file, ascending. */
async function idsIn(fetched: FetchedSource): Promise<number[]> {
  return (await rowsOf(fetched)).map(({ properties }) => properties.OBJECTID as number).sort((a, b) => a - b);
}

async function expectAll(fetched: FetchedSource, ids = service.layer.ids): Promise<void> {
  expect(await idsIn(fetched)).toEqual(ids.toSorted((a, b) => a - b));
  expect(fetched.records).toBe(ids.length);
}

/** An answer to the question for object ids. */
const listing = (query: URLSearchParams, objectIds: number[]): Answer | null =>
  query.has('returnIdsOnly') ? (response) => sendJson(response, { objectIds }) : null;

/** Each page has other records. */
const endless = (query: URLSearchParams): Answer | null => {
  const from = Number(query.get('resultOffset'));
  return query.has('resultOffset')
    ? (response) => sendJson(response, { features: idsUpTo(500).map((id) => parcel(from + id)), exceededTransferLimit: true })
    : null;
};

const withStatus =
  (status: number, headers = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end('<html><title>Trouble</title></html>');

describe('a layer of an ArcGIS service', () => {
  it('becomes a file that the loader reads: every record, dates from milliseconds, and the coordinate system stated', async () => {
    const fetched = await fetchLayer();
    const [source] = await openSources([fetched.path]);
    expect(source).toMatchObject({ crs: 'EPSG:4326', warnings: [] });
    const [first] = await rowsOf(fetched);
    expect(first).toMatchObject({ fault: null, properties: { APN: 'P-1', SALE_DATE: '1975-07-04T05:00:00.000Z' } });
    expect(first!.geometry!.type).toBe('Polygon');
    await expectAll(fetched);
    expect(fetched).toMatchObject({ path: join(directory(), 'Parcels.json'), sourceDate: '2026-03-14', etag: null, notes: [] });
    expect(await readdir(directory())).toEqual(['Parcels.json']);
  });

  const [byPages, byRanges, byAreas] = ['by pages', 'by ranges of object ids', 'by areas'];
  const asked = (...questions: string[]) => `The server needed other questions than usual: ${questions.join(', ')}.`;
  const repeated = /^\d+ records arrived more than once/;
  const uncounted = /^The server does not count its records/;
  const [noList, noPages] = [{ hasIdList: false }, { hasIdList: false, paging: 'unsupported' as const }];
  const noRanges = { ...noPages, hasStatistics: false, hasRanges: false };
  const refusing = (...names: string[]) => ({
    refuses: (query: URLSearchParams) => names.some((name) => query.has(name) || query.toString().includes(name)),
  });

  // The server's manner, what is said of it, and at most how many pages it takes.
  it.each<[string, Partial<StandInLayer>, (string | RegExp)[], number?]>([
    ['lists object ids, even sparse and unordered ones', { ids: [900_000_001, 5, 70_000, 6, 8, ...idsUpTo(3)] }, [], 3],
    ['lists no ids', noList, [asked(byPages)], 3],
    ['has neither lists nor pages', { ...noPages, claimedRecords: 30 }, [asked(byRanges)], 2],
    ['has sparse ids in empty ranges', { ...noPages, ids: [...idsUpTo(12), 5000, 5001, 90_007, 2_000_000] }, [asked(byRanges)], 60],
    ['does not know its greatest id', { ...noPages, hasStatistics: false }, [asked(byRanges)]],
    ['ignores which ids are asked for', { ...noRanges }, [asked(byAreas), repeated]],
    ['cuts its areas and does not say so', { ...noRanges, saysCut: false, claimedRecords: 20, cap: 7 }, [asked(byAreas), repeated]],
    ['gives the first page again and again', { ...noList, paging: 'ignored' }, [asked(byRanges), repeated]],
    ['starts each page with the end of the one before', { ...noList, paging: 'overlapping' }, [asked(byPages), repeated]],
    ['gives fewer than it claims', { claimedRecords: 20, cap: 7 }, []],
    ['gives fewer than it claims, and does not say so', { claimedRecords: 20, cap: 7, saysCut: false }, []],
    ['gives pages of fewer than it claims', { ...noList, claimedRecords: 20, cap: 7, saysCut: false }, [asked(byPages)]],
    ['gives ranges of fewer than it claims', { ...noPages, claimedRecords: 20, cap: 7, saysCut: false }, [asked(byRanges)]],
    ['gives other records than those asked for', { hasRanges: false }, [asked(byPages), repeated]],
    ['cuts its list of object ids', { intercept: ({ query }) => listing(query, idsUpTo(10)) }, [asked(byPages)]],
    [
      'cuts its list and does not count',
      { counts: false, intercept: ({ query }) => listing(query, idsUpTo(10)) },
      [asked(byPages), uncounted],
    ],
    ['does not count', { counts: false }, [uncounted]],
    ['does not count, and has only pages', { ...noList, counts: false, hasStatistics: false }, [asked(byPages), uncounted]],
    ['packs its answers', { isGzipped: true }, []],
    ['refuses to count', refusing('returnCountOnly'), [uncounted]],
    ['refuses an order', refusing('orderByFields'), [asked('without an order')]],
    ['refuses an order and has no pages', { ...noPages, ...refusing('orderByFields') }, [asked(byRanges, 'without an order')]],
    ['refuses 1=1', { ...noList, ...refusing('1%3D1') }, [asked(byPages, 'where OBJECTID >= 0')]],
    ['refuses any condition but those of ids', { ...noList, ...refusing('1%3D1', '+0') }, [asked(byPages, 'where OBJECTID IS NOT NULL')]],
    [
      'refuses 1=1, an order, counts and statistics',
      { ...noPages, ...refusing('1%3D1', 'orderByFields', 'returnCountOnly', 'outStatistics') },
      [asked(byAreas, 'without an order', 'where OBJECTID >= 0'), uncounted, repeated],
    ],
  ])('is whole, each record once, although the server %s', async (_, layer, said, mostPages = 100) => {
    service.set(layer);
    const fetched = await fetchLayer();
    await expectAll(fetched);
    expect(fetched.notes).toEqual(said.map((note) => (typeof note === 'string' ? note : expect.stringMatching(note))));
    expect(service.pages.length).toBeLessThanOrEqual(mostPages);
  });

  it('of a state gives the records that the address asks for, also where a list, an order and pages are refused', async () => {
    for (const layer of [{}, { ...noPages, ...refusing('orderByFields') }]) {
      number++;
      service.set({ ...layer, ids: idsUpTo(40), claimedRecords: 5 });
      const url = `${service.url}/query?where=${encodeURIComponent('OBJECTID >= 11 AND OBJECTID <= 30')}`;
      expect(await idsIn(await fetchSource({ url, protocol: 'arcgis' }, directory(), options))).toEqual(idsUpTo(40).slice(10, 30));
    }
  });

  it('sends a secret to its own server only, and has it in no log, note or file', async () => {
    const logged: string[] = [];
    service.set({ ...noList, saysCut: false });
    const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
    const fetched = await fetchLayer({ log, headers: [`${service.host} X-Token: s3cret`, 'gis.example:443 X-Token: other'] });
    expect(new Set(service.asked.map(({ headers }) => headers['x-token']))).toEqual(new Set(['s3cret']));
    expect(JSON.stringify([logged, fetched, await readFile(fetched.path, 'utf8')])).not.toContain('s3cret');
  });

  it.each<[string, Partial<StandInLayer>, Partial<FetchOptions['limits']>, RegExp]>([
    ['never ends', { ...noList, intercept: ({ query }) => endless(query) }, {}, /records without an end: \d+, and counts 24/],
    ['fills the disk', {}, { diskBytes: 4_000 }, /^There is no disk space/],
  ])('that %s ends the fetch, and what had come is deleted', async (_, layer, limits, message) => {
    service.set(layer);
    await expect(fetchLayer({ limits: { ...options.limits, ...limits } })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(message),
    });
    await expect(readdir(directory())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each<[string, Answer]>([
    ['the status 403', withStatus(403)],
    ['an error', (response) => sendJson(response, { error: { code: 400, message: 'Invalid query' } })],
    ['an error of its own', (response) => sendJson(response, { error: { code: 500, message: 'Error performing query' } })],
  ])('that answers every query with %s is given up after few questions and waits', async (_, answer) => {
    const waits: number[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => waits.push(JSON.parse(line).waitMs ?? 0) });
    service.set({ intercept: ({ path }) => (path.endsWith('/query') ? answer : null) });
    await expect(fetchLayer({ log, limits: { backoffMs: 1 } })).rejects.toThrow(/403|Invalid query|Error performing query/);
    expect(service.asked.length).toBeLessThan(50); // four a second
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(12); // in seconds, by default
  });

  it('keeps different records of a view that have one object id, but not equal ones', async () => {
    const owners = (id: number) =>
      (id === 3 ? [1, 1, 2] : [1]).map((owner) => ({ attributes: { ...parcel(id).attributes, OWNER: owner } }));
    service.set({
      ids: idsUpTo(5),
      intercept: ({ query, ids }) => {
        if (query.get('returnCountOnly')) return (response) => sendJson(response, { count: 6 });
        return query.has('outFields') ? (response) => sendJson(response, { features: ids.flatMap(owners) }) : null;
      },
    });
    const fetched = await fetchLayer();
    expect(await idsIn(fetched)).toEqual([1, 2, 3, 3, 4, 5]);
    expect(fetched.notes).toEqual([asked(byPages!), '1 records arrived more than once and were kept once.']);
  });

  it('is refused if the server counts more records than it gives in any way', async () => {
    service.set({ hasIdList: false, paging: 'ignored', hasRanges: false, hasStatistics: false, description: { extent: undefined } });
    await expect(fetchLayer()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('counts 24 records, but returned 10'),
    });
  });
});

describe('a failing answer', () => {
  const failing = (times: number, answer: Answer): Partial<StandInLayer> => {
    let left = times;
    return { intercept: ({ query }) => (query.has('outFields') && left-- > 0 ? answer : null) };
  };
  it.each<[string, Answer]>([
    ['an error inside HTTP 200', (response) => sendJson(response, { error: { code: 500, message: 'Error performing query' } })],
    ['a web page with HTTP 200', (response) => response.end('<html><title>Maintenance</title></html>')],
    ['JSON that is cut', (response) => response.end('{"features":[{"attributes":{"OBJECTID":1')],
    ['a connection that breaks', (response) => response.socket!.destroy()],
    [
      'an answer that breaks',
      (response) => response.writeHead(200, { 'content-length': 1000 }).write('{"fea', () => response.socket!.destroy()),
    ],
    [
      'packed bytes that are cut',
      (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.from('1f8b0800', 'hex')),
    ],
    ['the status 429', withStatus(429, { 'retry-after': '0' })],
    ['the status 503', withStatus(503)],
    ['the status 408', withStatus(408)],
    ['the status 500', withStatus(500)],
    ['the status 504', withStatus(504)],
    ['silence', () => undefined],
  ])('such as %s costs nothing if the next one is right', async (_, answer) => {
    service.set(failing(1, answer));
    await expectAll(await fetchLayer({ limits: { ...options.limits, silenceMs: 300 } }));
  });

  it.each([408, 500, 503])('with the status %d before the first record is asked for again', async (status) => {
    let isFirst = true;
    service.set({
      intercept: () => {
        const answer = isFirst ? withStatus(status) : null;
        isFirst = false;
        return answer;
      },
    });
    await expectAll(await fetchLayer());
  });

  const overloaded = (retryAfter: string): Answer => withStatus(503, { 'retry-after': retryAfter });
  const tomorrow = new Date(Date.now() + 86_400_000).toUTCString();

  // What is waited before each further request, in milliseconds.
  it.each<[string, Partial<StandInLayer>, Partial<FetchOptions['limits']>, number[], object | null]>([
    ['twice as long each time', { intercept: () => withStatus(503) }, { tries: 5 }, [1, 2, 4, 8], {}],
    ['no longer than a fetch may wait', { intercept: () => withStatus(503) }, { tries: 50, waitMs: 6 }, [1, 2], {}],
    ['as long as Retry-After says', failing(1, overloaded('1')), {}, [1000], null],
    ['not at all if Retry-After is too far', failing(1, overloaded('86400')), {}, [], { retryAfterSeconds: 86_400 }],
    ['not at all if Retry-After is a date that is too far', failing(1, overloaded(tomorrow)), {}, [], {}],
    ['a little if the server was never right', { intercept: () => withStatus(500) }, { tries: 7 }, [1, 2], {}],
  ])('is waited for %s', async (_, layer, limits, waitsMs, fault) => {
    const told: number[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => told.push(JSON.parse(line).waitMs) });
    service.set(layer);
    const fetched = await fetchLayer({ log, limits: { ...options.limits, ...limits } }).catch((error) => error);
    if (fault === null) await expectAll(fetched);
    else expect(fetched).toMatchObject({ code: 'unavailable', ...fault });
    expect(told).toEqual(waitsMs);
  });

  it('that comes in drops for longer than an answer may take is broken off', async () => {
    service.set({
      intercept: () => (response) => {
        const drops = setInterval(() => response.write(' '), 5);
        response.on('close', () => clearInterval(drops));
      },
    });
    const limits = { ...options.limits, tries: 1, answerMs: 100 };
    await expect(fetchLayer({ limits })).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is asked for again once, and then for less', async () => {
    service.set({ intercept: ({ query, ids }) => (query.has('outFields') && ids.length > 3 ? withStatus(500) : null) });
    await expectAll(await fetchLayer({ limits: { backoffMs: 1, tries: 7 } }));
    const [first] = service.pages;
    expect(service.pages.filter((query) => query.get('where') === first!.get('where'))).toHaveLength(2);
  });

  it('over the shapes of more records than a few ends the fetch', async () => {
    service.set({ intercept: ({ query }) => (query.get('returnGeometry') === 'true' ? withStatus(500) : null) });
    await expect(fetchLayer()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The server fails on 11 or more records. Try again later.',
    });
  });

  it.each([498, 499])('that asks for a token (%d) is refused at once, clearly', async (code) => {
    service.set({ intercept: () => (response) => sendJson(response, { error: { code, message: 'Token Required' } }) });
    await expect(fetchLayer()).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('it requires a token') });
    expect(service.asked).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['refuses more than 3 at once', (response) => sendJson(response, { error: { code: 400, message: 'Unable to complete operation.' } })],
    ['fails at more than 3 at once', withStatus(500)],
    ['is cut off for more than 3 at once', (response) => response.end('{"features":[{')],
    ['is too large for more than 3 at once', (response) => sendJson(response, { features: [], padding: 'x'.repeat(10_000) })],
  ])('makes smaller ranges: a server that %s is read whole', async (_, answer) => {
    const layer: Partial<StandInLayer> = {
      intercept: ({ query, ids }) => (query.has('outFields') && ids.length > 3 ? answer : null),
    };
    for (const way of [{}, { hasIdList: false }, { hasIdList: false, paging: 'unsupported' as const }]) {
      service.set({ ...layer, ...way });
      number++;
      await expectAll(await fetchLayer({ limits: { ...options.limits, answerBytes: 9000 } }));
    }
  });

  it('over one shape leaves that record without it, and says which', async () => {
    service.set({
      intercept: ({ query, ids }) => (query.get('returnGeometry') === 'true' && ids.includes(17) ? withStatus(500) : null),
    });
    const fetched = await fetchLayer();
    await expectAll(fetched);
    expect((await rowsOf(fetched)).filter(({ geometry }) => geometry === null).map(({ properties }) => properties.OBJECTID)).toEqual([17]);
    expect(fetched.notes).toEqual([expect.stringMatching(/shapes of these records.*17/)]);
  });

  it('over one record of two thousand leaves it out and says so; over one of 24 it ends the fetch', async () => {
    const failsAt = (id: number, more: Partial<StandInLayer>): Partial<StandInLayer> => ({
      ...more,
      intercept: ({ query, ids }) => (query.has('outFields') && ids.includes(id) ? withStatus(500) : null),
    });
    service.set(failsAt(17, { ids: idsUpTo(2000), claimedRecords: 1000 }));
    const fetched = await fetchLayer();
    expect(fetched.records).toBe(1999);
    expect(fetched.notes).toEqual([
      expect.stringContaining('counts 2000 records, but returned 1999'),
      expect.stringMatching(/are missing: 17 \(1\)/),
    ]);
    number++;
    service.set(failsAt(17, {}));
    await expect(fetchLayer()).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('data that changes while it is fetched', () => {
  const again = 'The data changed while it was fetched, and was fetched again.';

  // What changes with each page, and what is said of it.
  it.each<[string, (layer: StandInLayer) => unknown, string[] | RegExp]>([
    ['once, is fetched again', (layer) => (layer.ids = idsUpTo(30)), [again]],
    ['again, is noted', (layer) => layer.lastEditDate!++, [again, 'It changed again, so some records may be older than others.']],
    ['again, by new records, fails', (layer) => (layer.ids = idsUpTo(layer.ids.length + 1)), /counts \d+ records, but returned/],
  ])('%s', async (_, change, said) => {
    service.set({
      intercept: ({ query }) => {
        if (query.has('outFields')) change(service.layer);
        return null;
      },
    });
    const fetched = await fetchLayer().catch((error) => error);
    if (said instanceof RegExp) return expect(fetched).toMatchObject({ code: 'unavailable', message: expect.stringMatching(said) });
    await expectAll(fetched);
    expect(fetched.notes).toEqual(said);
  });
});

describe('a fetch that was stopped', () => {
  const ways = [{}, { hasIdList: false }, { hasIdList: false, paging: 'unsupported' as const }];

  /** Fetches until two pages have come. */
  async function stopAfterTwoPages(layer: Partial<StandInLayer>): Promise<void> {
    service.set(layer);
    const stop = new AbortController();
    let pages = 0;
    const stopped = fetchLayer({ signal: stop.signal, onProgress: () => ++pages === 2 && stop.abort(new Error('stopped')) });
    await expect(stopped).rejects.toThrow('stopped');
    service.asked.length = 0;
  }

  it.each(ways)('continues after its last page (%j), to the same bytes', async (layer) => {
    service.set(layer);
    const whole = await fetchLayer();
    number++;
    await stopAfterTwoPages({ ids: service.layer.ids, ...layer });
    const fetched = await fetchLayer();
    await expectAll(fetched);
    expect(service.pages.filter((query) => query.get('outFields') === '*').length).toBeLessThanOrEqual(2);
    expect(await readFile(fetched.path)).toEqual(await readFile(whole.path));
    expect(fetched.sha256).toBe(whole.sha256);
    expect(fetched.sha256).toBe(
      createHash('sha256')
        .update(await readFile(fetched.path))
        .digest('hex'),
    );
  });

  it('continues with the last page that is whole on the disk', async () => {
    await stopAfterTwoPages({});
    const [part, list] = ['.records.part', '.records.pages'].map((name) => join(directory(), name));
    const bytes = await readFile(part!);
    bytes[bytes.length - 10]! ^= 1;
    await writeFile(part!, bytes);
    await appendFile(list!, '{"bytes":12');
    await expectAll(await fetchLayer());
    expect(service.pages.map((query) => query.get('where'))).toEqual([
      'OBJECTID >= 11 AND OBJECTID <= 20',
      'OBJECTID >= 21 AND OBJECTID <= 24',
    ]);
  });

  it('starts anew after a day: nothing says that the data is the same', async () => {
    await stopAfterTwoPages({});
    const list = join(directory(), '.records.pages');
    const dayAgo = Date.now() - 24 * 3_600_000 - 1000;
    await writeFile(list, (await readFile(list, 'utf8')).replace(/^\d+/, String(dayAgo)));
    await expectAll(await fetchLayer());
    expect(service.pages).toHaveLength(3);
  });

  it('continues although it was killed while it ended its file', async () => {
    await stopAfterTwoPages({});
    await appendFile(join(directory(), '.records.part'), '\n]}\n');
    await expectAll(await fetchLayer());
    expect(service.pages).toHaveLength(1);
  });

  it('stops at once while it waits for a busy server', async () => {
    const stop = new AbortController();
    service.set({
      intercept: () => (response) => {
        withStatus(503, { 'retry-after': '60' })(response);
        setImmediate(() => stop.abort(new Error('stopped')));
      },
    });
    await expect(fetchLayer({ signal: stop.signal })).rejects.toThrow('stopped');
  });

  it.each<[string, Partial<StandInLayer>]>([
    ['the data changed', { lastEditDate: Date.UTC(2026, 4, 1) }],
    ['the number of records changed', { ids: idsUpTo(25) }],
    ['the columns changed', { description: { fields: [{ name: 'OBJECTID', type: 'esriFieldTypeOID' }] } }],
  ])('starts anew if %s meanwhile', async (_, layer) => {
    await stopAfterTwoPages({});
    service.set(layer);
    await expectAll(await fetchLayer());
    expect(service.pages).toHaveLength(3);
  });
});

describe('what a layer says', () => {
  it('gives words for codes, also those of a kind of record, in a column beside', async () => {
    const codes = (...names: [unknown, string][]) => ({ type: 'codedValue', codedValues: names.map(([code, name]) => ({ code, name })) });
    service.set({
      ids: [1, 2],
      record: (id) => ({ attributes: { OBJECTID: id, USE_CODE: id === 1 ? 101 : null, KIND: id, ZONE: 'A', FLAG: 'Y' } }),
      description: {
        geometryType: undefined,
        fields: [
          { name: 'OBJECTID', type: 'esriFieldTypeOID' },
          { name: 'USE_CODE', type: 'esriFieldTypeInteger', domain: codes([101, 'Single family'], [102, 'Condominium']) },
          { name: 'KIND', type: 'esriFieldTypeInteger' },
          { name: 'ZONE', type: 'esriFieldTypeString', domain: codes(['A', 'Agriculture']) },
          { name: 'FLAG', type: 'esriFieldTypeString', domain: codes(['Y', 'Y'], ['N', 'N']) },
        ],
        typeIdField: 'kind',
        types: [
          { id: 1, name: 'Town', domains: { ZONE: { type: 'inherited' } } },
          { id: 2, name: 'Country', domains: { ZONE: codes(['A', 'Airport']) } },
        ],
      },
    });
    const [first, second] = await rowsOf(await fetchLayer());
    expect(first!.properties).toEqual({
      ...{ OBJECTID: 1, USE_CODE: 101, KIND: 1, ZONE: 'A', FLAG: 'Y' },
      ...{ USE_CODE_DESCRIPTION: 'Single family', KIND_DESCRIPTION: 'Town', ZONE_DESCRIPTION: 'Agriculture' },
    });
    expect(second!.properties).toMatchObject({ USE_CODE_DESCRIPTION: null, KIND_DESCRIPTION: 'Country', ZONE_DESCRIPTION: 'Airport' });
  });

  it('decides the coordinate system: its own, as precise as the server gives it', async () => {
    const position = [231_234.12345678901, 901_234.987654321];
    service.set({
      ids: [1],
      spatialReference: { wkid: 102_686, latestWkid: 2249 },
      record: () => ({ attributes: { OBJECTID: 1 }, geometry: { rings: [[position, [231_300, 901_234], [231_300, 901_200], position]] } }),
    });
    const fetched = await fetchLayer();
    const [source] = await openSources([fetched.path]);
    expect(source!.crs).toBe('EPSG:2249');
    expect(service.pages[0]!.get('outSR')).toBe('102686');
    expect(await readFile(fetched.path, 'utf8')).toContain(JSON.stringify(position));
  });

  it('keeps arcs, records without shapes, integers that no double holds, and NaN as no value', async () => {
    const arc = {
      curveRings: [
        [
          [0, 0],
          {
            c: [
              [2, 0],
              [1, 1],
            ],
          },
          [0, 0],
        ],
      ],
    };
    const records = [{ geometry: arc }, { geometry: null }, {}, { long: true }];
    service.set({
      ids: idsUpTo(4),
      intercept: ({ query }) => {
        const features = records.map(({ geometry }, i) => ({
          attributes: { OBJECTID: i + 1, PIN: 0 },
          ...(geometry !== undefined && { geometry }),
        }));
        const text = JSON.stringify({ features }).replaceAll('"PIN":0', '"PIN":12345678901234567890,"ACRES":NaN');
        return query.has('outFields') ? (response) => response.end(text) : null;
      },
    });
    const rows = await rowsOf(await fetchLayer());
    expect(rows.map(({ geometry }) => geometry?.type ?? null)).toEqual(['Polygon', null, null, null]);
    expect(rows[3]!.properties).toEqual({ OBJECTID: 4, PIN: '12345678901234567890', ACRES: null });
    expect(service.pages[0]!.get('returnTrueCurves')).toBe('false');
  });

  it.each<[string, string, object, RegExp]>([
    ['a whole service', '/..', {}, /is a whole service. Add the number of its layer: 0 \(Parcels\)/],
    ['an unknown path', '/../../Nothing/0', {}, /status 404: there is nothing/],
    ['no address', 'nonsense', {}, /must start with http/],
    ['a layer to look at', '', { capabilities: 'Map' }, /does not let anyone query its records/],
    ['a group', '', { fields: null, type: 'Group Layer' }, /is not a layer with records, but a Group Layer/],
  ])('is a plain refusal for %s', async (_, path, description, sentence) => {
    service.set({ description });
    const url = path === 'nonsense' ? path : new URL(`${service.url}${path}`).href;
    await expect(fetchSource({ url, protocol: 'arcgis' }, directory(), options)).rejects.toThrow(sentence);
    expect(await check(url)).toMatchObject({ answers: false, problem: expect.stringMatching(sentence) });
  });

  it('is a cheap check: the name, how many, how old', async () => {
    expect(await check(`${service.url}/query?f=json`)).toEqual({
      ...{ answers: true, problem: null, records: 24, changedAt: '2026-03-14', name: 'Parcels', bytes: null },
    });
    expect(service.asked).toHaveLength(2);
  });

  it('is a problem, not an exception, if the server fails', async () => {
    service.set({ intercept: () => withStatus(503) });
    expect(await check()).toMatchObject({ answers: false, problem: expect.stringContaining('503') });
  });
});

describe('requests', () => {
  it('come one at a time, no more a second than allowed', async () => {
    const startedAt = performance.now();
    await fetchLayer({ requestsPerSecond: 50 });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual((service.asked.length - 1) * 20 - 5);
  });

  it('tell how far the fetch is', async () => {
    const told: object[] = [];
    await fetchLayer({ onProgress: (done) => told.push({ ...done, bytes: done.bytes > 0 }) });
    expect(told).toEqual([10, 20, 24].map((records) => ({ records, total: 24, bytes: true })));
  });
});
