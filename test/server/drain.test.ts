import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase, openClient, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { FaultProxy } from '../harness/fault-proxy.js';
import { patiently } from '../harness/patiently.js';
import { Person } from '../harness/person.js';
import { ServiceProcess } from '../harness/process.js';
import { rawRequest, sendBytes } from '../harness/raw-request.js';
import { publishRecords } from '../harness/records.js';

let db: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  db = await createTestDatabase();
  env = { DATABASE_URL: db.url, AUTH_SECRET: 'a secret of the tests, long enough' };
});
afterAll(() => db.drop());

/** A service as a balancer sees it: when it last began to look at a service that then said that it was ready. */
interface Backend {
  service: ServiceProcess;
  readyAt: number;
}

// A server takes connections for as long after it was ready. The balancer trusts a look for much less, so that a slow machine has time to
// send what was decided.
const noticeSeconds = 4;
const trustedMs = 700;

describe('a server that is told to stop', () => {
  it('neither refuses nor cuts off a request when two servers behind a balancer are restarted one after the other', async () => {
    const backends = new Set<Backend>();
    let isOver = false;
    const traffic: Promise<void>[] = [];
    const look = async (backend: Backend) => {
      while (!isOver && backends.has(backend)) {
        const at = Date.now();
        const isReady = await rawRequest(backend.service.url, 'GET', '/ready').then(
          ({ status }) => status === 200,
          () => false,
        );
        backend.readyAt = isReady ? at : 0;
        await pause(50);
      }
    };
    const add = async () => {
      const backend = { service: await ServiceProcess.start({ ...env, DRAIN_NOTICE_SECONDS: String(noticeSeconds) }), readyAt: 0 };
      backends.add(backend);
      traffic.push(look(backend));
    };
    const agent = new Agent({ keepAlive: true });
    const outcomes = new Map<string, number>();
    const send = async () => {
      while (!isOver) {
        const ready = [...backends].filter(({ readyAt }) => Date.now() - readyAt < trustedMs);
        if (ready.length > 0) {
          const outcome = await statusOf(ready[Math.floor(Math.random() * ready.length)]!.service.url, agent);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
        await pause(10);
      }
    };
    await add();
    await add();
    traffic.push(...Array.from({ length: 6 }, send));
    try {
      for (const backend of [...backends]) {
        await add();
        const before = outcomes.get('200') ?? 0;
        await eventually('the servers are busy', async () => outcomes.size > 1 || (outcomes.get('200') ?? 0) > before + 50);
        expect(await backend.service.end('SIGTERM')).toMatchObject({ code: 0 });
        backends.delete(backend);
      }
    } finally {
      isOver = true;
      await Promise.all(traffic);
    }
    agent.destroy();
    expect([...outcomes.keys()]).toEqual(['200']);
    expect(outcomes.get('200')).toBeGreaterThan(100);
    await Promise.all([...backends].map(({ service }) => service.end('SIGTERM')));
  });

  describe('while it still accepts connections', () => {
    let service: ServiceProcess;
    let person: Person;
    let token: string;
    let ended: ReturnType<ServiceProcess['end']>;
    beforeAll(async () => {
      await publishRecords(db, '25017', 100);
      service = await ServiceProcess.start({ ...env, DRAIN_NOTICE_SECONDS: '10' });
      person = await Person.signUp(service.url);
      token = await person.trialToken();
      expect((await rawRequest(service.url, 'GET', '/ready')).status).toBe(200);
      ended = service.end('SIGTERM');
    });

    it('announces that it is stopping by 503 at /ready and Connection: close', async () => {
      await eventually('it says so', async () => (await rawRequest(service.url, 'GET', '/ready')).status === 503);
      const { status, headers } = await rawRequest(service.url, 'GET', '/api/coverage', { headers: { connection: 'keep-alive' } });
      expect([status, headers.connection]).toEqual([200, 'close']);
    });

    it('answers the operations of a session', async () => {
      expect(await person.ask('{ me { id } }')).toEqual({ me: { id: person.id } });
    });

    it('begins no request behind an answer that closes its connection, so that nothing is charged that is never sent', async () => {
      const get = `GET /api/parcels?limit=4 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const answers = await sendBytes(service.url, get.repeat(8));
      expect(answers.match(/HTTP\/1.1 200 OK/g)).toHaveLength(1);
      expect(await ended).toMatchObject({ code: 0 });
      const [charged] = await db.query(`select -sum(credits)::integer as credits from ledger_entry where kind in ('read', 'reversal')`);
      expect(charged).toEqual({ credits: 4 });
    });
  });

  it('answers open requests with 503 and ends when the database hangs', async () => {
    const proxy = await FaultProxy.open(db.url);
    const service = await ServiceProcess.start({ ...env, DATABASE_URL: proxy.url });
    const person = await Person.signUp(service.url);
    const token = await person.trialToken();
    const headers = { cookie: person.cookie, authorization: `Bearer ${token}` };
    const paths = ['/ready', '/api/coverage', '/api/counties/25017', '/api/parcels?limit=1', '/api/usage', '/api/me', '/api/tokens'];
    const statusesOf = () => Promise.all(paths.map(async (path) => (await rawRequest(service.url, 'GET', path, { headers })).status));
    await eventually('all are answered', async () => (await statusesOf()).every((status) => status === 200));
    proxy.hang();
    const statuses = statusesOf();
    await rawRequest(service.url, 'GET', '/health');
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
    const [ready, ...others] = await statuses;
    expect(others).toEqual(others.map(() => 503));
    // What a probe is told may be a second old.
    expect([200, 503]).toContain(ready);
  });

  it('reverses undelivered reads before it ends, even when the database comes back only after the signal', async () => {
    const release = await publishRecords(db, '25017', 100);
    const proxy = await FaultProxy.open(db.url);
    const service = await ServiceProcess.start({ ...env, DATABASE_URL: proxy.url });
    const token = await (await Person.signUp(service.url)).trialToken();
    const headers = { authorization: `Bearer ${token}` };
    expect((await patiently(() => rawRequest(service.url, 'GET', '/api/parcels?limit=1', { headers }))).status).toBe(200);
    proxy.cutAllAfter('spend');
    expect((await rawRequest(service.url, 'GET', '/api/parcels?limit=20', { headers })).status).toBe(503);
    // As a crash of Postgres leaves it.
    await db.query('truncate undelivered_read');
    const ended = service.end('SIGTERM');
    await eventually('it stops', async () => service.said.includes('stopping: finishing'));
    const { refusals } = proxy;
    await eventually('it looks for its database', async () => proxy.refusals > refusals + 2);
    proxy.mend();
    expect(await ended).toMatchObject({ code: 0 });
    const moves = await db.query(`select kind, credits from ledger_entry where segments[1] = $1 or kind = 'reversal' order by sequence`, [
      release,
    ]);
    expect(moves).toEqual([
      { kind: 'read', credits: -1 },
      { kind: 'read', credits: -20 },
      { kind: 'reversal', credits: 20 },
    ]);
  });
});

describe('a server with a fault that nothing caught', () => {
  it.each([
    ['a rejection', 'Promise.reject(new Error("of a test"))'],
    ['an exception', 'throw new Error("of a test")'],
  ])('logs the fault, answers open requests, and ends with 1: %s', async (_, raise) => {
    const preload = `data:text/javascript,process.on('SIGUSR2',()=>{${raise}})`;
    const service = await ServiceProcess.start({ ...env, NODE_OPTIONS: `--import=${encodeURI(preload)}` });
    const holder = await openClient(db);
    await holder.query('begin; lock table county in access exclusive mode');
    const answer = rawRequest(service.url, 'GET', '/api/coverage');
    await eventually('the request waits', async () => {
      const waiting = await db.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return waiting.length > 0;
    });
    const ended = service.end('SIGUSR2');
    await eventually('it has noticed', async () => /"level":60,.*of a test/.test(service.said));
    await holder.end();
    expect((await answer).status).toBe(200);
    expect((await ended).code).toBe(1);
  });
});

/** The status of an answer, or the code of the fault that was in its way. */
function statusOf(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, path: '/api/coverage', agent }, (response) => {
      response
        .resume()
        .on('end', () => resolve(String(response.statusCode)))
        .on('error', (error) => resolve(error.message));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end();
  });
}
