import { parentPort, workerData } from 'node:worker_threads';
import type { ClientBase } from 'pg';
import { AppError } from '../../core/errors.js';
import { createLog } from '../../core/log.js';
import { type LoadRequest, type LoadSummary, loadCounty } from '../../loader/load-county.js';
import { withSource } from '../../loader/load-from-source.js';
import type { LoadOptions } from '../../loader/plan/load-options.js';
import { describeFetching, type FetchProgress } from '../../loader/sources/fetch-county.js';
import type { sourceAccess } from '../../loader/sources/fetching/fetched-source.js';
import { describeFindings, unaccepted } from '../../releases/lifecycle/findings.js';
import { cutInThread } from '../../tiles/cut-task.js';
import { forOperator } from './form-labels.js';
import type { LoadJobProgress } from './load-job.js';

/** A load, and the id of its `load_job`. */
export interface LoadWork {
  id: number;
  /** Without files, they are fetched from the county's own service. */
  input: Pick<LoadRequest, 'database' | 'county' | 'files'> & { options: LoadOptions };
  /** The folder of fetched files. */
  dataDir: string;
  access: ReturnType<typeof sourceAccess>;
}

export type LoadMessage = { kind: 'progress'; change: LoadJobProgress } | LoadEnd;

export type LoadEnd = { kind: LoadSummary['state'] } | { kind: 'failed'; message: string; isOurFault: boolean };

const progressMs = 1_000;

// Runs in a worker thread: parsing a county's shapes would block the server's event loop for minutes.
const port = parentPort!;
const { id, input, dataDir, access } = workerData as LoadWork;
const isFetched = input.files.length === 0;
const stop = new AbortController();
const whatNow = isFetched ? 'Try again: it continues where it stopped.' : 'Try the load again.';
port.once('message', () => stop.abort(new AppError('unavailable', `The server was stopped. ${whatNow}`)));

let sentAt = 0;
const send = (message: LoadMessage) => port.postMessage(message);
const sendProgress = (change: LoadJobProgress) => {
  if (Date.now() - sentAt < progressMs) return;
  sentAt = Date.now();
  send({ kind: 'progress', change });
};
const { signal } = stop;
let loaded = input.files;
const load = (files: string[], options: LoadOptions) => {
  loaded = files;
  return loadCounty({
    ...input,
    files,
    options,
    signal,
    onProgress: ({ releaseId, bytesRead, byteLength, read, loaded: rowsLoaded, rejected: rowsRejected }) =>
      sendProgress({
        releaseId,
        bytesRead: String(bytesRead),
        bytesTotal: String(byteLength),
        rowsRead: read,
        rowsLoaded,
        rowsRejected,
        message: null,
      }),
    onDone: finishLoadJob,
  });
};
/** The size is estimated from the records so far. */
function onFetching(done: FetchProgress): void {
  const { records, total, bytes } = done;
  const bytesTotal = total === null || records === 0 ? 0 : Math.round((bytes * total) / records);
  sendProgress({ bytesRead: String(bytes), bytesTotal: String(bytesTotal), message: `Fetching: ${describeFetching(done)}.` });
}
try {
  const { state, releaseId } = await (isFetched
    ? withSource({ ...input, dataDir, signal, ...access, log: createLog({ logLevel: 'warn' }), onProgress: onFetching }, load)
    : load(input.files, input.options));
  send({ kind: state });
  // What fails is tried again by the job that finds releases without a map.
  if (state === 'published') await cutInThread({ url: input.database.url, releaseId }, signal).catch(() => undefined);
} catch (error) {
  send({ kind: 'failed', message: forOperator((error as Error).message, loaded), isOurFault: !(error instanceof AppError) });
} finally {
  port.close();
}

/**
 * In the transaction that publishes or holds the release, so that no load is both failed and published.
 * @throws AppError conflict if the load was marked as failed meanwhile
 */
async function finishLoadJob(tx: ClientBase, summary: LoadSummary): Promise<void> {
  const { releaseId, state, read, loaded, rejected, warnings, report } = summary;
  const open = unaccepted(report.findings, report.accepted);
  const message = [...(open.length > 0 ? [`Held: ${describeFindings(open)}.`] : []), ...warnings].join(' ');
  const { rowCount } = await tx.query(
    `update load_job
        set state = $7, release_id = $2, rows_read = $3, rows_loaded = $4, rows_rejected = $5, message = $6,
            bytes_read = bytes_total, finished_at = service_now()
      where id = $1 and state = 'running'`,
    [id, releaseId, read, loaded, rejected, message || null, state],
  );
  if (rowCount !== 1) throw new AppError('conflict', 'The load was marked as failed before it could be published.');
}
