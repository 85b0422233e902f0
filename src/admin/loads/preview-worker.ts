import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'pg';
import { AppError } from '../../core/errors.js';
import { ServiceClient } from '../../database/service-client.js';
import { withSessionSettings } from '../../database/session-settings.js';
import { checkLoad } from '../../loader/check-load.js';
import type { JoinMatch, LoadCheck, LoadPreview } from '../../loader/load-answers.js';
import type { LoadOptions } from '../../loader/plan/load-options.js';
import { previewJoin, previewLoad } from '../../loader/preview-load.js';
import { forOperator, withFormLabels } from './form-labels.js';
import type { LoadWork } from './load-worker.js';

/** The questions about a load, each with its answer. */
export interface PreviewAnswers {
  preview: LoadPreview;
  join: JoinMatch | null;
  check: LoadCheck;
}

export type PreviewWork = Pick<LoadWork, 'dataDir' | 'access'> &
  Omit<LoadWork['input'], 'database'> & { ask: keyof PreviewAnswers; databaseUrl: string };

/** The answer, or the error in the file or the options. */
export type PreviewMessage = { answer: PreviewAnswers[keyof PreviewAnswers] } | { fault: Pick<AppError, 'code' | 'message'> };

const { ask, databaseUrl, dataDir, access, ...given } = workerData as PreviewWork;
const db = new Pool({ connectionString: withSessionSettings(databaseUrl), max: 1, Client: ServiceClient });
const database = { url: databaseUrl };
let read = given.files;
const inWords = (message: string) => forOperator(message, [...read, given.options.join]);
const answer = async (files: string[], options: LoadOptions): Promise<PreviewAnswers[keyof PreviewAnswers]> => {
  read = files;
  const request = { db, county: given.county, files, options };
  if (ask === 'join') return previewJoin(request, database);
  const told = await (ask === 'preview' ? previewLoad(request) : checkLoad(request, database));
  const same = { warnings: told.warnings.map(inWords), refusal: told.refusal && inWords(told.refusal) };
  if ('findings' in told) return { ...told, ...same, findings: told.findings.map(inWords) };
  return { ...told, ...same, profile: told.profile && { ...told.profile, options: told.profile.options.map(withFormLabels) } };
};
const send = (message: PreviewMessage) => parentPort!.postMessage(message);
/** Most previews are of uploads, and an operator waits: what fetches is loaded only where it is needed. */
async function fetchAndAnswer() {
  const [{ withSource }, { createLog }] = await Promise.all([import('../../loader/load-from-source.js'), import('../../core/log.js')]);
  return withSource({ database, ...given, dataDir, isKept: true, ...access, log: createLog({ logLevel: 'warn' }) }, answer);
}
try {
  send({ answer: await (read.length === 0 ? fetchAndAnswer() : answer(read, given.options)) });
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  send({ fault: { code: error.code, message: inWords(error.message) } });
} finally {
  await db.end();
}
