import { readdir, readFile, writeFile } from 'node:fs/promises';
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
import { ArcGisService, idsUpTo, parcel, sendJson } from '../../harness/arcgis-service.js';
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
});
