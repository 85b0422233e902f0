import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../core/errors.js';
import { projectFile } from '../../core/project-files.js';
import type { PreviewAnswers, PreviewMessage, PreviewWork } from './preview-worker.js';

const maxOldGenerationSizeMb = 1024;

/**
 * Previews a load in a worker thread: a workbook's shared strings or a Parquet row group, which are read at once, would block the server or
 * exhaust its memory.
 * @throws AppError for errors in the file or the options
 */
export async function previewInWorker<Ask extends keyof PreviewAnswers>(work: PreviewWork & { ask: Ask }): Promise<PreviewAnswers[Ask]> {
  const worker = new Worker(projectFile('dist/src/admin/loads/preview-worker.js'), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb },
  });
  try {
    const [message] = (await once(worker, 'message')) as [PreviewMessage];
    if ('answer' in message) return message.answer as PreviewAnswers[Ask];
    throw new AppError(message.fault.code, message.fault.message);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    throw new AppError('invalid_request', 'The file needs more memory than a preview may use. Load it on the command line.', {
      cause: error,
    });
  } finally {
    await worker.terminate();
  }
}
