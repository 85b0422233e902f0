import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import { ServiceClient } from '../../database/service-client.js';
import { withSessionSettings } from '../../database/session-settings.js';
import { checkLoad } from '../../loader/check-load.js';
import type { JoinMatch, LoadCheck, LoadPreview } from '../../loader/load-answers.js';
import type { PreviewRequest } from '../../loader/prepare-load.js';
import { previewJoin, previewLoad } from '../../loader/preview-load.js';

/** The questions about a load, each with its answer. */
export interface PreviewAnswers {
  preview: LoadPreview;
  join: JoinMatch | null;
  check: LoadCheck;
}

export type PreviewWork = Omit<PreviewRequest, 'db'> & { ask: keyof PreviewAnswers; databaseUrl: string };

/** The answer, or the error in the file or the options. */
export type PreviewMessage = { answer: PreviewAnswers[keyof PreviewAnswers] } | { fault: Pick<AppError, 'code' | 'message'> };

const { ask, databaseUrl, ...given } = workerData as PreviewWork;
const db = new Pool({ connectionString: withSessionSettings(databaseUrl), max: 1, Client: ServiceClient });
const database = { url: databaseUrl };
const answers: { [Ask in keyof PreviewAnswers]: (request: PreviewRequest) => Promise<PreviewAnswers[Ask]> } = {
  preview: previewLoad,
  join: (request) => previewJoin(request, database),
  check: (request) => checkLoad(request, database),
};
const send = (message: PreviewMessage) => parentPort!.postMessage(message);
try {
  send({ answer: await answers[ask]({ db, ...given }) });
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  send({ fault: { code: error.code, message: error.message } });
} finally {
  await db.end();
}
