import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createLog } from '../../src/core/log.js';
import { projectFile } from '../../src/core/project-files.js';
import { openDataSource, openPool } from '../../src/database/database.js';
import { crontab } from '../../src/jobs/crontab.js';
import { JobRunner, openJobPool } from '../../src/jobs/job-runner.js';
import { addJob, type RunningJob, type Task } from '../../src/jobs/task.js';
import { startApp } from '../harness/app.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { FaultProxy } from '../harness/fault-proxy.js';
import { launch } from '../harness/process.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'test-job': { number?: number };
    }
  }
}

const log = createLog({ logLevel: 'silent' });
let db: TestDatabase;
let pool: ReturnType<typeof openPool>;
const runners: JobRunner[] = [];

beforeEach(async () => {
  db = await createTestDatabase();
  pool = openPool(db.url, 'test', 2, log);
});
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.stop()));
  await pool.end();
  await db.drop();
});

function startRunner(run: Task<'test-job'>['run'], timeLimitSeconds = 600, url = db.url): JobRunner {
  const task: Task<'test-job'> = { name: 'test-job', timeLimitSeconds, run };
  const runner = new JobRunner(openJobPool({ url, jobConnections: 8 }, log), [task], log);
  runners.push(runner);
  runner.start();
  return runner;
}

interface StoredJob {
  id: string;
  attempts: number;
  last_error: string | null;
  locked_at: Date | null;
  wait: number;
}
const stored = () =>
  db.query<StoredJob>('select *, extract(epoch from run_at - now())::float as wait from graphile_worker.jobs order by id');

const connectionsOfRunners = `pg_stat_activity where application_name = 'parcel-records jobs' and datname = current_database()`;

/** A server with one job that hangs. @returns when it has begun */
async function beginHangingJob(timeLimitSeconds?: number, url?: string): Promise<{ job: RunningJob; runner: JobRunner }> {
  const jobs: RunningJob[] = [];
  const hang = async (_: object, job: RunningJob) => {
    jobs.push(job);
    await new Promise(() => {});
  };
  const runner = startRunner(hang, timeLimitSeconds, url);
  await addJob(pool, 'test-job', {});
  await eventually('it begins', async () => jobs.length > 0);
  return { job: jobs[0]!, runner };
}

/** A server as a process of its own, whose jobs never end. */
function startProcess(url = db.url) {
  const server = launch(process.execPath, [projectFile('dist/tests/test/harness/job-runner.js')], { DATABASE_URL: url });
  return { server, ended: once(server, 'exit') };
}

describe("graphile-worker's private tables", () => {
  it('have the columns that src/jobs/private-tables.ts uses: look there when an update of the library changes them', async () => {
    const used = {
      _private_job_queues: ['locked_at', 'locked_by'],
      _private_jobs: ['attempts', 'id', 'locked_at', 'locked_by', 'max_attempts', 'payload', 'run_at', 'task_id'],
      _private_tasks: ['id', 'identifier'],
    };
    for (const [table, columns] of Object.entries(used)) await db.query(`select ${columns} from graphile_worker.${table}`);
  });
});

describe('a job', () => {
  it('exists if the transaction that adds it commits', async () => {
    const done: (number | undefined)[] = [];
    startRunner(async ({ number }) => void done.push(number));
    const dataSource = await openDataSource(db.url, 'test transactions', 1, log, []);
    closeAtEnd(() => dataSource.destroy());
    const takenBack = dataSource.transaction(async (manager) => {
      await addJob(manager, 'test-job', { number: 1 });
      throw new Error('taken back');
    });
    await expect(takenBack).rejects.toThrow('taken back');
    await dataSource.transaction((manager) => addJob(manager, 'test-job', { number: 2 }));
    await eventually('it is done', async () => done.length > 0 && (await stored()).length === 0);
    expect(done).toEqual([2]);
  });

  it('waits after a failure, longer than before and each for another time', async () => {
    startRunner(async () => {
      throw new Error('not today');
    });
    for (const number of [1, 2, 3, 4]) await addJob(pool, 'test-job', { number });
    await eventually('all have failed once', async () => (await stored()).every(({ last_error }) => last_error === 'not today'));
    const waits = (await stored()).filter(({ attempts }) => attempts === 1).map(({ wait }) => wait);
    expect(new Set(waits.map((wait) => wait.toFixed(1))).size).toBeGreaterThan(1);
    for (const wait of waits) expect(wait).toBeLessThan(2 * Math.E);
  });

  it('fails when its time is up, also if its task does not listen', async () => {
    const { job } = await beginHangingJob(0.1);
    await eventually('it fails', async () => /timeout/.test((await stored())[0]?.last_error ?? ''));
    expect(job.signal.aborted).toBe(true);
  });

  it('is done by another server soon after the one that began it was killed', async () => {
    await addJob(pool, 'test-job', {});
    const { server, ended } = startProcess();
    await once(server.stdout!, 'data');
    server.kill('SIGKILL');
    await ended;
    // What it had sent to Postgres is still done, and might renew the lock.
    await eventually('its connections end', async () => (await db.query(`select from ${connectionsOfRunners}`)).length === 0);
    let wasDone = false;
    startRunner(async () => {
      wasDone = true;
    });
    // Half a minute passes.
    await db.query(`update graphile_worker._private_jobs set locked_at = locked_at - interval '31 seconds'`);
    await eventually('the other server does it', async () => wasDone && (await stored()).length === 0);
  });

  it('stays with a server that lives, however long it takes', async () => {
    const { job } = await beginHangingJob();
    await db.query(`update graphile_worker._private_jobs set locked_at = locked_at - interval '20 seconds'`);
    const [before] = await stored();
    await eventually('its lock is renewed', async () => (await stored())[0]!.locked_at! > before!.locked_at!);
    expect([job.signal.aborted, (await stored())[0]!.attempts]).toEqual([false, 1]);
  });
});

describe('a server whose database hangs', () => {
  beforeEach(() => {
    const others = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const;
    jest.useFakeTimers({ doNotFake: [...others, 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('tells its tasks to stop 20 s after it last renewed their locks, before other servers may run them', async () => {
    const proxy = await FaultProxy.open(db.url);
    const { job } = await beginHangingJob(600, proxy.url);
    jest.advanceTimersByTime(19_000);
    await db.query(`select graphile_worker.add_job('test-job', run_at => now() + interval '1 day')`);
    // Dead locks are looked for after the renewal. The first may be released after a renewal that was sent before the 19 s.
    for (let released = 0; released < 2; released++) {
      await db.query(
        `update graphile_worker._private_jobs set locked_by = 'dead', locked_at = now() - interval '31 seconds' where locked_at is null`,
      );
      await eventually('a dead lock is released', async () => (await stored())[1]!.locked_at === null);
    }
    proxy.swallow();
    jest.advanceTimersByTime(19_000);
    expect(job.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1_000);
    expect(job.signal.aborted).toBe(true);
    proxy.cut();
    proxy.mend();
  });
});

describe('a server whose connections are cut', () => {
  it('goes on with jobs', async () => {
    const { server, ended } = startProcess();
    let begun = 0;
    server.stdout!.setEncoding('utf8').on('data', (text: string) => (begun += text.split('begun').length - 1));
    for (const number of [1, 2]) {
      await addJob(pool, 'test-job', {});
      await eventually('it begins', async () => begun >= number);
      await db.query(`select pg_terminate_backend(pid) from ${connectionsOfRunners}`);
    }
    await addJob(pool, 'test-job', {});
    await eventually('the next one begins', async () => begun >= 3);
    expect(server.exitCode).toBeNull();
    server.kill('SIGKILL');
    await ended;
  });
});

describe('a server that stops', () => {
  it('stops cleanly even if it just began to listen for jobs on a database that hangs and then goes away', async () => {
    const proxy = await FaultProxy.open(db.url);
    const { server, ended } = startProcess(proxy.url);
    proxy.hangAfter('LISTEN "jobs:insert"');
    await eventually(
      'it asks to listen',
      async () => (await db.query(`select from ${connectionsOfRunners} and query like 'LISTEN%'`)).length > 0,
    );
    server.kill('SIGTERM');
    await once(server.stdout!, 'data');
    await proxy.close();
    expect(await ended).toEqual([0, null]);
  });

  it('is not held up by a task that hangs, and its job waits as if it had not begun', async () => {
    const { job, runner } = await beginHangingJob();
    await runner.stop();
    expect(job.signal.aborted).toBe(true);
    expect(await stored()).toMatchObject([{ attempts: 0, locked_at: null }]);
  });
});

describe('a DATA_DIR', () => {
  it('is cleared of what nobody needs any more, and of nothing else', async () => {
    const app = await startApp();
    const { dataDir } = app.config;
    const day = 24 * 60 * 60;
    const ages: [path: string, days: number, isKept: boolean][] = [
      ['outbox/a.eml', 6, true],
      ['outbox/b.eml', 8, false],
      ['outbox/c.eml.part', 8, false],
    ];
    for (const [path, days] of ages) {
      await mkdir(dirname(join(dataDir, path)), { recursive: true });
      await writeFile(join(dataDir, path), '');
      const written = Date.now() / 1000 - days * day;
      await utimes(join(dataDir, path), written, written);
    }
    const log = join(dataDir, 'postgres.log');
    await writeFile(log, `${'an old line\n'.repeat(1_500_000)}the last line\n`);
    const writer = await open(log, 'a'); // as Postgres has it
    closeAtEnd(() => writer.close());
    const name = `prune-files:${await readFile(join(dataDir, 'data-dir-id'), 'utf8')}`;
    await app.db.query('select graphile_worker.add_job($1)', [name]);
    const jobs = () => app.db.query('select from graphile_worker.jobs where task_identifier = $1', [name]);
    await eventually('it is done', async () => (await jobs()).length === 0);
    expect((await stat(log)).size).toBeLessThan(2 ** 20);
    await writer.write('another line\n');
    expect(await readFile(log, 'utf8')).toMatch(/^an old line\n(an old line\n)+the last line\nanother line\n$/);
    expect(ages.map(([path]) => [path, existsSync(join(dataDir, path))])).toEqual(ages.map(([path, , isKept]) => [path, isKept]));
    await app.close();
  });
});

describe('the job library', () => {
  it('knows a task of the service for every line of the crontab', async () => {
    // Without these settings, counties are not refreshed and Stripe's events not read.
    const app = await startApp({ REFRESH_OLDER_THAN_DAYS: '90', STRIPE_SECRET_KEY: 'sk_test_none', STRIPE_API_URL: 'http://127.0.0.1:9' });
    const known = async () =>
      (await app.db.query<{ identifier: string }>('select identifier from graphile_worker._private_known_crontabs')).map(
        ({ identifier }) => identifier.split(':')[0]!,
      );
    await eventually('it knows them', async () => (await known()).length > 0);
    expect((await known()).sort()).toEqual(crontab.map(({ task }) => task).sort());
    await app.close();
  });
});
