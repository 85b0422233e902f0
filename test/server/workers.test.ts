import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { FaultProxy } from '../harness/fault-proxy.js';
import { patiently } from '../harness/patiently.js';
import { Person } from '../harness/person.js';
import { freePort, runCli, runService, ServiceProcess } from '../harness/process.js';
import { rawRequest, sendBytes } from '../harness/raw-request.js';
import { publishRecords } from '../harness/records.js';

const authSecret = 'a secret of the tests, long enough';

/** The process ids of all workers that have ever listened, in order. */
const pidsOfListening = ({ said }: ServiceProcess) =>
  [...said.matchAll(/"worker":\d+,"pid":(\d+),"port":\d+/g)].map(([, pid]) => Number(pid));

/** Waits until a process is stopped (T), or dead to the last of them (Z) and nobody has heard of it yet. */
const stateOf = (pid: number, state: string) =>
  eventually(`${pid} is ${state}`, async () => {
    const threads = await readdir(`/proc/${pid}/task`);
    return (state === 'T' || threads.length === 1) && (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(`) ${state} `);
  });

describe('a service of two workers', () => {
  let db: TestDatabase;
  let env: Record<string, string>;
  let service: ServiceProcess;
  let metricsPort: number;
  beforeAll(async () => {
    db = await createTestDatabase();
    await publishRecords(db, '25017', 1_000);
    metricsPort = await freePort();
    env = { DATABASE_URL: db.url, AUTH_SECRET: authSecret };
    service = await ServiceProcess.start({ ...env, WORKERS: '2', METRICS_PORT: String(metricsPort) });
  });
  afterAll(() => db.drop());

  const read = (token: string, path = '/api/parcels?limit=1') =>
    rawRequest(service.url, 'GET', path, { headers: { authorization: `Bearer ${token}` } });
  const workers = () => pidsOfListening(service);

  it('prints its address once, when both workers listen', () => {
    expect(workers()).toHaveLength(2);
    expect(service.said.match(/is up at/g)).toHaveLength(1);
  });

  it('sells exactly what a trial holds, whichever worker is asked', async () => {
    const token = await (await Person.signUp(service.url)).trialToken();
    const statuses = (await Promise.all(Array.from({ length: 120 }, () => patiently(() => read(token))))).map(({ status }) => status);
    expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 402).length]).toEqual([50, 70]);
    expect(await runCli(['audit'], env)).toMatchObject({ code: 0 });
  });

  it('adds up the metrics of both workers, and counts what the database says once', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const [reads] = await db.query<{ count: number }>(`select count(*)::integer from ledger_entry where kind = 'read'`);
    expect(reads!.count).toBeGreaterThanOrEqual(50);
    expect(metrics).toMatch(new RegExp(`^parcel_records_spend_decisions_total\\{decision="granted"\\} ${reads!.count}$`, 'm'));
    expect(metrics).toMatch(/^parcel_records_audit_held 1$/m);
  });

  it('replaces a worker that died, even when it learns of the death only after asking that worker for metrics', async () => {
    const [first] = workers();
    const scraper = connect(metricsPort, '127.0.0.1');
    const ask = (path: string) => void scraper.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    ask('/'); // which no worker is asked for, so what comes next on this connection is read before what a worker says
    await once(scraper, 'data');
    process.kill(service.pid, 'SIGSTOP');
    await stateOf(service.pid, 'T');
    ask('/metrics');
    process.kill(first!, 'SIGKILL');
    await stateOf(first!, 'Z');
    process.kill(service.pid, 'SIGCONT');
    await eventually('its death is noticed', async () => service.said.includes('a worker died; starting another'));
    await eventually('another worker listens', async () => workers().length === 3);
    scraper.destroy();
    const answers = await Promise.all(Array.from({ length: 10 }, () => rawRequest(service.url, 'GET', '/health')));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  it('closes the connection of a caller whose headers never end, as a single process does', async () => {
    expect(await sendBytes(service.url, 'GET /health HTTP/1.1\r\nHost: a\r\n')).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('answers what waits for its workers when it is told to stop, then ends in order, workers first', async () => {
    const live = workers().slice(1);
    for (const pid of live) process.kill(pid, 'SIGSTOP');
    for (const pid of live) await stateOf(pid, 'T');
    const callers = Array.from({ length: 20 }, () => connect(Number(new URL(service.url).port), '127.0.0.1'));
    await Promise.all(callers.map((caller) => once(caller, 'connect')));
    const answers = callers.map(async (caller) => {
      caller.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
      return String((await once(caller, 'data'))[0]).split('\r\n')[0];
    });
    const ended = service.end('SIGTERM');
    for (const pid of live) process.kill(pid, 'SIGCONT');
    expect(await Promise.all(answers)).toEqual(Array(20).fill('HTTP/1.1 200 OK'));
    expect(await ended).toMatchObject({ code: 0 });
    for (const pid of workers()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('workers that die while the database is away', () => {
  let proxy: FaultProxy;
  let service: ServiceProcess;
  beforeEach(async () => {
    proxy = await FaultProxy.open((await createTestDatabase()).url);
    const metricsPort = String(await freePort());
    service = await ServiceProcess.start({ DATABASE_URL: proxy.url, AUTH_SECRET: authSecret, WORKERS: '2', METRICS_PORT: metricsPort });
  });

  const failedStarts = (count: number) =>
    eventually(`${count} starts fail`, async () => (service.said.match(/a worker could not start/g)?.length ?? 0) >= count);
  const statusesOf = async (path: string) =>
    (await Promise.all(Array.from({ length: 10 }, () => rawRequest(service.url, 'GET', path)))).map(({ status }) => status);

  it('do not take the others with them: when the database is back, all serve again', async () => {
    const [first] = pidsOfListening(service);
    proxy.cut();
    process.kill(first!, 'SIGKILL');
    await failedStarts(1);
    expect(await statusesOf('/health')).toEqual(Array(10).fill(200));
    proxy.mend();
    await eventually('another worker listens', async () => pidsOfListening(service).length === 3);
    await eventually('all are ready', async () => (await statusesOf('/ready')).every((status) => status === 200));
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
  });

  it('are restarted even when none is left, until the service is told to stop', async () => {
    proxy.cut();
    for (const pid of pidsOfListening(service)) process.kill(pid, 'SIGKILL');
    await failedStarts(2);
    await failedStarts(4);
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
  });
});

it('a service whose workers cannot start says why and exits', async () => {
  const { code, stderr } = await runService({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', AUTH_SECRET: authSecret, WORKERS: '2' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('the database cannot be reached')]);
});
