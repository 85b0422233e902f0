import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Request, Response } from 'express';
import { pino } from 'pino';
import { spendBatchSize } from '../../src/core/metrics.js';
import { seedCounties } from '../../src/counties/county-codes.js';
import { requestLimits } from '../../src/database/limits.js';
import { migrate } from '../../src/database/migrating/migrate.js';
import { FairQueue } from '../../src/ledger/fair-queue.js';
import { ParcelStore } from '../../src/parcels/parcel.store.js';
import { setCountyStatus } from '../../src/releases/lifecycle/change-county.js';
import { closeDeadLoads } from '../../src/releases/lifecycle/dead-loads.js';
import { pruneReleases } from '../../src/releases/lifecycle/prune.js';
import { rollBack } from '../../src/releases/lifecycle/publish-release.js';
import { contextFor } from '../../src/rest/request-context.js';
import { listen, startApp, type TestApp, urlOf } from '../harness/app.js';
import { type Answer, cursorOf, type Json, nextOf, refusalOf } from '../harness/caller.js';
import { closeAtEnd } from '../harness/closing.js';
import { type Held, openPool } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { FaultProxy } from '../harness/fault-proxy.js';
import { patiently } from '../harness/patiently.js';
import { sendBytes } from '../harness/raw-request.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const middlesex = '25017';

let app: TestApp;
let other: TestApp;
let proxy: FaultProxy;
beforeAll(async () => {
  app = await startApp({}, undefined, requestLimits);
  proxy = await FaultProxy.open(app.db.url);
  closeAtEnd(() => proxy.close());
  other = await startApp({ DATABASE_URL: proxy.url }, app, requestLimits);
  await publishRecords(app.db, middlesex, 500);
});
afterEach(async () => {
  proxy.mend();
  expect(await app.brokenBooks()).toEqual([]);
});

/** One after the other: on a busy machine the last of sixty at once waits for a connection longer than a request may. */
async function paidTokens(count: number, account?: string): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push(await app.paidToken(account));
  return tokens;
}

const movesOf = (token: string) => app.movesOf(token);

/** Holds a balance, so that what is asked of it meanwhile waits. */
const holdBalance = async (token: string) =>
  app.db.hold('select from credit_balance where id = $1 for update', [(await app.identityOf(token)).balanceId]);

const spendsWait = (count = 1) =>
  eventually(`${count} spends wait for a lock`, async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%spend%'`;
    return (await app.db.query(waiting)).length >= count;
  });

/** Leaves a read like a server that died between its commit and its first byte. */
async function spendWithoutDelivery(token: string, records: number, key: string | null = null): Promise<string> {
  const { balanceId, tokenId } = await app.identityOf(token);
  const requestId = randomUUID();
  await app.db.query(
    `select s.* from coverage_version v, county c,
            spend(array[$1::uuid], array[$2::uuid], array[v.version], array[format('{%s,1,%s}', c.current_release_id, $3::integer)],
                  array[null], array[$4], array[$5::text], array[$6::bytea], true) s where c.fips = $7`,
    [balanceId, tokenId, records, requestId, key, key && Buffer.from('same request'), middlesex],
  );
  return requestId;
}

const abandon = (requestId: string) =>
  app.db.query(`update undelivered_read set spent_at = clock_timestamp() - interval '1 minute' where request_id = $1`, [requestId]);

const nothingIsOnItsWay = () =>
  eventually('nothing is on its way', async () => (await app.db.query('select from undelivered_read')).length === 0);

const readOne = (token: string) => patiently(() => other.get('/api/parcels?limit=1', { token }));

/** Reads at the server behind the proxy until the message that the proxy waits for has come: a slow machine may refuse a read earlier. */
async function readUntilCut(token: string) {
  for (;;) {
    let isAnswered = false;
    const read = other.get('/api/parcels?limit=20', { token }).finally(() => {
      isAnswered = true;
    });
    await eventually('the message comes, or the read is answered', async () => isAnswered || !proxy.isArmed);
    if (!proxy.isArmed) return { read };
  }
}

const dial = (url = app.url) => connect(Number(new URL(url).port), '127.0.0.1');
const readAsBytes = (token: string, header = '', limit = 9) =>
  `GET /api/parcels?limit=${limit} HTTP/1.1\r\nHost: x\r\n${header}Authorization: Bearer ${token}\r\n\r\n`;

/** Occupies the threads in which Node compresses, until the returned function is called. */
async function occupyThreads(): Promise<() => Promise<void>> {
  const pipe = join(await temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Opening the end that reads waits for one that writes.
  const ends = Array.from({ length: Number(process.env.UV_THREADPOOL_SIZE ?? 4) }, () => open(pipe));
  return async () => {
    const writer = openSync(pipe, 'r+');
    for (const end of await Promise.all(ends)) await end.close();
    closeSync(writer);
  };
}

/** A read that waits for its balance. */
async function waitsForItsBalance(token: string) {
  // A server that has not heard of a release spends twice.
  await app.get('/api/parcels?limit=1', { token });
  const { release } = await holdBalance(token);
  const socket = dial();
  socket.write(readAsBytes(token));
  await spendsWait();
  return { socket, release };
}

/** A read that is spent for, and waits for its page to be compressed. */
async function isCompressed(token: string) {
  const another = await app.paidToken();
  const release = await occupyThreads();
  const socket = dial();
  socket.write(readAsBytes(token, 'Accept-Encoding: gzip\r\n', 200));
  await eventually('the read is spent for', async () => (await movesOf(token)).length === 1);
  // Long enough for its delivery to be claimed, if nothing held it.
  await app.get('/api/parcels?limit=1', { token: another });
  return { socket, release };
}

/** A read that is spent for, and waits on its connection for the answer to one that comes first. */
async function waitsForItsTurn(token: string) {
  const first = await app.paidToken();
  const { release } = await holdBalance(first);
  const socket = dial();
  for (const each of [first, token]) socket.write(readAsBytes(each));
  await eventually('the second read is spent for', async () => (await movesOf(token)).length === 1);
  // Long enough for its delivery to be claimed, if nothing held it.
  await app.get('/api/parcels?limit=1', { token: await app.paidToken() });
  return { socket, release };
}

/** Has something done between the commit of a read and its page. */
async function beforeItsPage(token: string, read: () => Promise<Answer>, work: (blocker: Held) => Promise<unknown>) {
  const { length } = await movesOf(token);
  const blocker = await app.db.hold('lock table parcel in access exclusive mode');
  const answer = read();
  await eventually('the read is committed', async () => (await movesOf(token)).length > length);
  await work(blocker);
  await blocker.release();
  return answer;
}

describe('a read that does not reach its caller', () => {
  it.each([
    ['while it was under way', waitsForItsBalance, 9],
    ['before its turn on a connection with answers that come first', waitsForItsTurn, 9],
    ['while its page was compressed', isCompressed, 200],
  ])('is reversed when its caller left %s', async (_, begin, records) => {
    const token = await app.paidToken();
    const { socket, release } = await begin(token);
    socket.destroy();
    await once(socket, 'close');
    // The server hears of the end before it answers this.
    await app.get('/health');
    await release();
    await eventually('the read is taken back', async () => (await movesOf(token)).at(-1)?.startsWith('reversal') === true);
    expect((await movesOf(token)).slice(-2)).toEqual([`read -${records}`, `reversal ${records}`]);
  });

  it('stays charged when it came under a key and its caller left, since a retry already has the records', async () => {
    const token = await app.paidToken();
    const { release } = await holdBalance(token);
    const socket = dial();
    socket.write(readAsBytes(token, 'Idempotency-Key: k\r\n'));
    await spendsWait();
    const retry = other.get('/api/parcels?limit=9', { token, headers: { 'idempotency-key': 'k' } });
    socket.destroy();
    await release();
    const { status, json } = await retry;
    expect([status, json.parcels.length]).toEqual([200, 9]);
    await nothingIsOnItsWay();
    expect((await movesOf(token)).filter((move) => move !== 'replay 0')).toEqual(['read -9']);
  });

  it('counts its caller as gone as soon as nothing can be written to the connection', async () => {
    const server = await listen();
    const isGone = new Promise<boolean>((resolve) => {
      server.on('request', (request, response) => {
        const answer = Object.assign(response, { locals: {} }) as unknown as Response;
        const context = contextFor(request as Request, answer, { kind: 'anonymous' }, pino({ enabled: false }));
        // In the very turn in which the end of his side arrives.
        request.socket.once('end', () => resolve(context.isCallerGone()));
      });
    });
    const socket = dial(urlOf(server));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.end());
    expect(await isGone).toBe(true);
    socket.destroy();
  });

  it('leaks no memory on a connection that stays open after the read waited for its turn', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const server = await listen();
    server.keepAliveTimeout = 60_000;
    const turns: (WeakRef<object> | null)[] = [];
    let first: Response | null = null;
    server.on('request', async (request, response) => {
      const answer = Object.assign(response, { locals: {} }) as unknown as Response;
      const turn = contextFor(request as Request, answer, { kind: 'anonymous' }, pino({ enabled: false })).earlierAnswersSent();
      turns.push(turn && new WeakRef(turn));
      first?.end();
      first = answer;
      await turn;
      if (turns.length === 9) answer.end();
    });
    const socket = dial(urlOf(server));
    let answers = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answers += text));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(9));
    await eventually('all are answered', async () => answers.split('HTTP/1.1 200').length === 10);
    expect(turns.map((turn) => turn !== null)).toEqual([false, ...Array(8).fill(true)]);
    await eventually('they are forgotten', async () => {
      collectGarbage();
      return turns.every((turn) => turn?.deref() === undefined);
    });
    socket.destroy();
  });

  it('stays charged when its caller left before its turn but the account had looked at the records', async () => {
    const person = await app.signUp();
    const token = await app.paidToken(person.id);
    const { socket, release } = await waitsForItsTurn(token);
    const [read] = await app.entriesOf(token);
    const { entryRecords } = await person.ask('query ($id: ID!) { entryRecords(id: $id) { total } }', { id: read!.id });
    expect(entryRecords.total).toBe(9);
    socket.destroy();
    await release();
    await nothingIsOnItsWay();
    expect(await movesOf(token)).toEqual(['read -9', 'replay 0']);
  });

  it('answers requests that come together on a connection one after the other, each charged once', async () => {
    const token = await app.paidToken();
    const answers = await sendBytes(app.url, readAsBytes(token).repeat(6) + readAsBytes(token, 'Connection: close\r\n'));
    expect(answers.match(/HTTP\/1.1 200 OK/g)).toHaveLength(7);
    expect((await movesOf(token)).filter((move) => move === 'read -9')).toHaveLength(7);
  });

  it('is reversed when its server died, by whichever server sees it first', async () => {
    const token = await app.trialToken();
    const requestId = await spendWithoutDelivery(token, 20);
    expect(await movesOf(token)).toEqual(['read -20']);
    await abandon(requestId);
    await eventually('the read is taken back', async () => (await movesOf(token)).length === 2);
    expect(await movesOf(token)).toEqual(['read -20', 'reversal 20']);
    expect((await app.get('/api/parcels?limit=50', { token })).json.parcels).toHaveLength(50);
  });

  it.each([
    ['the connection breaks after its commit', () => proxy.lose('answer', 'spend')],
    ['Postgres panics during the commit that recovery then finds complete', () => proxy.panicAfter('spend')],
    ['Postgres dies with its spend', () => proxy.cutAllAfter('spend')],
    ['Postgres dies with its claim', () => proxy.cutAllAfter('claim_undelivered')],
    ['the answer to its claim gets lost', () => proxy.lose('answer', 'claim_undelivered')],
  ])('is reversed before its caller hears of it when %s', async (what, arm) => {
    const token = await app.paidToken();
    await readOne(token);
    arm();
    const { read } = await readUntilCut(token);
    if (what.startsWith('Postgres dies')) await eventually('Postgres is away', async () => proxy.isAway);
    proxy.mend();
    expect((await read).status).toBe(503);
    expect(await movesOf(token)).toEqual(['read -1', 'read -20', 'reversal 20']);
  });

  it('is answered soon while Postgres stays away, and reversed when Postgres is back', async () => {
    const token = await app.paidToken();
    await readOne(token);
    proxy.cutAllAfter('spend');
    const { read } = await readUntilCut(token);
    expect((await read).status).toBe(503);
    expect((await other.get('/api/parcels?limit=20', { token })).status).toBe(503);
    proxy.mend();
    await eventually('the read is taken back', async () => (await movesOf(token)).length === 3);
    expect((await movesOf(token)).at(-1)).toBe('reversal 20');
  });

  it('is reversed together with all others of its batch when Postgres died', async () => {
    const patient = await startApp({ DATABASE_URL: proxy.url }, app);
    const tokens = await paidTokens(24);
    const { release } = await app.db.hold('lock table undelivered_read in exclusive mode');
    const queued = jest.spyOn(FairQueue.prototype, 'push');
    const read = (token: string) => patient.get('/api/parcels?limit=20', { token });
    const reads: Promise<Answer>[] = [];
    // A server sends two statements at once: what comes after these waits for them, to be one batch.
    for (const token of tokens.slice(0, 2)) {
      reads.push(read(token));
      await spendsWait(reads.length);
    }
    reads.push(...tokens.slice(2).map(read));
    await eventually('all others wait', async () => queued.mock.calls.length === tokens.length);
    queued.mockRestore();
    proxy.cutAllAfter('spend');
    await release();
    await eventually('Postgres is away', async () => proxy.isAway);
    proxy.mend();
    const statuses = (await Promise.all(reads)).map(({ status }) => status);
    await nothingIsOnItsWay();
    const entries = await Promise.all(tokens.map(app.entriesOf));
    const charged = entries.map((own) => own.reduce((sum, { records }) => sum + records, 0));
    expect(charged).toEqual(statuses.map((status) => (status === 200 ? 20 : 0)));
    expect(entries.filter((own) => own.some(({ kind }) => kind === 'reversal')).length).toBeGreaterThan(1);
    await patient.close();
  });

  it('is not delivered when its charge was lost in a failover to a standby', async () => {
    const token = await app.paidToken();
    await app.get('/api/parcels?limit=1', { token });
    const { balanceId } = await app.identityOf(token);
    const failOver = () =>
      app.db.query(`
      begin;
      set local session_replication_role = replica;
      truncate undelivered_read;
      update credit_balance b
         set remaining = b.remaining - l.credits, entry_count = b.entry_count - 1, chain_head = l.previous_hash, last_entry_at = p.at
        from ledger_entry l join ledger_entry p on p.balance_id = l.balance_id and p.sequence = l.sequence - 1
       where b.id = '${balanceId}' and l.balance_id = b.id and l.sequence = b.entry_count;
      delete from ledger_entry l using credit_balance b where b.id = '${balanceId}' and l.balance_id = b.id and l.sequence > b.entry_count;
      commit`);
    const read = await beforeItsPage(token, () => app.get('/api/parcels?limit=66', { token }), failOver);
    expect(read.status).toBe(503);
    expect(await movesOf(token)).toEqual(['read -1']);
  });

  it('is not delivered after somebody reversed it', async () => {
    const token = await app.paidToken();
    await app.get('/api/parcels?limit=1', { token });
    const takeBack = async () => {
      const { request_id: requestId } = (await app.entriesOf(token))[1]!;
      return app.db.query(`select reverse_undelivered($1, $2, 'not delivered')`, [(await app.identityOf(token)).balanceId, requestId]);
    };
    const read = await beforeItsPage(token, () => app.get('/api/parcels?limit=77', { token }), takeBack);
    expect(read.status).toBe(503);
    expect(await movesOf(token)).toEqual(['read -1', 'read -77', 'reversal 77']);
  });
});

describe('a county that is published anew, withdrawn or rolled back', () => {
  const cursorAfter = async (token: string, fips: string) => cursorOf(await app.get(`/api/parcels?county_fips=${fips}&limit=2`, { token }));
  const withdraw = (fips: string) =>
    app.database.controlDataSource.transaction((manager) => setCountyStatus(manager, fips, 'unavailable', null));
  const prune = (release: number) => (owner: Held) =>
    owner.query(`update parcel_release set state = 'pruned', content_digests = null where id = ${release};
                 delete from parcel where release_id = ${release}`);
  const readAt = (server: TestApp, token: string, fips: string, cursor = '') =>
    server.get(`/api/parcels?county_fips=${fips}&limit=2${cursor && `&cursor=${cursor}`}`, { token });

  it('sells nothing from the very next read on every server once withdrawn, and takes no earlier cursor even when it is loaded again', async () => {
    const fips = '25003';
    await publishRecords(app.db, fips, 10);
    const token = await app.paidToken();
    const cursor = await cursorAfter(token, fips);
    expect((await readAt(other, token, fips)).json.parcels).toHaveLength(2);
    await withdraw(fips);
    for (const server of [app, other]) {
      const { status, json } = await readAt(server, token, fips);
      expect([status, json.parcels]).toEqual([200, []]);
      expect((await readAt(server, token, fips, cursor)).status).toBe(400);
    }
    expect((await movesOf(token)).filter((move) => move !== 'read 0')).toEqual(['read -2', 'read -2']);
    await publishRecords(app.db, fips, 10);
    expect((await readAt(app, token, fips)).json.parcels).toHaveLength(2);
    expect((await readAt(app, token, fips, cursor)).status).toBe(400);
  });

  it('lets only the tokens of the balance that began a release read it to its end, for a day after it was replaced', async () => {
    const fips = '25005';
    const old = await publishRecords(app.db, fips, 4);
    const account = randomUUID();
    const [token, sibling, stranger] = [await app.paidToken(account), await app.paidToken(account), await app.paidToken()];
    const cursor = await cursorAfter(token, fips);
    const first = await Promise.all([token, sibling, stranger].map((reader) => readAt(app, reader, fips, cursor)));
    expect(first.map(({ status }) => status)).toEqual([200, 200, 400]);
    await publishRecords(app.db, fips, 10);
    for (const own of [token, sibling]) {
      const { headers, json } = await readAt(other, own, fips, cursor);
      expect(json.parcels.map((record: { release_id: number }) => record.release_id)).toEqual([old, old]);
      expect(headers.get('link')).toBeNull();
    }
    const refusal = async (caller: string) => (await readAt(other, caller, fips, cursor)).json.message;
    expect(await refusal(stranger)).toMatch(/^cursor belongs to another balance/);
    await app.db.moveClock('25 hours');
    expect(await refusal(token)).toMatch(/^cursor has expired/);
    await app.db.moveClock('-25 hours');
    expect(await movesOf(stranger)).toEqual([]);
  });

  it('can be read on by a paid token from where a trial of its account stopped, but by no other trial, which starts at the beginning', async () => {
    const fips = '25001';
    await publishRecords(app.db, fips, 4);
    const person = await app.signUp();
    const trial = await person.trialToken();
    const cursor = await cursorAfter(trial, fips);
    const [here, there] = [await readAt(app, trial, fips, cursor), await readAt(app, await app.paidToken(person.id), fips, cursor)];
    expect([there.status, there.json.parcels]).toEqual([200, here.json.parcels]);
    await app.db.query('update api_token set revoked_at = service_now() where account_id = $1', [person.id]);
    for (const next of [await person.trialToken(), await app.trialToken()]) {
      expect(await refusalOf(readAt(app, next, fips, cursor))).toBe('400 invalid_request cursor');
      expect((await readAt(app, next, fips)).json.parcels.map(({ apn }: { apn: string }) => apn)).toEqual(['APN-1', 'APN-2']);
    }
  });

  it('can be read on with a cursor of a server that learned of the release earlier', async () => {
    const fips = '25013';
    const first = await publishRecords(app.db, fips, 10);
    const token = await app.paidToken();
    const cursors = [await cursorAfter(token, fips)];
    await publishRecords(app.db, fips, 10);
    cursors.push(await cursorAfter(token, fips));
    const [, second] = cursors as [string, string];
    expect((await readAt(other, token, fips, second)).status).toBe(200);
    await app.database.controlDataSource.transaction((manager) => rollBack(manager, fips));
    const again = await readAt(other, token, fips, cursors[0]);
    expect(again.json.parcels.map((record: { release_id: number }) => record.release_id)).toEqual([first, first]);
  });

  it('leads on from a repeated page even if another release took its place', async () => {
    const fips = '25019';
    await publishRecords(app.db, fips, 10);
    const token = await app.paidToken();
    const page = `/api/parcels?county_fips=${fips}&limit=4`;
    const headers = { 'idempotency-key': 'leads-on' };
    const first = await app.get(page, { token, headers });
    await publishRecords(app.db, fips, 10);
    await readAt(app, token, fips);
    const again = await app.get(page, { token, headers });
    expect([again.headers.get('idempotency-replayed'), again.headers.get('link')]).toEqual(['true', first.headers.get('link')]);
    expect((await app.get(nextOf(again)!, { token })).json.parcels).toHaveLength(4);
  });

  it('accepts no cursor of another county or one that nobody was given', async () => {
    await publishRecords(app.db, '25025', 3);
    const token = await app.paidToken();
    const cursor = await cursorAfter(token, middlesex);
    const bytes = Buffer.from(cursor, 'base64url');
    bytes[3]! ^= 1;
    for (const forged of [Buffer.from('11.1').toString('base64url'), bytes.toString('base64url'), `${cursor}A`, cursor.slice(0, -1)]) {
      expect(await refusalOf(readAt(app, token, middlesex, forged))).toBe('400 invalid_request cursor');
    }
    expect((await readAt(app, token, '25025', cursor)).status).toBe(400);
    expect(await movesOf(token)).toEqual(['read -2']);
  });

  it('repeats a paid read under its key even if its release is no longer offered', async () => {
    const fips = '25007';
    await publishRecords(app.db, fips, 10);
    const token = await app.paidToken();
    const cursor = await cursorAfter(token, fips);
    const page = `/api/parcels?county_fips=${fips}&limit=2&cursor=${cursor}`;
    const headers = { 'idempotency-key': 'k' };
    const first = await app.get(page, { token, headers });
    await withdraw(fips);
    const again = await other.get(page, { token, headers });
    expect([again.status, again.json.parcels]).toEqual([200, first.json.parcels]);
    const conditional = await other.get(page, { token, headers: { ...headers, 'if-none-match': '"another"' } });
    expect([conditional.status, conditional.json.parcels]).toEqual([200, first.json.parcels]);
    expect((await other.get(page, { token, headers: { 'idempotency-key': 'another' } })).status).toBe(400);
  });

  it('has its pruned releases refused from the next read on every server, without any notification', async () => {
    const fips = '25009';
    await publishRecords(app.db, fips, 10);
    const token = await app.paidToken();
    const cursor = await cursorAfter(token, fips);
    await publishRecords(app.db, fips, 10);
    await pruneReleases(app.database.controlPool, 0);
    expect((await readAt(other, token, fips, cursor)).status).toBe(400);
    expect((await readAt(other, token, fips)).json.parcels).toHaveLength(2);
  });

  it('is news to the servers only when something changed, which a start or a prune with nothing to do does not cause', async () => {
    const versionAfter = async (change: () => Promise<unknown>) => {
      await change();
      return Number(await app.db.value('select version from coverage_version'));
    };
    let version = await versionAfter(async () => {});
    for (const idle of [
      () => migrate(app.db.url, pino({ level: 'silent' }), seedCounties),
      () => closeDeadLoads(app.database.controlPool),
      () => pruneReleases(app.database.controlPool, 1_000),
    ]) {
      expect(await versionAfter(idle)).toBe(version);
    }
    for (const change of [
      `update county set name = 'Berkshire' where fips = '25003'`,
      `delete from county where fips = '01001'`,
      `insert into county (fips, name, state) values ('01001', 'Autauga', 'AL')`,
      `update parcel_release set state = state where id = (select max(id) from parcel_release)`,
    ]) {
      const before = version;
      version = await versionAfter(() => app.db.query(change));
      expect(version).toBeGreaterThan(before);
    }
  });

  it('repeats nothing of a pruned release on any server, and records no replay of it', async () => {
    const fips = '25013';
    await publishRecords(app.db, fips, 10);
    const token = await app.paidToken();
    const page = `/api/parcels?county_fips=${fips}&limit=2`;
    const headers = { 'idempotency-key': 'k' };
    expect((await app.get(page, { token, headers })).status).toBe(200);
    await publishRecords(app.db, fips, 10);
    expect((await other.get(page, { token, headers })).headers.get('idempotency-replayed')).toBe('true');
    const kept = ['read -2', 'replay 0'];
    expect(await movesOf(token)).toEqual(kept);

    await pruneReleases(app.database.controlPool, 0);
    // The first server has the page in memory, the second one, too, and a third one has not.
    const third = await startApp({}, app);
    for (const server of [app, other, third]) {
      expect(await refusalOf(server.get(page, { token, headers }))).toBe('410 replay_expired');
      expect((await server.call('HEAD', page, { token, headers })).status).toBe(410);
    }
    await third.close();
    expect(await movesOf(token)).toEqual(kept);
    expect((await app.get(`${page}1`, { token, headers })).status).toBe(422);

    const among = await Promise.all(
      ['k', null, 'k', 'new', 'k', null].map((key) => app.get(page, { token, ...(key && { headers: { 'idempotency-key': key } }) })),
    );
    expect(among.map(({ status }) => status)).toEqual([410, 200, 410, 200, 410, 200]);
    expect(await movesOf(token)).toEqual([...kept, 'read -2', 'read -2', 'read -2']);
    await app.db.query('update api_token set revoked_at = service_now() where id = $1', [(await app.identityOf(token)).tokenId]);
    expect((await app.get(page, { token, headers })).json.error).toBe('revoked');
  });

  it('answers a retry under a key with 410 when its release is pruned between its commit and its page, and charges nothing', async () => {
    const fips = '25021';
    const release = await publishRecords(app.db, fips, 10);
    const token = await app.paidToken();
    const ask = (server: TestApp) => server.get(`/api/parcels?county_fips=${fips}&limit=2`, { token, headers: { 'idempotency-key': 'k' } });
    expect((await ask(app)).status).toBe(200);
    await publishRecords(app.db, fips, 10);
    const retry = await beforeItsPage(token, () => ask(other), prune(release));
    expect(await refusalOf(retry)).toBe('410 replay_expired');
    expect((await ask(app)).status).toBe(410);
    expect(await movesOf(token)).toEqual(['read -2', 'replay 0']);
  });

  it('answers a page with 400 and reverses its read when its release is pruned between its commit and its page', async () => {
    const fips = '25023';
    const release = await publishRecords(app.db, fips, 10);
    const token = await app.paidToken();
    const cursor = await cursorAfter(token, fips);
    await publishRecords(app.db, fips, 10);
    const answer = await beforeItsPage(token, () => readAt(other, token, fips, cursor), prune(release));
    expect(await refusalOf(answer)).toBe('400 invalid_request cursor');
    expect(await movesOf(token)).toEqual(['read -2', 'read -2', 'reversal 2']);
  });
});

it('states a balance as the next read will find it when a period is due', async () => {
  const person = await app.signUp();
  const token = await app.paidToken(person.id);
  for (let i = 0; i < 8; i++) await app.get('/api/parcels?limit=500', { token });
  await app.db.query('update credit_balance set overage_cap = 0 where account_id = $1', [person.id]);
  expect((await person.get('/api/tokens')).json.tokens[0]).toMatchObject({ state: 'exhausted', credits_remaining: 0 });
  await app.db.moveClock('31 days');
  expect((await person.get('/api/tokens')).json.tokens[0]).toMatchObject({ state: 'active', credits_remaining: 4000 });
  expect((await app.get('/api/usage', { token })).json.balance).toMatchObject({ credits_remaining: 4000 });
  await app.db.moveClock('-31 days');
  // The audit knows that nobody caps what an operator gave.
  await app.db.query('update credit_balance set overage_cap = null where account_id = $1', [person.id]);
});

describe('GET /api/usage', () => {
  it('shows what the calling token read and what no token did, and the shared balance', async () => {
    const account = randomUUID();
    const [one, sibling] = [await app.paidToken(account), await app.paidToken(account)];
    await app.get('/api/parcels?limit=3', { token: one });
    await app.get('/api/parcels?limit=4', { token: sibling });
    const { json } = await app.get('/api/usage', { token: one });
    const { tokenId } = await app.identityOf(one);
    const shown = json.ledger.map(({ kind, credits, token_id }: Json) => `${kind} ${credits} ${token_id}`);
    expect(shown).toEqual([`read -3 ${tokenId}`, 'grant 4000 null']);
    expect(json.balance.credits_remaining).toBe(3993);
  });

  it('leads by Link, with HEAD as with GET, through every entry once, newest first and at no charge, even while the token reads on', async () => {
    const account = randomUUID();
    const [token, sibling] = [await app.paidToken(account), await app.paidToken(account)];
    for (let i = 0; i < 205; i++) {
      // The grant is an entry, too.
      if (i === 99) expect(nextOf(await app.get('/api/usage', { token }))).toBeUndefined();
      await app.get('/api/parcels?limit=1', { token });
      if (i % 50 === 0) await app.get('/api/parcels?limit=2', { token: sibling });
    }
    const walk = async () => {
      const sizes: number[] = [];
      const ids: string[] = [];
      for (let path: string | undefined = '/api/usage'; path; ) {
        const answer = await app.get(path, { token });
        const { status, json } = answer;
        expect([status, Object.keys(json)]).toEqual([200, ['token', 'balance', 'ledger', 'metering']]);
        sizes.push(json.ledger.length);
        ids.push(...json.ledger.map(({ id }: { id: string }) => id));
        expect(nextOf(await app.call('HEAD', path, { token }))).toBe(nextOf(answer));
        path = nextOf(answer);
        await app.get('/api/parcels?limit=1', { token });
      }
      return { sizes, ids };
    };
    const { balanceId, tokenId } = await app.identityOf(token);
    const written = await app.db.query<{ id: string }>(
      `select id from ledger_entry where balance_id = $1 and (token_id = $2 and kind <> 'token' or kind = 'grant') order by sequence desc`,
      [balanceId, tokenId],
    );
    expect(await walk()).toEqual({ sizes: [100, 100, 6], ids: written.map(({ id }) => id) });
    expect((await walk()).sizes).toEqual([100, 100, 9]);
  });

  it('refuses a cursor that the calling token was not given, but a rejected token first', async () => {
    const account = randomUUID();
    const [token, sibling, stranger] = [await app.paidToken(account), await app.paidToken(account), await app.paidToken()];
    await app.get('/api/parcels?limit=1', { token });
    const { ledger } = (await app.get('/api/usage', { token })).json;
    const [read, grant] = ledger.map(({ id }: { id: string }) => id);
    const usage = (caller: string, cursor: string) => app.get(`/api/usage?cursor=${cursor}`, { token: caller });
    for (const shown of [usage(token, read), usage(token, grant), usage(sibling, grant)]) expect((await shown).status).toBe(200);
    const ofToken = [randomUUID(), 'nonsense', '', `${grant}&cursor=${grant}`].map((cursor) => usage(token, cursor));
    for (const refused of [usage(sibling, read), usage(stranger, grant), ...ofToken])
      expect(await refusalOf(refused)).toBe('400 invalid_request cursor');
    expect(await refusalOf(usage(`${token}x`, 'nonsense'))).toBe('401 invalid');
  });

  it('states the balance that its ledger adds up to, even while others read', async () => {
    const token = await app.paidToken();
    let isOver = false;
    const read = async () => {
      while (!isOver) await other.get('/api/parcels?limit=1', { token });
    };
    const readers = [read(), read(), read()];
    try {
      for (let i = 0; i < 100; i++) {
        const { balance, ledger, token: called, metering } = (await app.get('/api/usage', { token })).json;
        const stated = [balance, called, metering].map(({ credits_remaining }) => credits_remaining);
        expect(stated).toEqual(Array(3).fill(ledger[0].balance_after));
      }
    } finally {
      isOver = true;
      await Promise.all(readers);
    }
  });
});

describe('an account with many requests', () => {
  it('takes turns with the others, for pages as for spends', () => {
    const queue = new FairQueue<string>({ observe: () => {} });
    for (let i = 1; i <= 5; i++) queue.push('many', `many ${i}`);
    queue.push('one', 'one 1');
    queue.push('other', 'other 1');
    queue.push('other', 'other 2');
    expect(queue.take(4)).toEqual(['many 1', 'one 1', 'other 1', 'many 2']);
    expect(queue.take(9, (key) => key === 'many')).toEqual(['other 2']);
    expect(queue.take(9)).toEqual(['many 3', 'many 4', 'many 5']);
  });

  it('does not delay another account that wants a page for which it waits, too', async () => {
    const releaseId = await app.db.value<number>('select current_release_id from county where fips = $1', [middlesex]);
    const store = new ParcelStore(openPool(app.db, { max: 1 }));
    const read: number[] = [];
    const ask = (first: number, reader: string) => store.records([{ releaseId, first, count: 1 }], reader).then(() => read.push(first));
    // six are under way together
    const many = Array.from({ length: 10 }, (_, index) => ask(index + 1, 'many'));
    await Promise.all([...many, ask(10, 'one'), ask(10, 'one'), ask(11, 'one')]);
    expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 10, 10, 10, 8, 11, 9]);
  });

  it('does not delay other accounts, even with many tokens of one balance', async () => {
    const account = randomUUID();
    const tokens = await paidTokens(20, account);
    const { release } = await holdBalance(tokens[0]!);
    const flood = tokens.flatMap((token) => Array.from({ length: 10 }, () => patiently(() => app.get('/api/parcels?limit=1', { token }))));
    await spendsWait();
    const stranger = await app.paidToken();
    expect((await app.get('/api/parcels?limit=1', { token: stranger })).status).toBe(200);
    await release();
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('gets 503 for all requests waiting for a locked balance at the same moment, not one after the other', async () => {
    const token = await app.paidToken();
    const { release } = await holdBalance(token);
    const first = app.get('/api/parcels?limit=1', { token });
    await spendsWait();
    const others = Array.from({ length: 4 }, () => app.get('/api/parcels?limit=1', { token }));
    expect((await first).status).toBe(503);
    expect((await Promise.race(others)).status).toBe(503);
    await release();
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    expect(await movesOf(token)).toEqual([]);
  });

  it('gets 503 for all waiting requests together when the database hangs, not one statement after the other', async () => {
    const line = await FaultProxy.open(app.db.url);
    closeAtEnd(() => line.close());
    const hanging = await startApp({ DATABASE_URL: line.url }, app, requestLimits);
    const token = await app.paidToken();
    await hanging.get('/api/parcels?limit=1', { token });
    const statements = async () => (await spendBatchSize.get()).values.find(({ metricName }) => metricName?.endsWith('_count'))!.value;
    const before = await statements();
    line.hang();
    const answers = await Promise.all(Array.from({ length: 640 }, () => hanging.get('/api/parcels?limit=1', { token })));
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(new Set(['503 2']));
    // Ten whole ones would be needed for all of them.
    expect((await statements()) - before).toBeLessThan(6);
    expect(await movesOf(token)).toEqual(['read -1']);
  });

  it('is charged once under a key, however often it asks two servers while its balance is locked and after, and each answer has its entry', async () => {
    const token = await app.paidToken();
    const { release } = await holdBalance(token);
    const ask = (server: TestApp, limit = 7) =>
      server.get(`/api/parcels?limit=${limit}`, { token, headers: { 'idempotency-key': 'patient' } });
    const whileHeld = await Promise.all([app, other, other, app].map((server) => ask(server)));
    expect(whileHeld.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(Array(4).fill([503, '2']));
    expect(await movesOf(token)).toEqual([]);
    const waiting = Array.from({ length: 20 }, (_, i) => patiently(() => ask(i % 2 ? app : other)));
    await spendsWait();
    await release();
    const answers = await Promise.all([...waiting, ask(app), ask(other)]);
    expect(answers.map(({ status, json }) => [status, json.parcels.length])).toEqual(Array(22).fill([200, 7]));
    expect(new Set(answers.map(({ json }) => JSON.stringify(json.parcels))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(answers.reduce((sum, { json }) => sum + json.metering.credits_charged, 0)).toBe(7);
    expect((await ask(other, 8)).status).toBe(422);
    expect(await movesOf(token)).toEqual(['read -7', ...Array(21).fill('replay 0')]);
    expect(new Set(answers.map(({ json }) => json.metering.ledger_entry_id))).toEqual(
      new Set((await app.entriesOf(token)).map(({ id }) => id)),
    );
  });
});
