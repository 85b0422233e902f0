import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { countyLoads } from '../../core/metrics.js';
import { projectFile } from '../../core/project-files.js';
import type { Task } from '../../jobs/task.js';
import { forOperator, loadOptionsOf } from './load-input.js';
import type { ClaimedJob, LoadJobStore } from './load-job.store.js';
import type { LoadEnd, LoadMessage, LoadWork } from './load-worker.js';
import type { UploadCopies } from './upload-copies.js';
import type { UploadStore } from './upload-store.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'load-county': { loadJobId: number };
    }
  }
}

// How long a worker may take to stop. Less than a task may take, so that the task itself marks the load as failed.
const stopMs = 2_000;

interface LoadTaskParts {
  jobs: LoadJobStore;
  uploads: UploadStore;
  copies: UploadCopies;
  database: { url: string };
  dataDir: string;
  allowedPrivateHosts: string[];
  log: Logger;
}

/** Loads uploaded files. Writes progress and result, also of a failure, to `load_job`. */
export class LoadTask implements Task<'load-county'> {
  readonly name = 'load-county';
  readonly timeLimitSeconds = 24 * 60 * 60;

  constructor(private readonly parts: LoadTaskParts) {}

  async run({ loadJobId }: { loadJobId: number }, { signal }: { signal: AbortSignal }): Promise<void> {
    const job = await this.parts.jobs.claim(loadJobId);
    if (job) await this.load(job, signal);
  }

  private async load({ id, uploadId, options, startedBy }: ClaimedJob, signal: AbortSignal): Promise<void> {
    const { jobs, uploads, copies, database, dataDir, allowedPrivateHosts, log } = this.parts;
    const files = copies.borrow();
    try {
      const paths = uploadId === null ? [] : [await files.require(uploadId)];
      const input = {
        database: { url: database.url },
        county: options.countyFips,
        files: paths,
        options: { ...(await loadOptionsOf(options, files)), startedBy },
      };
      const message = await this.work({ id, input, dataDir, allowedPrivateHosts }, signal);
      countyLoads.inc({ outcome: message.kind === 'failed' && !message.isOurFault ? 'refused' : message.kind });
      if (message.kind !== 'failed') {
        // Another load may need the same file, for another part or county.
        if (uploadId !== null && !(await jobs.isWanted(uploadId))) await uploads.remove(uploadId);
      } else {
        if (message.isOurFault) log.error({ id, message: message.message }, 'a load failed');
        await jobs.fail(id, forOperator(message.message, files.paths));
      }
    } catch (error) {
      log.error({ id, error }, 'a load job failed');
      await jobs.fail(id, (error as Error).message);
    } finally {
      files.giveBack();
    }
  }

  private async work(work: LoadWork, signal: AbortSignal): Promise<LoadEnd> {
    const { jobs, log } = this.parts;
    const worker = new Worker(projectFile('dist/src/admin/loads/load-worker.js'), { workerData: work });
    let last: LoadEnd = { kind: 'failed', message: 'The load was interrupted.', isOurFault: true };
    worker.on('message', (message: LoadMessage) => {
      if (message.kind === 'progress' || message.kind === 'fetching') {
        const written = message.kind === 'progress' ? jobs.progress(work.id, message.progress) : jobs.fetching(work.id, message.progress);
        written.catch((error) => log.warn({ id: work.id, error }, 'progress was not written'));
      } else last = message;
    });
    worker.on('error', (error) => {
      last = { kind: 'failed', message: error.message, isOurFault: true };
    });
    let killTimer: NodeJS.Timeout | undefined;
    const stop = () => {
      worker.postMessage('stop');
      killTimer = setTimeout(() => void worker.terminate(), stopMs);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await once(worker, 'exit');
    signal.removeEventListener('abort', stop);
    clearTimeout(killTimer);
    return last;
  }
}
