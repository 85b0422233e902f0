import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { Person } from '../harness/person.js';
import { ServiceProcess } from '../harness/process.js';
import { rawRequest, sendBytes } from '../harness/raw-request.js';
import { publishRecords } from '../harness/records.js';
import { StallingProxy } from '../harness/stalling-proxy.js';

let db: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  db = await createTestDatabase();
  env = { DATABASE_URL: db.url, AUTH_SECRET: 'a secret of the tests, long enough' };
});
afterAll(() => db.drop());

describe('a server that is told to stop', () => {
  it('has nobody refused or cut, when one after the other is restarted', async () => {
    const serving = new Map<ServiceProcess, boolean>();
    const add = async () => serving.set(await ServiceProcess.start({ ...env, DRAIN_NOTICE_SECONDS: '1' }), true);
    await add();
    await add();
    let isOver = false;
    // What a balancer does: it looks at /ready, and sends requests where that was well, on connections that it keeps.
    const look = async () => {
      while (!isOver) {
        for (const service of serving.keys()) {
          const isReady = await rawRequest(service.url, 'GET', '/ready').then(
            ({ status }) => status === 200,
            () => false,
          );
          if (serving.has(service)) serving.set(service, isReady);
        }
        await pause(50);
      }
    };
    const agent = new Agent({ keepAlive: true });
    const outcomes = new Map<string, number>();
    const send = async () => {
      while (!isOver) {
        const ready = [...serving].filter(([, isReady]) => isReady).map(([service]) => service);
        const outcome = await statusOf(ready[Math.floor(Math.random() * ready.length)]!.url, agent);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        await pause(10);
      }
    };
    const traffic = [look(), ...Array.from({ length: 6 }, send)];
    try {
      for (const service of [...serving.keys()]) {
        await add();
        expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
        serving.delete(service);
      }
    } finally {
      isOver = true;
      await Promise.all(traffic);
    }
    agent.destroy();
    expect([...outcomes.keys()]).toEqual(['200']);
    expect(outcomes.get('200')).toBeGreaterThan(100);
    await Promise.all([...serving.keys()].map((service) => service.end('SIGTERM')));
  });

  it('says so by /ready and by Connection: close while it still takes connections', async () => {
    const service = await ServiceProcess.start({ ...env, DRAIN_NOTICE_SECONDS: '5' });
    expect((await rawRequest(service.url, 'GET', '/ready')).status).toBe(200);
    const ended = service.end('SIGTERM');
    await eventually('it says so', async () => (await rawRequest(service.url, 'GET', '/ready')).status === 503);
    const { status, headers } = await rawRequest(service.url, 'GET', '/api/coverage', { headers: { connection: 'keep-alive' } });
    expect([status, headers.connection]).toEqual([200, 'close']);
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('begins no request behind an answer that closes its connection, so that nothing is charged which is never sent', async () => {
    await publishRecords(db, '25017', 100);
    const service = await ServiceProcess.start({ ...env, DRAIN_NOTICE_SECONDS: '5' });
    const token = await (await Person.signUp(service.url)).trialToken();
    const ended = service.end('SIGTERM');
    await eventually('it drains', async () => (await rawRequest(service.url, 'GET', '/ready')).status === 503);
    const get = `GET /api/parcels?limit=4 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const answers = await sendBytes(service.url, get.repeat(8));
    expect(answers.match(/HTTP\/1.1 200 OK/g)).toHaveLength(1);
    expect(await ended).toMatchObject({ code: 0 });
    const [charged] = await db.query(`select -sum(credits)::integer as credits from ledger_entry where kind in ('read', 'reversal')`);
    expect(charged).toEqual({ credits: 4 });
  });

  it('answers the operations of a session while it still takes connections', async () => {
    const service = await ServiceProcess.start({ ...env, DRAIN_NOTICE_SECONDS: '5' });
    const person = await Person.signUp(service.url);
    const ended = service.end('SIGTERM');
    await eventually('it says that it stops', async () => (await rawRequest(service.url, 'GET', '/ready')).status === 503);
    expect(await person.ask('{ me { id } }')).toEqual({ me: { id: person.id } });
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('answers what is under way with 503 and is gone, when the database hangs', async () => {
    const proxy = await StallingProxy.open(db.url);
    const service = await ServiceProcess.start({ ...env, DATABASE_URL: proxy.url });
    const person = await Person.signUp(service.url);
    const token = await person.trialToken();
    const headers = { cookie: person.cookie, authorization: `Bearer ${token}` };
    const paths = ['/ready', '/api/coverage', '/api/counties/25017', '/api/parcels?limit=1', '/api/usage', '/api/me', '/api/tokens'];
    const statusesOf = () => Promise.all(paths.map(async (path) => (await rawRequest(service.url, 'GET', path, { headers })).status));
    expect(await statusesOf()).toEqual(paths.map(() => 200));
    proxy.hang();
    const statuses = statusesOf();
    await rawRequest(service.url, 'GET', '/health');
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(await statuses).toEqual(paths.map(() => 503));
    await proxy.close();
  });

  it('takes back what it could not deliver before it is gone, though the database comes back seconds after the signal only', async () => {
    const release = await publishRecords(db, '25017', 100);
    const proxy = await StallingProxy.open(db.url);
    closeAtEnd(() => proxy.close());
    const service = await ServiceProcess.start({ ...env, DATABASE_URL: proxy.url });
    const token = await (await Person.signUp(service.url)).trialToken();
    const headers = { authorization: `Bearer ${token}` };
    expect((await rawRequest(service.url, 'GET', '/api/parcels?limit=1', { headers })).status).toBe(200);
    proxy.cutAllAfter('spend');
    expect((await rawRequest(service.url, 'GET', '/api/parcels?limit=20', { headers })).status).toBe(503);
    // As a crash of Postgres leaves it.
    await db.query('truncate undelivered_read');
    const ended = service.end('SIGTERM');
    setTimeout(() => proxy.mend(), 5_000);
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
  ])('logs it, answers what is under way, and ends with 1: %s', async (_, raise) => {
    const preload = `data:text/javascript,process.on('SIGUSR2',()=>{${raise}})`;
    const service = await ServiceProcess.start({ ...env, NODE_OPTIONS: `--import=${encodeURI(preload)}` });
    const holder = new Client({ connectionString: db.url });
    await holder.connect();
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
