import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, Logger as LibraryLogger, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { AppError } from '../core/errors.js';
import { jobRuns } from '../core/metrics.js';
import { type Database, openPool } from '../database/database.js';
import { jobLimits } from '../database/limits.js';
import { cronItemsOf } from './crontab.js';
import { followServiceTime, releaseDeadLocks, renewLocks, scheduleRetry } from './private-tables.js';
import { RepeatedWork } from './repeated-work.js';
import type { Task } from './task.js';

const concurrentJobs = 4;
const pollMs = 2_000;
const restartMs = 1_000;
const renewMs = 5_000;
const leaseSeconds = 30;
/**
 * Tasks are aborted after this time without renewed locks, even while a renewal still waits for the database. With 5 s for the last renewal
 * and 3 s for a task to end, they have ended before other servers may run their jobs.
 */
const lostMs = 20_000;
/** How long a task may take to end after its signal was aborted. */
const graceMs = 3_000;
const stopMs = 4_500;
/** About 15 s without the database. The library never retries a failed first query, so it is restarted then. */
const maxFailedPolls = 30;

/** A pool for the job library and the tasks. */
export function openJobPool({ url, jobConnections }: Pick<Database, 'url' | 'jobConnections'>, log: Logger): Pool {
  const pool = openPool(url, 'jobs', jobConnections, log, jobLimits);
  // Silences the library's warning about a missing listener. `PooledClient` handles errors itself.
  pool.on('connect', () => {});
  releaseOnce(pool);
  return pool;
}

/**
 * The library releases its LISTEN connection twice if it is stopped while LISTEN waits and the connection then breaks. The pool would throw
 * at the second release, and nothing would catch it.
 */
function releaseOnce(pool: Pool): void {
  const connect = pool.connect.bind(pool);
  pool.connect = ((callback?: Parameters<typeof connect>[0]) => {
    if (!callback) return connect();
    return connect((error, client, release) => {
      let isReleased = false;
      callback(error, client, (fault) => {
        if (!isReleased) release?.(fault); // undefined after an error
        isReleased = true;
      });
    });
  }) as Pool['connect'];
}

/** Runs jobs in this server, concurrently with other servers. */
export class JobRunner {
  private readonly running: RepeatedWork;
  private readonly renewing: RepeatedWork;
  private readonly byName: Map<string, Task>;
  private readonly stopping = new AbortController();
  private lost = new AbortController();
  private workerId: string | null = null;
  private readonly lostTimer = setInterval(() => this.abortTasks(), lostMs).unref();

  /** @param pool from `openJobPool`. Tasks may use it, too. `stop` ends it */
  constructor(
    private readonly pool: Pool,
    tasks: Task[],
    private readonly log: Logger,
    /** Whether outbound tasks wait. */
    private readonly isHeld: () => boolean = () => false,
  ) {
    this.renewing = new RepeatedWork('locks of jobs', renewMs, () => this.keepLocks(), log);
    // The library ends by itself if it cannot record the result of a job.
    this.running = new RepeatedWork('job runner', restartMs, () => this.runOnce(), log);
    this.byName = new Map(tasks.map((task) => [task.name, task]));
  }

  start(): void {
    this.running.start();
    this.renewing.start();
  }

  /** Ends within five seconds. A task that takes longer is abandoned, and another server runs its job again. */
  async stop(): Promise<void> {
    this.stopping.abort(new AppError('unavailable', 'The server was stopped.'));
    clearInterval(this.lostTimer);
    const ended = Promise.all([this.running.stop(), this.renewing.stop()]).then(() => this.pool.end());
    await Promise.race([ended.catch(() => undefined), sleep(stopMs, undefined, { ref: false })]);
  }

  private async runOnce(): Promise<void> {
    const events: WorkerEvents = new EventEmitter();
    events.on('pool:create', ({ workerPool }) => {
      this.workerId = workerPool.id;
      this.lostTimer.refresh();
    });
    const isHeld = this.isHeld();
    const runner = await run({
      pgPool: this.pool,
      taskList: this.taskList(isHeld),
      parsedCronItems: cronItemsOf([...this.byName.values()]),
      concurrency: concurrentJobs,
      pollInterval: pollMs,
      noHandleSignals: true,
      // With batching, even without delay, the library writes the results of jobs before it stops.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: libraryLog(this.log),
      events,
    });
    const stop = () => void runner.stop().catch(() => undefined);
    let failedPolls = 0;
    events.on('worker:getJob:empty', () => (failedPolls = 0));
    events.on('job:start', () => (failedPolls = 0));
    events.on('worker:getJob:error', () => ++failedPolls === maxFailedPolls && stop());
    this.stopping.signal.addEventListener('abort', stop, { once: true });
    const holdTimer = setInterval(() => this.isHeld() !== isHeld && stop(), restartMs);
    if (this.stopping.signal.aborted) stop();
    try {
      await runner.promise;
    } finally {
      clearInterval(holdTimer);
      this.stopping.signal.removeEventListener('abort', stop);
      this.workerId = null;
    }
  }

  /** The library leaves jobs of other tasks alone. */
  private taskList(isHeld: boolean): TaskList {
    const tasks = [...this.byName.values()].filter(({ isOutbound }) => !(isOutbound && isHeld));
    return Object.fromEntries(
      tasks.map((task) => [task.name, (payload: unknown, { job }: { job: Job }) => this.runTask(task, payload, job)]),
    );
  }

  private async runTask(task: Task, payload: unknown, job: Job): Promise<void> {
    const { id, attempts, max_attempts } = job;
    const limit = AbortSignal.timeout(task.timeLimitSeconds * 1000);
    // Without the id of the DATA_DIR after the colon: metric labels must not contain ids.
    const count = (outcome: 'done' | 'failed') => jobRuns.inc({ task: task.name.split(':')[0]!, outcome });
    const signal = AbortSignal.any([limit, this.stopping.signal, this.lost.signal]);
    try {
      await untilAborted(task.run(payload as never, { id, signal }), signal);
      count('done');
    } catch (error) {
      count('failed');
      const isOurs = this.stopping.signal.aborted;
      const level = isOurs ? 'info' : attempts >= max_attempts ? 'error' : 'warn';
      this.log[level]({ error, task: task.name, job: id, attempts }, 'a job failed');
      await scheduleRetry(this.pool, job, isOurs).catch(() => undefined);
      throw error;
    }
  }

  private async keepLocks(): Promise<void> {
    try {
      if (this.workerId) await renewLocks(this.pool, this.workerId);
      this.lostTimer.refresh();
      await releaseDeadLocks(this.pool, leaseSeconds);
      await followServiceTime(this.pool);
    } catch (error) {
      this.log.warn({ error }, 'the locks of jobs could not be renewed');
    }
  }

  private abortTasks(): void {
    this.lost.abort(new AppError('unavailable', 'The database was away for too long.'));
    this.lost = new AbortController();
  }
}

/** Returns the result of the work. Throws the signal's reason if the work has not ended `graceMs` after the signal was aborted. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const ended = new AbortController();
  const options = { signal: ended.signal };
  const abandon = async (): Promise<never> => {
    if (!signal.aborted) await once(signal, 'abort', options);
    await sleep(graceMs, undefined, options);
    throw signal.reason;
  };
  try {
    return await Promise.race([work, abandon()]);
  } finally {
    ended.abort();
  }
}

/** Passes the library's messages to our log, without payloads, which may be mails, and without job results, which `JobRunner` logs. */
function libraryLog(log: Logger): LibraryLogger {
  return new LibraryLogger(() => (level, message, meta) => {
    if (meta?.failure || meta?.success) return;
    const text = `jobs: ${message.split('\n')[0]}`;
    if (level === 'error' || level === 'warning') log.warn(text);
    else log.debug(text);
  });
}
