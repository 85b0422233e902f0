import { createTestDatabase, type TestDatabase } from './harness/database.js';
import { eventually } from './harness/eventually.js';
import { Person } from './harness/person.js';
import { freePort, runCli, runService, ServiceProcess } from './harness/process.js';
import { rawRequest } from './harness/raw-request.js';
import { publishRecords } from './harness/records.js';

const authSecret = 'a secret of the tests, long enough';

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
  const workers = () => [...service.said.matchAll(/"worker":\d+,"pid":(\d+),"port":\d+/g)].map(([, pid]) => Number(pid));

  it('greets once, when both listen', () => {
    expect(workers()).toHaveLength(2);
    expect(service.said.match(/is up at/g)).toHaveLength(1);
  });

  it('sells exactly what a trial holds, whichever worker is asked', async () => {
    const token = await (await Person.signUp(service.url)).trialToken();
    const statuses = (await Promise.all(Array.from({ length: 120 }, () => read(token)))).map(({ status }) => status);
    expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 402).length]).toEqual([50, 70]);
    expect(await runCli(['audit'], env)).toMatchObject({ code: 0 });
  });

  it('adds up the metrics of both, and counts once what the database says', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toMatch(/^spend_decisions_total\{decision="granted"\} 50$/m);
    expect(metrics).toMatch(/^audit_held 1$/m);
  });

  it('has another worker in the place of one that died', async () => {
    const [first] = workers();
    process.kill(first!, 'SIGKILL');
    await eventually('its death is noticed', async () => service.said.includes('another one takes its place'));
    await eventually('another worker listens', async () => workers().length === 3);
    const answers = await Promise.all(Array.from({ length: 10 }, () => rawRequest(service.url, 'GET', '/health')));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  it('ends in good order when it is told to, workers first', async () => {
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
    for (const pid of workers()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

it('a service whose workers cannot start says why and ends', async () => {
  const { code, stderr } = await runService({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', AUTH_SECRET: authSecret, WORKERS: '2' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('the database cannot be reached')]);
});
