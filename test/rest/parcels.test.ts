import { randomUUID } from 'node:crypto';
import { addJob } from '../../src/jobs/task.js';
import { recordFields, recordVersion, trailingFields } from '../../src/releases/record-fields/record-fields.js';
import { TokenStore } from '../../src/tokens/token.store.js';
import { newTokenSecret } from '../../src/tokens/token-secret.js';
import { adjustment } from '../harness/adjustment.js';
import { startApp, type TestApp } from '../harness/app.js';
import { nextOf, refusalOf } from '../harness/caller.js';
import { eventually } from '../harness/eventually.js';
import { sendBytes } from '../harness/raw-request.js';
import { publishRecords, trailingBlanks } from '../harness/records.js';
import { words } from '../harness/words.js';

const middlesex = '25017';
const suffolk = '25025';

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await startApp();
  other = await startApp({}, app);
  await publish(suffolk, 30);
  await publish(middlesex, 1200);
});
afterEach(async () => {
  expect(await app.brokenBooks()).toEqual([]);
});

const parcels = (token: string, query = '', headers: Record<string, string> = {}) => app.get(`/api/parcels${query}`, { token, headers });

/** Publishes made-up records, and has them hashed before a test changes one for a while. With the first read the server hears of them. */
async function publish(fips: string, count: number, version?: number): Promise<number> {
  const id = await publishRecords(app.db, fips, count, version);
  await addJob(app.database.pool, 'sign-checkpoint', {});
  const roots = () => app.db.query('select from release_root where release_id = $1', [id]);
  await eventually('the release is hashed', async () => (await roots()).length > 0);
  const { json } = await parcels(await app.paidToken(), `?county_fips=${fips}&limit=1`);
  expect(json.parcels[0].release_id).toBe(id);
  return id;
}

/** The records of an answer as they were sent. */
const recordsOf = (text: string) => text.slice(0, text.indexOf('"metering"'));

/** A replay's words about the read that it repeats. */
const originalOf = ({ headers }: { headers: Headers }) =>
  ['idempotency-replayed', 'original-entry-id', 'original-credits-charged'].map((name) => headers.get(name));

/** As a customer does. Lifted at the end of a test: the audit knows that nobody caps what an operator gave. */
const capOverage = async (token: string, most: number | null) =>
  app.db.query('update credit_balance set overage_cap = $2 where id = $1', [(await app.identityOf(token)).balanceId, most]);

describe('GET /api/parcels', () => {
  describe('200', () => {
    it('returns 100 records by default, and charges one credit per record returned', async () => {
      const token = await app.paidToken();
      const { status, json } = await parcels(token);
      expect([status, json.parcels.length]).toEqual([200, 100]);
      const charged = { plan: 'paid', credits_charged: 100, credits_remaining: 3900, overage_records: 0, overage_usd: '0.00' };
      expect(json.metering).toMatchObject(charged);
    });

    it('returns the records of one county in their order', async () => {
      const { json } = await parcels(await app.paidToken(), `?county_fips=${suffolk}&limit=5`);
      expect(json.parcels.map((parcel: { apn: string }) => parcel.apn)).toEqual(['APN-1', 'APN-2', 'APN-3', 'APN-4', 'APN-5']);
      expect(new Set(json.parcels.map((parcel: { county_fips: string }) => parcel.county_fips))).toEqual(new Set([suffolk]));
    });

    it('goes through all loaded counties by FIPS when none is named, page by page, each record once', async () => {
      const token = await app.paidToken();
      const seen: string[] = [];
      for (let next: string | undefined = '/api/parcels?limit=250'; next; ) {
        const answer = await app.get(next, { token });
        seen.push(...answer.json.parcels.map((parcel: { parcel_id: string }) => parcel.parcel_id));
        next = nextOf(answer);
      }
      const { json } = await app.get('/api/coverage');
      expect(seen).toHaveLength(json.totals.parcels);
      expect(new Set(seen).size).toBe(json.totals.parcels);
    });

    it('compresses a large page when asked to, with the same records under the same key, charged once, and leaves small pages as they are', async () => {
      const token = await app.paidToken();
      const read = (limit: number, encoding: string) =>
        parcels(token, `?limit=${limit}`, { 'idempotency-key': `page-of-${limit}`, 'accept-encoding': encoding });
      const [plain, zipped] = [await read(200, 'identity'), await read(200, 'br, gzip')];
      const sizes = [plain, zipped].map(({ headers }) => Number(headers.get('content-length')));
      expect([plain, zipped].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip']);
      expect(sizes[1]! * 4).toBeLessThan(sizes[0]!);
      expect(zipped.json.parcels).toEqual(plain.json.parcels);
      expect(zipped.json.metering).toMatchObject({ credits_charged: 0, credits_remaining: plain.json.metering.credits_remaining });
      expect((await read(1, 'gzip')).headers.get('content-encoding')).toBeNull();
    });

    it('describes by HEAD the same page as GET returns, even if credits or a cap cut it', async () => {
      const capped = await app.paidToken();
      await app.db.query(adjustment((await app.identityOf(capped)).balanceId, -3997));
      await capOverage(capped, 4);
      const token = await app.paidToken();
      const head = await app.call('HEAD', '/api/parcels?limit=1000', { token });
      const got = await parcels(token, '?limit=1000');
      for (const name of ['etag', 'link', 'page-cut']) expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
      const { headers } = await app.call('HEAD', `/api/parcels?county_fips=${middlesex}&limit=1000`, { token: capped });
      const seven = await parcels(capped, `?county_fips=${middlesex}&limit=1000`);
      expect(seven.json.parcels).toHaveLength(7);
      expect(headers.get('etag')).toBe(seven.headers.get('etag'));
      expect([headers.get('page-cut'), seven.headers.get('page-cut')]).toEqual(['credits', 'credits']);
      await capOverage(capped, null);
    });

    it('leads a trial by HEAD and 304 no further into a county than its credits reach, and says that they end there', async () => {
      const token = await app.trialToken();
      let next: string | undefined = `/api/parcels?county_fips=${middlesex}&limit=20`;
      const seen: string[] = [];
      for (let page = 1; next; page++) {
        const headers: Record<string, string> = page === 1 ? { 'if-none-match': '*' } : {};
        const answer = await app.call(page === 1 ? 'GET' : 'HEAD', next, { token, headers });
        seen.push(`${answer.status} ${answer.headers.get('page-cut')}`);
        next = nextOf(answer);
      }
      expect(seen).toEqual(['304 null', '200 null', '200 credits']);
      expect((await parcels(token, '?limit=50')).headers.get('page-cut')).toBeNull();
      expect((await app.call('HEAD', '/api/parcels', { token })).status).toBe(402);
    });

    it('gives a trial what it has left when it asks for more', async () => {
      const token = await app.trialToken();
      await parcels(token, '?limit=30');
      const { status, json } = await parcels(token, '?limit=30');
      expect([status, json.parcels.length]).toEqual([200, 20]);
      expect(json.metering).toMatchObject({ credits_charged: 20, credits_remaining: 0 });
    });

    it('answers for a county that is unknown or not loaded with no records, no charge, a ledger entry, and the reason in a header', async () => {
      const token = await app.trialToken();
      for (const [fips, countyStatus] of [
        ['99999', 'unknown'],
        ['06001', 'planned'],
      ]) {
        const { status, json, headers } = await parcels(token, `?county_fips=${fips}`);
        expect([status, headers.get('county-status')]).toEqual([200, countyStatus]);
        expect((await app.call('HEAD', `/api/parcels?county_fips=${fips}`, { token })).headers.get('county-status')).toBe(countyStatus);
        expect(json.parcels).toEqual([]);
        expect(json.metering).toMatchObject({ credits_charged: 0, credits_remaining: 50 });
      }
      expect((await parcels(await app.paidToken(), '?limit=1')).headers.get('county-status')).toBeNull();
      expect(await app.movesOf(token)).toEqual(['read 0', 'read 0']);
    });

    it('gives the hash of its ledger entry as a receipt for records, an empty page and a replay', async () => {
      const token = await app.trialToken();
      const key = { 'Idempotency-Key': randomUUID() };
      for (const [query, headers] of [
        ['?limit=3', {}],
        ['?county_fips=99999', {}],
        ['?limit=2', key],
        ['?limit=2', key],
      ] as const) {
        const answer = await parcels(token, query, headers);
        const { ledger_entry_id: id } = answer.json.metering;
        const hash = await app.db.value(`select encode(hash, 'hex') from ledger_entry where sequence = entry_sequence($1) and id = $1`, [
          id,
        ]);
        expect([query, answer.headers.get('ledger-hash')]).toEqual([query, hash]);
        expect(answer.json.metering).not.toHaveProperty('ledger_hash');
      }
      const { headers } = await parcels(token, '?limit=3');
      const unpaid = [
        await app.call('HEAD', '/api/parcels?limit=3', { token }),
        await parcels(token, '?limit=3', { 'If-None-Match': headers.get('etag')! }),
        await parcels(token, '?limit=0'),
        await parcels('pk_trial_unknown'),
        await app.get('/api/usage', { token }),
      ];
      expect(unpaid.map((answer) => [answer.status, answer.headers.get('ledger-hash')])).toEqual(
        [200, 304, 400, 401, 200].map((status) => [status, null]),
      );
    });

    it('continues into overage at 5 cents a record when the 4,000 included ones are used', async () => {
      const token = await app.paidToken();
      for (let i = 0; i < 4; i++) await parcels(token, `?county_fips=${middlesex}&limit=1000`);
      const { json } = await parcels(token, `?county_fips=${middlesex}&limit=3`);
      expect(json.metering).toMatchObject({ credits_charged: 3, credits_remaining: 0, overage_records: 3, overage_usd: '0.15' });
    });

    it('opens a new period with 4,000 records only once, however many requests come first', async () => {
      const token = await app.paidToken();
      await parcels(token, '?limit=10');
      await app.db.moveClock('31 days');
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? app : other).get('/api/parcels?limit=1', { token })));
      expect(Math.min(...answers.map(({ json }) => json.metering.credits_remaining))).toBe(3980);
      expect((await app.movesOf(token)).filter((move) => move.startsWith('expiry'))).toEqual(['expiry -3990']);
      await app.db.moveClock('-31 days');
    });

    it('serves exactly the credits left to any number of racing readers, on two servers', async () => {
      const token = await app.trialToken();
      const answers = await Promise.all(
        Array.from({ length: 300 }, (_, i) => (i % 2 ? app : other).get('/api/parcels?limit=1', { token })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
      expect(answers.filter(({ status, json }) => status === 402 && json.error === 'exhausted')).toHaveLength(250);
      expect(await app.entriesOf(token)).toHaveLength(50);
    });
  });

  describe('of a release that was written before the newest fields', () => {
    const essex = '25009';
    let release: number;
    let text: string;
    beforeAll(async () => {
      release = await publish(essex, 250, recordVersion - 1);
      text = await app.db.value(`select string_agg(record, ',' order by ordinal) from parcel where release_id = $1`, [release]);
    });

    it('returns every record as it was published, followed by the keys added since as null, even on a page of several counties', async () => {
      const token = await app.paidToken();
      for (let times = 0; times < 3; times++) {
        const answer = await parcels(token, `?county_fips=${essex}&limit=250`);
        expect(Object.keys(answer.json.parcels[249])).toEqual(recordFields);
        const body = recordsOf(answer.text);
        expect(body.slice('{"parcels":['.length, body.lastIndexOf(']')).replaceAll(`${trailingBlanks}}`, '}')).toBe(text);
        expect(body.split(trailingBlanks)).toHaveLength(251);
      }
      const { json } = await parcels(token, '?limit=300');
      expect(new Set(json.parcels.map((parcel: object) => Object.keys(parcel).join()))).toEqual(new Set([recordFields.join()]));
    });

    it('appends no key that a record already has, since servers of two versions may have loaded parts of one county', async () => {
      await app.db.query(`update parcel set record = left(record, -1) || $2 || '}' where release_id = $1 and ordinal = 7`, [
        release,
        trailingBlanks.replace('null', '1850'),
      ]);
      const { json } = await parcels(await app.paidToken(), `?county_fips=${essex}&limit=8`);
      expect(json.parcels.map((parcel: Record<string, unknown>) => parcel[trailingFields[0]!.name])).toEqual([
        ...Array(6).fill(null),
        1850,
        null,
      ]);
      expect(Object.keys(json.parcels[6])).toEqual(recordFields);
      await app.db.query(`update parcel set record = replace(record, $2, '') where release_id = $1`, [
        release,
        trailingBlanks.replace('null', '1850'),
      ]);
    });

    it('is shown in the same way to its buyers and as a sample', async () => {
      const ada = await app.signUp();
      const rawToken = await app.paidToken(ada.id);
      const { json } = await parcels(rawToken, `?county_fips=${essex}&limit=2`);
      const { entryRecords } = await ada.ask('query ($id: ID!) { entryRecords(id: $id) { recordsJson } }', {
        id: json.metering.ledger_entry_id,
      });
      expect(JSON.parse(entryRecords.recordsJson)).toEqual(json.parcels);
      const page = await app.get(`/page-data/counties/${essex}`);
      expect(Object.keys(page.json.sampleRecord.record)).toEqual(recordFields);
    });

    it('keeps its ETag under a key, with HEAD, and when it is loaded again with the new fields empty', async () => {
      const token = await app.paidToken();
      const [query, key] = [`?county_fips=${essex}&limit=200`, { 'idempotency-key': 'old' }];
      const first = await parcels(token, query, key);
      const tag = first.headers.get('etag')!;
      const again = await parcels(token, query, key);
      expect([again.headers.get('etag'), recordsOf(again.text)]).toEqual([tag, recordsOf(first.text)]);
      const expectSameTag = async () => {
        expect((await app.call('HEAD', `/api/parcels${query}`, { token })).headers.get('etag')).toBe(tag);
        expect((await parcels(token, query, { 'if-none-match': tag })).status).toBe(304);
      };
      await expectSameTag();
      await publish(essex, 250);
      await expectSameTag();
      expect((await parcels(token, query)).headers.get('etag')).toBe(tag);
    });
  });

  describe('Idempotency-Key', () => {
    it('returns the same records again at no charge, as an entry of its own, even when they took the last credits', async () => {
      const token = await app.trialToken();
      const headers = { 'idempotency-key': 'all-of-it' };
      const first = await parcels(token, '', headers);
      const again = await parcels(token, '', headers);
      expect(first.json.parcels).toHaveLength(50);
      expect(recordsOf(again.text)).toBe(recordsOf(first.text));
      expect(originalOf(again)).toEqual(['true', first.json.metering.ledger_entry_id, '50']);
      expect(originalOf(first)).toEqual([null, null, null]);
      expect(again.json.metering).toMatchObject({ credits_charged: 0, credits_remaining: 0 });
      const [read, replay] = await app.entriesOf(token);
      expect([read!.kind, read!.credits, read!.id]).toEqual(['read', -50, first.json.metering.ledger_entry_id]);
      expect([replay!.kind, replay!.credits, replay!.records, replay!.repeats]).toEqual(['replay', 0, 50, read!.id]);
      expect(replay!.id).toBe(again.json.metering.ledger_entry_id);
      expect((await parcels(token)).status).toBe(402);
    });

    it('refuses a key that was used for another request, by HEAD as by GET and without a charge; without credits, as exhausted', async () => {
      const key = { 'idempotency-key': 'k' };
      for (const [token, refusal] of [
        [await app.paidToken(), '422 idempotency_key_reused'],
        [await app.trialToken(), '402 exhausted'],
      ] as const) {
        await parcels(token, '?limit=50', key);
        expect(await refusalOf(parcels(token, '?limit=3', key))).toBe(refusal);
        for (const method of ['HEAD', 'GET']) {
          const headers = { ...key, 'if-none-match': '*' };
          expect((await app.call(method, '/api/parcels?limit=3', { token, headers })).status).toBe(Number(refusal.slice(0, 3)));
        }
        expect(await app.entriesOf(token)).toHaveLength(1);
      }
    });

    it('makes HEAD and If-None-Match refer to the page that it repeats', async () => {
      const token = await app.trialToken();
      const headers = { 'idempotency-key': 'k' };
      const first = await parcels(token, '?limit=30', headers);
      await parcels(token, '?limit=20');
      const tag = first.headers.get('etag')!;
      const head = (query: string) => app.call('HEAD', `/api/parcels${query}`, { token, headers });
      const heard = await head('?limit=30');
      expect([heard.status, heard.headers.get('etag'), heard.headers.get('link')]).toEqual([200, tag, first.headers.get('link')]);
      expect(originalOf(heard)).toEqual(['true', first.json.metering.ledger_entry_id, '30']);
      expect((await parcels(token, '?limit=30', { ...headers, 'if-none-match': tag })).status).toBe(304);
      expect((await parcels(token, '?limit=30', { ...headers, 'if-none-match': 'W/"another"' })).status).toBe(200);
      expect(await app.movesOf(token)).toEqual(['read -30', 'read -20', 'replay 0']);
    });

    it('repeats its read for 24 hours; then a token without credits is refused as exhausted, and any other with 410', async () => {
      const [trial, paid] = [await app.trialToken(), await app.paidToken()];
      const [whole, key] = ['?limit=50', { 'idempotency-key': 'k' }];
      const answersTo = async (method: string, query: string, headers: Record<string, string>) =>
        Promise.all([trial, paid].map(async (token) => (await app.call(method, `/api/parcels${query}`, { token, headers })).status));
      for (const token of [trial, paid]) await parcels(token, whole, key);
      await app.db.moveClock('23 hours 59 minutes');
      expect(await answersTo('GET', whole, key)).toEqual([200, 200]);
      await app.db.moveClock('1 minute');
      expect(await answersTo('GET', whole, key)).toEqual([402, 410]);
      expect((await parcels(trial, whole, key)).json.error).toBe('exhausted');
      expect((await parcels(paid, whole, key)).json.error).toBe('replay_expired');
      for (const headers of [key, { ...key, 'if-none-match': '*' }]) expect(await answersTo('HEAD', whole, headers)).toEqual([402, 410]);
      expect(await answersTo('GET', whole, { ...key, 'if-none-match': '*' })).toEqual([402, 410]);
      expect(await answersTo('GET', '?limit=3', key)).toEqual([402, 422]);
      for (const token of [trial, paid]) expect(await app.movesOf(token)).toEqual(['read -50', 'replay 0']);
      await app.db.moveClock('-24 hours');
    });

    it('must be short and printable, except at GET /api/usage, which takes no credits', async () => {
      const call = { token: await app.paidToken(), headers: { 'idempotency-key': 'a b' } };
      expect((await app.get('/api/parcels', call)).status).toBe(400);
      expect((await app.get('/api/usage', call)).status).toBe(200);
    });
  });

  describe('nothing returned, nothing charged', () => {
    it('finds a token and a key behind two thousand other headers', async () => {
      const token = await app.paidToken();
      const many = 'a:1\r\n'.repeat(2_000);
      const request = `GET /api/parcels?limit=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many}Authorization: Bearer ${token}\r\nIdempotency-Key: k\r\n\r\n`;
      for (let times = 0; times < 2; times++) await sendBytes(app.url, request);
      expect(await app.movesOf(token)).toEqual(['read -1', 'replay 0']);
    });

    it.each(['*', 'the ETag it has'])('answers 304 to GET and HEAD with If-None-Match: %s', async (tag) => {
      const token = await app.trialToken();
      const { headers } = await parcels(token, '?limit=2');
      const sent = { 'if-none-match': tag === '*' ? tag : headers.get('etag')! };
      for (const method of ['HEAD', 'GET']) {
        const again = await app.call(method, '/api/parcels?limit=2', { token, headers: sent });
        expect([method, again.status, again.text, again.headers.get('etag')]).toEqual([method, 304, '', headers.get('etag')]);
      }
      const other = await app.call('HEAD', '/api/parcels?limit=2', { token, headers: { 'if-none-match': 'W/"another"' } });
      expect(other.status).toBe(200);
      expect(await app.entriesOf(token)).toHaveLength(1);
    });

    it.each(['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'])('charges nothing for %s', async (method) => {
      const token = await app.paidToken();
      const { status, text } = await app.call(method, '/api/parcels?limit=4', { token });
      expect(status).toBe({ HEAD: 200, OPTIONS: 204 }[method] ?? 405);
      if (status !== 405) expect(text).toBe('');
      expect(await app.entriesOf(token)).toHaveLength(0);
    });

    it('reverses the charge when the records cannot be read', async () => {
      const token = await app.paidToken();
      const release = await publish('25003', 5);
      const [third] = await app.db.query('delete from parcel where release_id = $1 and ordinal = 3 returning apn, record', [release]);
      expect(await refusalOf(parcels(token, '?county_fips=25003'))).toBe('500 internal');
      expect(await app.movesOf(token)).toEqual(['read -5', 'reversal 5']);
      // so that the audit, which would name it, finds the books whole again
      await app.db.query('insert into parcel values ($1, 3, $2, $3)', [release, third!.apn, third!.record]);
    });
  });

  describe('429', () => {
    it('limits answers that cost no credit to 120 a minute per token on all servers together, for the seconds in Retry-After', async () => {
      const token = await app.trialToken();
      const key = { 'idempotency-key': 'k' };
      await parcels(token, '?limit=1', key);
      const free = (i: number) =>
        (i % 2 ? app : other).get(`/api/parcels?${i % 3 ? `county_fips=${10_000 + i}` : 'limit=1'}`, {
          token,
          headers: i % 3 ? {} : key,
        });
      const answers = await Promise.all(Array.from({ length: 240 }, (_, i) => free(i)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(120);
      for (const { json, headers } of refused) {
        const wait = Number(headers.get('retry-after'));
        expect([json.error, wait >= 1 && wait <= 60]).toEqual(['too_many_requests', true]);
      }
      expect(await app.entriesOf(token)).toHaveLength(121);
      const wait = Math.max(...refused.map(({ headers }) => Number(headers.get('retry-after'))));
      await app.db.moveClock(`${wait} seconds`);
      expect((await free(1)).status).toBe(200);
      await app.db.moveClock(`-${wait} seconds`);
    });

    it('applies only to answers that cost nothing: paid reads, HEAD, 304, usage and other tokens continue, and rejections come first', async () => {
      const { id: accountId } = await app.signUp();
      const [rawToken, another] = [await app.paidToken(accountId, 'one'), await app.paidToken(accountId, 'another')];
      const empty = (raw = rawToken, county = 99999) => parcels(raw, `?county_fips=${county}`);
      await Promise.all(Array.from({ length: 120 }, (_, i) => empty(rawToken, 10_000 + i)));
      expect([(await empty()).status, (await empty(rawToken, 10_000)).status]).toEqual([429, 200]);
      for (let i = 0; i < 3; i++) expect((await parcels(rawToken, '?limit=2')).json.metering.credits_charged).toBe(2);
      expect((await app.call('HEAD', '/api/parcels?county_fips=99999', { token: rawToken })).status).toBe(200);
      expect((await parcels(rawToken, '?county_fips=99999', { 'if-none-match': '*' })).status).toBe(304);
      expect((await app.get('/api/usage', { token: rawToken })).status).toBe(200);
      expect((await empty(another)).status).toBe(200);
      await app.db.query(`update api_token set revoked_at = service_now() where account_id = $1 and name = 'one'`, [accountId]);
      expect((await empty()).status).toBe(403);
    });
  });

  describe('400', () => {
    it.each(words`
      limit=0 limit=1001 limit=1.5 limit=abc limit= limit=1&limit=2 limit=0x10 limit=1e2 limit=%201 limit=01
      limit=99999999999999999999 county_fips= county_fips=2501 county_fips=25017&county_fips=25025 county_fips=%00%00%00%00%00
      county_fips=２５０１７ county_fips=25017%0A cursor= cursor=garbage cursor=MS4x&cursor=MS4x LIMIT=1 limit[]=1 limit[max]=1
      county_fips[]=25017 countyFips=25017 token =1 constructor=1 __proto__=1
    `)('refuses %s, names the parameter, and charges nothing', async (query) => {
      const token = await app.paidToken();
      expect(await refusalOf(parcels(token, `?${query}`))).toBe(`400 invalid_request ${query.split('=')[0]}`);
      expect(await app.entriesOf(token)).toHaveLength(0);
    });

    it('refuses a bad parameter behind a thousand others, and charges nothing', async () => {
      const token = await app.paidToken();
      for (const before of ['&'.repeat(1_100), 'limit=1&'.repeat(1_100)]) {
        expect((await parcels(token, `?${before}LIMIT=1`)).json.error).toBe('invalid_request');
        expect((await parcels(token, `?${before}limit=0`)).json.error).toBe('invalid_request');
      }
      expect(await app.entriesOf(token)).toHaveLength(0);
    });
  });

  describe('402 at a cap, which GET /api/usage still shows,', () => {
    const expectUsage = async (token: string, expected: object) => {
      const { status, json } = await app.get('/api/usage', { token });
      expect([status, json]).toEqual([200, expect.objectContaining({ metering: expect.anything() })]);
      expect(json).toMatchObject(expected);
      expect((await app.get('/api/usage?cursor=x', { token })).status).toBe(400);
    };

    it('answers 402 exhausted when a paid token is at the overage cap of its customer, and says that it is the cap', async () => {
      const token = await app.paidToken();
      await capOverage(token, 0);
      for (let read = 1; read <= 4; read++) await parcels(token, '?limit=1000');
      const { status, json } = await app.get('/api/parcels', { token });
      expect([status, json.error, json.message]).toEqual([402, 'exhausted', expect.stringContaining('overage cap')]);
      await expectUsage(token, { balance: { overage_cap: 0, overage_left: 0, overage_records: 0 }, token: { state: 'exhausted' } });
      await capOverage(token, null);
    });

    it('answers 402 exhausted when a paid token is at its own cap, which the message names; another token of the plan reads on', async () => {
      const { id: accountId } = await app.signUp();
      const store = new TokenStore(app.database.dataSource);
      const other = await store.issuePaidByOperator(accountId, 'other');
      const { rawToken: token, token: capped } = await store.issuePaidByOperator(accountId, 'capped');
      await store.cap(accountId, capped.id, 5);
      const head = await app.call('HEAD', '/api/parcels?limit=7', { token });
      const page = await app.get('/api/parcels?limit=7', { token });
      expect([page.json.parcels.length, page.json.metering]).toEqual([
        5,
        expect.objectContaining({ credits_charged: 5, credits_remaining: 3995 }),
      ]);
      expect(head.headers.get('etag')).toBe(page.headers.get('etag'));
      const { status, json } = await app.get('/api/parcels', { token });
      expect([status, json.error, json.message]).toEqual([402, 'exhausted', expect.stringContaining('its own cap of 5 records')]);
      expect((await app.get('/api/parcels', { token: other.rawToken })).status).toBe(200);
      await expectUsage(token, { balance: { credits_remaining: 3895 }, token: { state: 'exhausted', period_cap: 5, period_records: 5 } });
    });
  });

  describe.each(['/api/parcels', '/api/usage'])('a rejected token at %s', (path) => {
    const reject = (token: string | undefined, headers: Record<string, string> = {}) =>
      refusalOf(app.get(`${path}?limit=0`, { token, headers }));

    it('is 401 missing without an Authorization header, even with a session or a token in the query', async () => {
      const { cookie } = await app.signUp();
      for (const headers of [{}, { cookie }, { authorization: '' }] as Record<string, string>[])
        expect(await reject(undefined, headers)).toBe('401 missing');
      expect(await refusalOf(app.get(`${path}?token=${await app.paidToken()}`))).toBe('401 missing');
    });

    it('is 401 invalid if it is no token or was never issued', async () => {
      const never = newTokenSecret('trial').raw;
      const issued = await app.paidToken();
      for (const token of ['x', 'pk_trial_', never, `${issued}x`, issued.slice(0, -1), issued.toLowerCase()]) {
        expect(await reject(token)).toBe('401 invalid');
      }
      for (const authorization of ['Basic YTpi', 'Bearer', issued, `Token ${issued}`, `Bearer ${issued} ${issued}`]) {
        expect(await reject(undefined, { authorization })).toBe('401 invalid');
      }
    });

    it('is 401 expired when its 30 days have passed', async () => {
      const token = await app.trialToken();
      await app.db.moveClock('30 days');
      expect(await reject(token)).toBe('401 expired');
      await app.db.moveClock('-30 days');
    });

    it('is 402 exhausted when a trial is out of credits', async () => {
      const token = await app.trialToken();
      await parcels(token);
      expect(await reject(token)).toBe('402 exhausted');
    });

    it('is 403 revoked from the next request on, on every server; revoked comes before expired, which comes before exhausted', async () => {
      const { cookie } = await app.signUp();
      const { raw_token: token, token: issued } = (await app.post('/api/tokens/trial', { cookie })).json;
      await parcels(token);
      await app.db.moveClock('31 days');
      expect(await reject(token)).toBe('401 expired');
      await app.post(`/api/tokens/${issued.id}/revoke`, { cookie });
      expect(await reject(token)).toBe('403 revoked');
      expect((await other.get(path, { token })).json.error).toBe('revoked');
      await app.db.moveClock('-31 days');
    });
  });
});
