import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { createLog } from '../../src/core/log.js';
import { clusterPath } from '../../src/database/embedded/cluster.js';
import { acquireEmbeddedPostgres, type EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { readPidFile } from '../../src/database/embedded/postmaster.js';
import { closeAtEnd } from '../harness/closing.js';
import { openClient } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { runCli, ServiceProcess } from '../harness/process.js';
import { rawRequest } from '../harness/raw-request.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const log = createLog({ logLevel: 'silent' });
const pidFileOf = (dataDir: string) => join(dataDir, 'postgres/postmaster.pid');
const postmaster = async (dataDir: string) => (await readPidFile(clusterPath(dataDir))) ?? { pid: 0, port: 0 };

describe('the embedded database under a running service', () => {
  let dataDir: string;
  let service: ServiceProcess;
  beforeAll(async () => {
    dataDir = await temporaryFolder();
    service = await ServiceProcess.start({ DATA_DIR: dataDir, NODE_ENV: 'production', MAIL_TO_OUTBOX: 'yes' });
    closeAtEnd(() => service.end('SIGKILL'));
  });

  const isReady = async () => (await rawRequest(service.url, 'GET', '/ready')).status === 200;

  it('has no invented records in production', async () => {
    const { text } = await rawRequest(service.url, 'GET', '/api/counties?status=loaded');
    expect(JSON.parse(text)).toMatchObject({ total: 0 });
  });

  it.each(['SIGKILL', 'SIGINT'] as const)(
    'is restarted on its port when %s ended it, with a log that only its owner can read',
    async (signal) => {
      const before = await postmaster(dataDir);
      const logFile = join(dataDir, 'postgres.log');
      const mode = async () => (await stat(logFile)).mode & 0o777;
      expect(await mode()).toBe(0o600);
      process.kill(before.pid, signal);
      await eventually('another one runs', async () => ![0, before.pid].includes((await postmaster(dataDir)).pid));
      await eventually('the service is ready', isReady);
      expect((await postmaster(dataDir)).port).toBe(before.port);
      await eventually(
        'all pools have connected again',
        async () => (await rawRequest(service.url, 'GET', '/api/coverage')).status === 200,
      );
      expect(await mode()).toBe(0o600);
    },
  );

  it('is used by the command line while it is restarted, and stopped by its last user', async () => {
    process.kill((await postmaster(dataDir)).pid, 'SIGKILL');
    expect(await runCli(['audit'], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
    await eventually('the service is ready', isReady);
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 });
    expect((await postmaster(dataDir)).pid).toBe(0);
  });
});

describe('the embedded database', () => {
  let dataDir: string;
  let user: EmbeddedPostgres | undefined;
  beforeAll(async () => {
    dataDir = await temporaryFolder();
    await (await acquireEmbeddedPostgres(dataDir, log)).release();
  });
  afterEach(() => user?.release());

  const userCount = async (url: string): Promise<number | null> => {
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    const count = `select count(*)::integer from pg_locks where locktype = 'advisory' and mode = 'ShareLock'`;
    const answer = await client.connect().then(
      () => client.query(count),
      () => null,
    );
    await client.end();
    return answer?.rows[0].count ?? null;
  };
  const isReachable = async (url: string) => (await userCount(url)) !== null;

  it.each(['starting', 'ready'])(
    'starts where one that was %s left its pid file, and another process has its number now',
    async (status) => {
      const other: ChildProcess = spawn('sleep', ['600']);
      closeAtEnd(() => other.kill());
      await writeFile(pidFileOf(dataDir), `${other.pid}\n${join(dataDir, 'postgres')}\n1700000000\n1\n\n127.0.0.1\n0 0\n${status}\n`);
      user = await acquireEmbeddedPostgres(dataDir, log);
      expect(await isReachable(user.url)).toBe(true);
      expect(other.exitCode).toBeNull();
    },
  );

  it('is retried as long as it cannot be started, and comes back when it can', async () => {
    user = await acquireEmbeddedPostgres(dataDir, log);
    const { url } = user;
    // Without this file no Postgres starts: as little as one does on a full disk.
    const settings = join(dataDir, 'postgres/postgresql.conf');
    const was = await readFile(settings, 'utf8');
    await writeFile(settings, 'no_such_setting = on');
    const attempts = async () => (await readFile(join(dataDir, 'postgres.log'), 'utf8')).split('no_such_setting').length;
    const attemptsBefore = await attempts();
    process.kill((await postmaster(dataDir)).pid, 'SIGKILL');
    await eventually('it is tried three times', async () => (await attempts()) >= attemptsBefore + 3);
    expect(await isReachable(url)).toBe(false);
    await writeFile(settings, was);
    await eventually('it is back', () => isReachable(url));
  });

  it('is restarted once, however many users see it die', async () => {
    const users = await Promise.all(Array.from({ length: 3 }, () => acquireEmbeddedPostgres(dataDir, log)));
    const { pid } = await postmaster(dataDir);
    process.kill(pid, 'SIGKILL');
    await eventually('it is back, with all its users', async () => (await userCount(users[0]!.url)) === 3);
    const again = await postmaster(dataDir);
    expect(again.pid).not.toBe(pid);
    for (const each of users.slice(1)) await each.release();
    expect(await isReachable(users[0]!.url)).toBe(true);
    expect((await postmaster(dataDir)).pid).toBe(again.pid);
    await users[0]!.release();
    expect(await isReachable(users[0]!.url)).toBe(false);
  });

  it('is stopped again when the database in it cannot be made, as on a full disk', async () => {
    user = await acquireEmbeddedPostgres(dataDir, log);
    const owner = await openClient({ url: user.url.replace(/[^/]*$/, 'postgres') });
    await owner.query('alter database parcel_records rename to kept');
    await owner.query('alter database template1 rename to away'); // of which the new one would be made
    await owner.end();
    await user.release();
    await expect(acquireEmbeddedPostgres(dataDir, log)).rejects.toThrow('template1');
    expect((await postmaster(dataDir)).pid).toBe(0);
  });
});
