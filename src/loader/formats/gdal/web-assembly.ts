import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../../core/errors.js';
import { projectFile } from '../../../core/project-files.js';
import { type Conversion, type ConversionRequest, conversionLimitMs } from './conversion.js';

/** What the thread answers: the conversion, or why there is none. */
export type Answer = { conversion: Conversion } | { fault: string; code: ErrorCode };

// The compiled file, even in tests that run from source: a worker thread has only Node's own loader.
const gdalThread = projectFile('dist/src/loader/formats/gdal/thread.js');

/**
 * Converts a layer by GDAL in WebAssembly, in a thread of its own: GDAL blocks its thread, sets global variables, and gives its memory back
 * only when the thread ends.
 * @throws AppError if GDAL can't read the file
 */
export async function convertInThread(request: ConversionRequest, script = gdalThread, limitMs = conversionLimitMs): Promise<Conversion> {
  const worker = new Worker(script, { workerData: request, execArgv: [] });
  const limit = setTimeout(() => void worker.terminate(), limitMs);
  try {
    const [answer] = (await Promise.race([once(worker, 'message'), endOf(worker, request)])) as [Answer];
    if ('conversion' in answer) return answer.conversion;
    throw new AppError(answer.code, answer.fault);
  } finally {
    clearTimeout(limit);
    await worker.terminate();
  }
}

/** GDAL may end its thread without an answer, as when it runs out of memory. */
async function endOf(worker: Worker, { name }: ConversionRequest): Promise<never> {
  await once(worker, 'exit');
  throw new AppError('invalid_request', `${name} can't be read by GDAL: it ended without an answer, or took too long.`);
}
