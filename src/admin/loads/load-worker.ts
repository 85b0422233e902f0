import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../core/errors.js';
import { type LoadProgress, type LoadRequest, type LoadSummary, loadCounty } from '../../loader/load-county.js';
import { finishLoadJob } from './load-job.store.js';

/** A load, and the id of its `load_job`. */
export interface LoadWork {
  id: number;
  input: Pick<LoadRequest, 'database' | 'county' | 'files' | 'options'>;
}

export type LoadMessage =
  | { kind: 'progress'; progress: LoadProgress }
  | { kind: LoadSummary['state'] }
  | { kind: 'failed'; message: string; isOurFault: boolean };

const progressMs = 1_000;

// Runs in a worker thread: parsing a county's shapes would block the server's event loop for minutes.
const port = parentPort!;
const stop = new AbortController();
port.once('message', () => stop.abort(new AppError('unavailable', 'The server was stopped. Try the load again.')));

const { id, input } = workerData as LoadWork;
let sentAt = 0;
const send = (message: LoadMessage) => port.postMessage(message);
try {
  const { state } = await loadCounty({
    ...input,
    signal: stop.signal,
    onProgress: (progress) => {
      if (Date.now() - sentAt < progressMs) return;
      sentAt = Date.now();
      send({ kind: 'progress', progress });
    },
    onDone: (tx, summary) => finishLoadJob(tx, id, summary),
  });
  send({ kind: state });
} catch (error) {
  send({ kind: 'failed', message: (error as Error).message, isOurFault: !(error instanceof AppError) });
} finally {
  port.close();
}
