import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { createLog } from '../../src/core/log.js';
import { seedCounties } from '../../src/counties/county-codes.js';
import { clusterPath, unprivilegedLaunch } from '../../src/database/embedded/cluster.js';
import { acquireEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { readPidFile } from '../../src/database/embedded/postmaster.js';
import * as embedded from '../../src/database/embedded/start-postgres.js';
import { migrate } from '../../src/database/migrating/migrate.js';
import { Caller } from '../harness/caller.js';
import { eventually } from '../harness/eventually.js';
import { Person } from '../harness/person.js';
import { ServiceProcess } from '../harness/process.js';
import { publishRecords } from '../harness/records.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const log = createLog({ logLevel: 'silent' });

describe('while the database is away, and when it is back', () => {
  let dataDir: string;
  let url: string;
  let service: ServiceProcess;
  let person: Person;
  let token: string;

  beforeAll(async () => {
    dataDir = await temporaryFolder();
    const postgres = await acquireEmbeddedPostgres(dataDir, log);
    url = postgres.url;
    // Nobody looks after it from here on: who uses the embedded database starts it again.
    await postgres.release();
    await startPostgres();
    await migrate(url, log, seedCounties);
    await publish(40);
    service = await ServiceProcess.start({ DATABASE_URL: url, AUTH_SECRET: 'a secret of the tests, long enough' });
    person = await Person.signUp(service.url);
    token = await person.trialToken();
    expect((await person.get('/api/parcels?limit=5', { token })).json.metering.credits_remaining).toBe(45);
    await stopPostgres();
  });

  const pidFile = () => readPidFile(clusterPath(dataDir));
  const query = async (sql: string, values?: unknown[]) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    return (await client.query(sql, values).finally(() => client.end())).rows;
  };
  const publish = (records: number) => publishRecords({ query }, '25017', records);

  async function stopPostgres(): Promise<void> {
    process.kill((await pidFile())!.pid, 'SIGINT');
    await eventually('Postgres stops', async () => (await pidFile()) === null);
  }

  /** On the port that it had. */
  const startPostgres = async () => embedded.startPostgres(dataDir, await unprivilegedLaunch(dataDir));

  it('is alive but not ready', async () => {
    expect((await person.get('/health')).status).toBe(200);
    expect((await person.get('/ready')).status).toBe(503);
  });

  it('writes one line a second for all requests that fail, with their number', async () => {
    const lines = () => service.said.split('\n').filter((line) => line.includes('"a request failed"'));
    const count = () => lines().reduce((sum, line) => sum + JSON.parse(line).count, 0);
    await Promise.all(Array.from({ length: 40 }, () => person.get('/api/parcels?limit=5', { token })));
    await eventually('all are told', async () => count() === 40);
    expect(lines().length).toBeLessThan(10);
  });

  it.each([
    ['GET', '/api/parcels'],
    ['GET', '/api/usage'],
    ['GET', '/api/coverage'],
    ['GET', '/api/counties/25017'],
    ['GET', '/api/me'],
    ['GET', '/api/tokens'],
    ['POST', '/api/tokens/trial'],
    ['GET', '/admin'],
  ])('answers %s %s with 503 unavailable and when to retry', async (method, path) => {
    const { status, headers, json } = await person.call(method, path, { token });
    expect([status, json.error]).toEqual([503, 'unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('refuses what needs no database as before', async () => {
    const caller = new Caller(service.url);
    expect((await caller.get('/api/parcels')).json.error).toBe('missing');
    expect((await caller.get('/api/parcels', { token: 'garbage' })).json.error).toBe('invalid');
    expect((await caller.get('/api/me')).text).toBe('{"user":null}');
    expect((await caller.get('/nowhere')).status).toBe(404);
  });

  it('serves again without a restart, has charged nothing meanwhile, and offers new releases', async () => {
    await startPostgres();
    await eventually('the service is ready', async () => (await person.get('/ready')).status === 200);
    expect((await person.get('/api/me')).status).toBe(200);
    expect((await person.get('/api/parcels?limit=5', { token })).json.metering.credits_remaining).toBe(40);
    const release = await publish(3);
    const { json } = await person.get('/api/parcels?limit=1', { token });
    expect(json.parcels[0].release_id).toBe(release);
  });

  it('is not ready at a standby from the first check on, and becomes ready without a restart when that is promoted', async () => {
    expect((await person.get('/ready')).status).toBe(200);
    await stopPostgres();
    // The answer from before is kept for half a second.
    await eventually('the service is not ready', async () => (await person.get('/ready')).status === 503);
    await writeFile(join(dataDir, 'postgres/standby.signal'), '');
    await startPostgres();
    expect(await query('select pg_is_in_recovery() as is')).toEqual([{ is: true }]);
    expect((await person.get('/api/parcels?limit=5', { token })).status).toBe(503);
    expect((await person.get('/ready')).status).toBe(503);
    expect((await person.get('/health')).status).toBe(200);
    await query('select pg_promote()');
    await eventually('the service is ready', async () => (await person.get('/ready')).status === 200);
    expect((await person.get('/api/parcels?limit=1', { token })).status).toBe(200);
  });

  it('stops when it is told to, even without its database', async () => {
    await stopPostgres();
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
  });
});
