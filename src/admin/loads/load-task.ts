import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { countyLoads } from '../../core/metrics.js';
import { projectFile } from '../../core/project-files.js';
import type { Task } from '../../jobs/task.js';
import { forOperator } from './form-labels.js';
import { loadOptionsOf } from './load-input.js';
import type { LoadJob } from './load-job.js';
import type { LoadJobStore } from './load-job.store.js';
import type { LoadEnd, LoadMessage, LoadWork } from './load-worker.js';
import type { UploadCopies } from './upload-copies.js';
import type { UploadStore } from './upload-store.js';

// How long a worker may take to stop. Less than a task may take, so that the task itself marks the load as failed.
const stopMs = 2_000;

interface LoadTaskServices {
  jobs: LoadJobStore;
  uploads: UploadStore;
  copies: UploadCopies;
  database: { url: string };
  dataDir: string;
  access: LoadWork['access'];
  log: Logger;
}

/** Loads uploaded files. Writes progress and result, also of a failure, to `load_job`. */
export function loadTask({ jobs, uploads, copies, database, dataDir, access, log }: LoadTaskServices): Task<'load-county'> {
  return {
    name: 'load-county',
    timeLimitSeconds: 24 * 60 * 60,
    run: async ({ loadJobId }, { signal }) => {
      const job = await jobs.claim(loadJobId);
      if (job) await load(loadJobId, job, signal);
    },
  };

  async function load(id: number, { uploadId, options, startedBy }: LoadJob, signal: AbortSignal): Promise<void> {
    try {
      await copies.use([uploadId, options.joinUploadId], async (path, join) => {
        const input = {
          database: { url: database.url },
          county: options.countyFips,
          files: path ? [path] : [],
          options: { ...loadOptionsOf(options, join), startedBy },
        };
        const end = await work({ id, input, dataDir, access }, signal);
        countyLoads.inc({ outcome: end.kind === 'failed' && !end.isOurFault ? 'refused' : end.kind });
        if (end.kind !== 'failed') {
          // Another load may need the same file: for another part or county, or with other columns than those of a held one.
          if (uploadId !== null && end.kind !== 'held' && !(await jobs.isWanted(uploadId))) await uploads.remove(uploadId);
        } else {
          if (end.isOurFault) log.error({ id, message: end.message }, 'a load failed');
          await jobs.fail(id, forOperator(end.message, [path, join]));
        }
      });
    } catch (error) {
      log.error({ id, error }, 'a load job failed');
      await jobs.fail(id, (error as Error).message);
    }
  }

  async function work(what: LoadWork, signal: AbortSignal): Promise<LoadEnd> {
    const worker = new Worker(projectFile('dist/src/admin/loads/load-worker.js'), { workerData: what });
    let last: LoadEnd = { kind: 'failed', message: 'The load was interrupted.', isOurFault: true };
    worker.on('message', (message: LoadMessage) => {
      if (message.kind !== 'progress') last = message;
      else jobs.progress(what.id, message.change).catch((error) => log.warn({ id: what.id, error }, 'progress was not written'));
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
