import { type LoadRequest, type LoadSummary, loadCounty } from '../../src/loader/load-county.js';
import { readAttributes } from '../../src/parcels/attributes.store.js';
import { startApp, type TestApp } from '../harness/app.js';
import { nextOf } from '../harness/caller.js';
import { collection, feature, type Scratch, scratch, square } from '../loader/files.js';

// What a county costs again once it was loaded again: pages are asked for with the ETags of the walk before.

const middlesex = '25017';
const pageSize = 10;

let app: TestApp;
let files: Scratch;
let token: string;
let written = 0;
beforeAll(async () => {
  app = await startApp();
  files = await scratch();
  token = await app.paidToken();
});

interface Parcel {
  apn: string;
  owner: string;
  unit?: string;
  /** A column that no field takes. */
  route: string;
  at: number;
}

const parcels = (count: number): Parcel[] =>
  Array.from({ length: count }, (_, at) => ({ apn: `10-${at}`, owner: `OWNER ${at}`, route: `R${at}`, at }));

async function load(list: Parcel[], options: LoadRequest['options'] = {}): Promise<LoadSummary> {
  const features = list.map(({ apn, owner, unit, route, at }) =>
    feature({ APN: apn, OWNER: owner, ADDRESS: `${at + 1} MAIN ST${unit ? ` UNIT ${unit}` : ''}`, TRASH_ROUTE: route }, square(at)),
  );
  const path = await files.write(`year-${++written}.geojson`, collection(features));
  const accept = ['loss', 'ids', 'places', 'spread', 'values', 'parts', 'empty'];
  return loadCounty({ database: app.db, county: middlesex, files: [path], options: { accept, ...options } });
}

interface Page {
  tag: string;
  status: number;
  parcels: Record<string, unknown>[];
}

/** Walks through the county. With the tags of an earlier walk, only what has changed is sent and charged. */
async function walk(tags: string[] = []): Promise<Page[]> {
  const pages: Page[] = [];
  for (let path: string | undefined = `/api/parcels?county_fips=${middlesex}&limit=${pageSize}`; path; ) {
    const headers: Record<string, string> = tags[pages.length] ? { 'if-none-match': tags[pages.length]! } : {};
    const answer = await app.get(path, { token, headers });
    pages.push({ tag: answer.headers.get('etag')!, status: answer.status, parcels: answer.status === 200 ? answer.json.parcels : [] });
    path = nextOf(answer);
  }
  return pages;
}

const tagsOf = (pages: Page[]) => pages.map(({ tag }) => tag);
const statuses = (pages: Page[]) => pages.map(({ status }) => status);
const current = () => app.db.value<number>('select current_release_id from county where fips = $1', [middlesex]);

const expectSoundBooks = async () => expect(await app.brokenBooks()).toEqual([]);

describe('A county that is loaded again', () => {
  const before = parcels(95);
  let first: LoadSummary;
  let pages: Page[];
  beforeEach(async () => {
    first = await load(before, { republish: true });
    pages = await walk();
  });

  it.each([
    ['from the same file', (list: Parcel[]) => list],
    ['from a file in another order', (list: Parcel[]) => list.toReversed()],
  ])('%s publishes nothing, and no page is charged again', async (_, change) => {
    const again = await load(change(before), { source: 'Next year', sourceDate: '2026-01-31' });
    expect(again).toMatchObject({ state: 'unchanged', loaded: 95, report: { comparison: { unchanged: 95, changed: 0 } } });
    expect(await current()).toBe(first.releaseId);
    expect(statuses(await walk(tagsOf(pages)))).toEqual(pages.map(() => 304));
    expect(await app.db.value('select count(*)::integer from parcel where release_id = $1', [again.releaseId])).toBe(0);
    await expectSoundBooks();
  });

  it('says when it was last checked, and against data of which day', async () => {
    const release = async () => (await app.get(`/page-data/counties/${middlesex}`)).json.county.release;
    expect(await release()).toMatchObject({ checkedAt: null, checkedSourceDate: null });
    const { releaseId } = await load(before, { sourceDate: '2026-01-31' });
    const at = await app.db.value<Date>('select ended_at from parcel_release where id = $1', [releaseId]);
    expect(await release()).toMatchObject({ checkedAt: at.toISOString(), checkedSourceDate: '2026-01-31' });
    await load(before, { republish: true });
    expect(await release()).toMatchObject({ checkedAt: null });
  });

  it('is published without a change if an operator wants it, and its pages keep their ETags', async () => {
    const again = await load(before, { republish: true, source: 'Corrected name' });
    expect([again.state, await current()]).toEqual(['published', again.releaseId]);
    expect(statuses(await walk(tagsOf(pages)))).toEqual(pages.map(() => 304));
  });

  it('is published if only a column outside the fields has changed, and its pages keep their ETags', async () => {
    const again = await load(before.map((parcel, i) => (i === 3 ? { ...parcel, route: 'NEW' } : parcel)));
    expect(again.state).toBe('published');
    expect(statuses(await walk(tagsOf(pages)))).toEqual(pages.map(() => 304));
    const [attributes] = await readAttributes(app.database.pool, [{ releaseId: again.releaseId, first: 4, count: 1 }]);
    expect(attributes).toEqual({ TRASH_ROUTE: 'NEW' });
  });

  it('charges for the page of a changed record only', async () => {
    await load(before.map((parcel, i) => (i === 34 ? { ...parcel, owner: 'SOMEBODY ELSE' } : parcel)));
    expect(statuses(await walk(tagsOf(pages)))).toEqual(pages.map((_, i) => (i === 3 ? 200 : 304)));
  });

  it('puts a new record in the place of one that is gone, or else at the end, wherever it stands in the file', async () => {
    const added: Parcel = { apn: '99-1', owner: 'ADA', route: 'R', at: 200 };
    await load([added, ...before.filter((_, i) => i !== 50)]);
    const replaced = await walk(tagsOf(pages));
    expect(statuses(replaced)).toEqual(pages.map((_, i) => (i === 5 ? 200 : 304)));
    expect(replaced[5]!.parcels[0]).toMatchObject({ apn: '99-1' });
    await load([{ ...added, apn: '99-2', at: 201 }, added, ...before.filter((_, i) => i !== 50)]);
    const appended = await walk(tagsOf(replaced));
    expect(statuses(appended)).toEqual(pages.map((_, i) => (i === 9 ? 200 : 304)));
    expect(appended[9]!.parcels.at(-1)).toMatchObject({ apn: '99-2' });
    await expectSoundBooks();
  });

  it('leaves an unchanged town alone beside one that changed', async () => {
    await load(before.slice(0, 40), { part: 'east', republish: true });
    await load(before.slice(40), { part: 'west', republish: true });
    const towns = await walk();
    expect((await load(before.slice(40), { part: 'west' })).state).toBe('unchanged');
    expect(
      (
        await load(
          before.slice(0, 40).map((parcel, i) => (i === 5 ? { ...parcel, owner: 'X' } : parcel)),
          { part: 'east' },
        )
      ).state,
    ).toBe('published');
    expect(statuses(await walk(tagsOf(towns)))).toEqual(towns.map((_, i) => (i === 0 ? 200 : 304)));
    await expectSoundBooks();
  });

  it('can be kept current by a client that buys only what has changed', async () => {
    const copy = new Copy();
    expect(await copy.refresh()).toBe(before.length);
    expect(await copy.refresh()).toBe(0);
    const added: Parcel = { apn: '99-1', owner: 'ADA', route: 'R', at: 200 };
    const changed = before.map((parcel, i) => (i % 30 === 7 ? { ...parcel, owner: `HEIR OF ${i}` } : parcel));
    await load([added, ...changed.filter((_, i) => i !== 50 && i !== 51)]);
    // Three other owners, and a new record in the place of one that is gone, and the last one, which moved into the other gap, but is the same.
    expect(await copy.refresh()).toBe(4);
    const all = (await walk()).flatMap((page) => page.parcels);
    expect(copy.content()).toEqual(all.map(contentOf).toSorted());
    await expectSoundBooks();
  });

  it('tells the buyer of a record whether it is still the same', async () => {
    const ada = await app.signUp();
    const rawToken = await app.paidToken(ada.id);
    const { json } = await app.get(`/api/parcels?county_fips=${middlesex}&limit=5`, { token: rawToken });
    const states = async () =>
      (await ada.ask('query ($id: ID!) { entryRecords(id: $id) { states } }', { id: json.metering.ledger_entry_id })).entryRecords.states;
    expect(await states()).toEqual(Array(5).fill('unchanged'));
    const moved = [...before.slice(1).map((parcel, i) => (i === 1 ? { ...parcel, owner: 'X' } : parcel)), { ...before[0]!, apn: '9-9' }];
    await load(moved, { republish: true });
    expect(await states()).toEqual(['gone', 'unchanged', 'changed', 'unchanged', 'unchanged']);
    for (const list of [before, before.toReversed()]) {
      await load(list, { republish: true });
      expect(await states()).toEqual(Array(5).fill('unchanged'));
    }
  });

  it('has different digests and tags for each account, the same on every server, so that nobody finds out contents by trying', async () => {
    const other = await startApp({}, app);
    const stranger = await app.paidToken();
    const seen = async (server: TestApp, by: string, limit: number) => {
      const { headers } = await server.call('HEAD', `/api/parcels?county_fips=${middlesex}&limit=${limit}`, { token: by });
      return [headers.get('etag')!, ...headers.get('record-digests')!.split(',')];
    };
    for (const limit of [1, 5]) {
      const own = await seen(app, token, limit);
      expect(await seen(other, token, limit)).toEqual(own);
      const theirs = await seen(app, stranger, limit);
      expect(theirs.filter((text) => own.includes(text))).toEqual([]);
      const kept = await app.db.value<string>(`select encode(content_digests, 'hex') from parcel_release where id = $1`, [await current()]);
      const inHex = [...own, ...theirs].map((text) => Buffer.from(text.replace(/^W\/"|"$/g, ''), 'base64url').toString('hex'));
      expect(inHex.filter((hex) => kept.includes(hex))).toEqual([]);
    }
    await other.close();
  });

  it('lists no digests for more than a hundred records', async () => {
    for (const [limit, listed] of [
      [95, 95],
      [100, 95],
    ] as const) {
      const { headers } = await app.call('HEAD', `/api/parcels?county_fips=${middlesex}&limit=${limit}`, { token });
      expect(headers.get('record-digests')!.split(',')).toHaveLength(listed);
    }
    await load(parcels(150));
    const { headers } = await app.call('HEAD', `/api/parcels?county_fips=${middlesex}&limit=101`, { token });
    expect(headers.get('record-digests')).toBeNull();
  });

  it('keeps each unchanged record in its place with its own attributes, whatever else a file changes', async () => {
    const unit = (number: number): Parcel => ({ apn: '10-7', owner: `UNIT ${number}`, unit: `${number}`, route: `U${number}`, at: 7 });
    await load([...before, unit(1), unit(2), unit(3)], { republish: true });
    const placeOf = await places();
    const changed = before.map((parcel, i) => (i % 9 === 4 ? { ...parcel, owner: `HEIR OF ${i}` } : parcel));
    const added = [0, 1].map((i) => ({ apn: `88-${i}`, owner: `NEW ${i}`, route: `A${i}`, at: 100 + i }));
    for (const list of [
      [...changed.slice(0, 20), ...added, unit(9), ...changed.slice(23), unit(3), unit(2)],
      [unit(1), ...changed.slice(40), ...added, ...changed.slice(0, 7)],
    ]) {
      const { releaseId } = await load(list.toReversed());
      const now = await places();
      const ordinals = [...now.values()].map(({ ordinal }) => ordinal).toSorted((a, b) => a - b);
      expect(ordinals).toEqual(Array.from({ length: list.length }, (_, i) => i + 1));
      const attributes = await readAttributes(app.database.pool, [{ releaseId, first: 1, count: list.length }]);
      for (const [id, { ordinal, record }] of now) {
        const old = placeOf.get(id);
        if (old && old.ordinal <= now.size) expect([record.owner_name, ordinal]).toEqual([record.owner_name, old.ordinal]);
        const { route } = list.find(({ owner, apn }) => owner === record.owner_name && apn === record.apn)!;
        expect([record.owner_name, attributes[ordinal - 1]]).toEqual([record.owner_name, { TRASH_ROUTE: route }]);
      }
      await load([...before, unit(1), unit(2), unit(3)], { republish: true });
    }
    await expectSoundBooks();
  });
});

const contentOf = ({ source, source_date, release_id, ...content }: Record<string, unknown>): string => JSON.stringify(content);

/** A customer's copy of the county, with the digest of each record. */
class Copy {
  private records = new Map<string, Record<string, unknown>>();

  /** Brings it up to date. @returns how many records that cost */
  async refresh(): Promise<number> {
    const now = new Map<string, Record<string, unknown>>();
    let bought = 0;
    for (let path: string | undefined = `/api/parcels?county_fips=${middlesex}&limit=${pageSize}`; path; ) {
      const head = await app.call('HEAD', path, { token });
      const digests = head.headers.get('record-digests')!.split(',');
      for (let i = 0; i < digests.length; ) {
        let run = 0;
        while (i + run < digests.length && !this.records.has(digests[i + run]!)) run++;
        if (run > 0) {
          const answer = await app.get(await this.pathOf(path, i, run), { token });
          for (const [k, record] of answer.json.parcels.entries()) now.set(digests[i + k]!, record);
          bought += answer.json.metering.credits_charged;
          i += run;
        } else now.set(digests[i]!, this.records.get(digests[i++]!)!);
      }
      path = nextOf(head);
    }
    this.records = now;
    return bought;
  }

  content(): string[] {
    return [...this.records.values()].map(contentOf).toSorted();
  }

  /** The path of some records of a page: a page of the records before them leads to it, at no charge. */
  private async pathOf(page: string, before: number, count: number): Promise<string> {
    const sized = (path: string, limit: number) => path.replace(/limit=\d+/, `limit=${limit}`);
    if (before === 0) return sized(page, count);
    return sized(nextOf(await app.call('HEAD', sized(page, before), { token }))!, count);
  }
}

async function places(): Promise<Map<string, { ordinal: number; record: Record<string, string> }>> {
  const rows = await app.db.query<{ ordinal: number; record: Record<string, string> }>(
    'select ordinal, record::json as record from parcel where release_id = $1',
    [await current()],
  );
  return new Map(rows.map((row) => [row.record.parcel_id!, row]));
}
