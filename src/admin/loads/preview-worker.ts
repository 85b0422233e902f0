import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import { sessionAt } from '../../database/session.js';
import { type LoadPreview, type PreviewRequest, previewLoad } from '../../loader/preview-load.js';

export type PreviewWork = Omit<PreviewRequest, 'db'> & { databaseUrl: string };

/** What was found, or the fault of the file or the options. */
export type PreviewMessage = { preview: LoadPreview } | { fault: Pick<AppError, 'code' | 'message'> };

const { databaseUrl, ...request } = workerData as PreviewWork;
const db = new Pool({ connectionString: sessionAt(databaseUrl), max: 1 });
const tell = (message: PreviewMessage) => parentPort!.postMessage(message);
try {
  tell({ preview: await previewLoad({ db, ...request }) });
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  tell({ fault: { code: error.code, message: error.message } });
} finally {
  await db.end();
}
