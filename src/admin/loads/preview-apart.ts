import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../core/errors.js';
import { projectFile } from '../../core/project-files.js';
import type { LoadPreview } from '../../loader/preview-load.js';
import type { PreviewMessage, PreviewWork } from './preview-worker.js';

const maxOldGenerationSizeMb = 1024;

/**
 * Previews a load in a thread of its own, as loads run: a workbook's texts or a group of Parquet's rows, which are read at once, would
 * hold up the server or take its memory.
 * @throws AppError for faults of the file or the options
 */
export async function previewApart(work: PreviewWork): Promise<LoadPreview> {
  const worker = new Worker(projectFile('dist/src/admin/loads/preview-worker.js'), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb },
  });
  try {
    const [message] = (await once(worker, 'message')) as [PreviewMessage];
    if ('preview' in message) return message.preview;
    throw new AppError(message.fault.code, message.fault.message);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    throw new AppError('invalid_request', 'The file takes more memory than a preview may. Load it by the command line.', { cause: error });
  } finally {
    await worker.terminate();
  }
}
