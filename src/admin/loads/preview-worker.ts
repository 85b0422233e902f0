import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import { ServiceClient } from '../../database/service-client.js';
import { withSessionSettings } from '../../database/session-settings.js';
import { type LoadPreview, type PreviewRequest, previewLoad } from '../../loader/preview-load.js';

export type PreviewWork = Omit<PreviewRequest, 'db'> & { databaseUrl: string };

/** The preview, or the error in the file or the options. */
export type PreviewMessage = { preview: LoadPreview } | { fault: Pick<AppError, 'code' | 'message'> };

const { databaseUrl, ...request } = workerData as PreviewWork;
const db = new Pool({ connectionString: withSessionSettings(databaseUrl), max: 1, Client: ServiceClient });
const send = (message: PreviewMessage) => parentPort!.postMessage(message);
try {
  send({ preview: await previewLoad({ db, ...request }) });
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  send({ fault: { code: error.code, message: error.message } });
} finally {
  await db.end();
}
