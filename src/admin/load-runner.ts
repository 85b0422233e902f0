import { once } from 'node:events';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import type { Logger } from 'pino';
import type { LoadOptions } from '../loader/plan/load-options.js';
import { projectFile } from '../project-files.js';
import type { LoadOptionsInput } from './load-job.js';
import type { ClaimedJob, LoadJobStore } from './load-job.store.js';
import type { LoadInput, LoadMessage } from './load-worker.js';
import type { UploadStore } from './upload-store.js';

const lookMs = 1_000;
const pruneMs = 60 * 60 * 1000;
const stopMs = 5_000;
const unclaimedSeconds = 60;

interface RunnerParts {
  jobs: LoadJobStore;
  uploads: UploadStore;
  database: { url: string };
  dataDir: string;
  log: Logger;
}

/** Runs the jobs whose file is on this server, one at a time, and ends those of servers that died. */
export class LoadRunner {
  private looking: NodeJS.Timeout | undefined;
  private pruning: NodeJS.Timeout | undefined;
  private current: Promise<void> = Promise.resolve();
  private isBusy = false;
  private worker: Worker | null = null;

  constructor(private readonly parts: RunnerParts) {}

  start(): void {
    this.looking = setInterval(() => this.look(), lookMs).unref();
    this.pruning = setInterval(() => void this.prune(), pruneMs).unref();
    void this.prune();
  }

  /** Looks for work now, rather than within a second. */
  look(): void {
    if (this.isBusy) return;
    this.isBusy = true;
    this.current = this.round()
      .catch((error) => this.parts.log.warn({ error }, 'could not look after the loads'))
      .finally(() => {
        this.isBusy = false;
      });
  }

  /** Lets a running load give up in good order; what it wrote is rolled back. */
  async stop(): Promise<void> {
    clearInterval(this.looking);
    clearInterval(this.pruning);
    this.worker?.postMessage('stop');
    const cut = setTimeout(() => void this.worker?.terminate(), stopMs);
    await this.current;
    clearTimeout(cut);
  }

  private async round(): Promise<void> {
    const { jobs, uploads } = this.parts;
    await jobs.failOrphans();
    for (const { id, uploadId } of await jobs.waiting()) if (await uploads.find(uploadId)) await this.claimAndRun(id);
    await jobs.failUnclaimed(unclaimedSeconds);
  }

  private async claimAndRun(id: number): Promise<void> {
    const connection = new Client({ connectionString: this.parts.database.url, application_name: 'parcel-records load job' });
    // The job is then an orphan, which the next look ends.
    connection.on('error', (error) => this.parts.log.warn({ error, id }, 'lost the connection that holds a load job'));
    await connection.connect();
    try {
      const job = await this.parts.jobs.claim(id, connection);
      if (job) await this.run(job);
    } finally {
      await connection.end();
    }
  }

  private async run({ id, uploadId, options, startedBy }: ClaimedJob): Promise<void> {
    const { jobs, uploads, database, dataDir, log } = this.parts;
    try {
      const input: LoadInput = {
        database: { url: database.url },
        county: options.countyFips,
        files: [await uploads.require(uploadId)],
        options: { ...(await loadOptionsOf(options, uploads)), startedBy },
        dataDir,
      };
      const message = await this.work(id, input);
      if (message.kind === 'published') {
        await jobs.publish(id, message.summary);
        await uploads.remove(uploadId);
      } else if (message.kind === 'failed') {
        if (message.isOurFault) log.error({ id, message: message.message }, 'a load failed');
        await jobs.fail(id, withoutFolder(message.message, input.files));
      }
    } catch (error) {
      log.error({ id, error }, 'a load job failed');
      await jobs.fail(id, (error as Error).message);
    }
  }

  private async work(id: number, input: LoadInput): Promise<LoadMessage> {
    const { jobs, log } = this.parts;
    const worker = new Worker(projectFile('dist/src/admin/load-worker.js'), { workerData: input });
    this.worker = worker;
    let last: LoadMessage = { kind: 'failed', message: 'The load was cut off.', isOurFault: true };
    worker.on('message', (message: LoadMessage) => {
      if (message.kind === 'progress')
        jobs.progress(id, message.progress).catch((error) => log.warn({ id, error }, 'progress was not written'));
      else last = message;
    });
    worker.on('error', (error) => {
      last = { kind: 'failed', message: error.message, isOurFault: true };
    });
    await once(worker, 'exit');
    this.worker = null;
    return last;
  }

  private async prune(): Promise<void> {
    await this.parts.uploads.prune().catch((error) => this.parts.log.warn({ error }, 'old uploads could not be cleared away'));
  }
}

/** Files are named as people know them, not by where we keep them. */
export const withoutFolder = (message: string, files: string[]): string =>
  files.reduce((text, file) => text.replaceAll(`${dirname(file)}/`, ''), message);

/** @throws AppError not_found when the tax roll's upload is not here */
export async function loadOptionsOf(options: LoadOptionsInput, uploads: UploadStore): Promise<LoadOptions> {
  const { map, where, crs, sourceDate, sourceName, sourceUrl, force, joinUploadId, joinOn } = options;
  return {
    ...(map && { map }),
    ...(where && { where }),
    ...(crs && { crs }),
    ...(sourceDate && { sourceDate }),
    ...(sourceName && { source: sourceName }),
    ...(sourceUrl && { sourceUrl }),
    ...(force && { force }),
    ...(joinUploadId && { join: await uploads.require(joinUploadId) }),
    ...(joinOn && { on: joinOn }),
  };
}
