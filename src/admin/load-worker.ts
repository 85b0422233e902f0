import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../errors.js';
import { type LoadProgress, type LoadRequest, type LoadSummary, loadCounty } from '../loader/load-county.js';

export type LoadInput = Pick<LoadRequest, 'database' | 'county' | 'files' | 'options' | 'dataDir'>;

export type LoadMessage =
  | { kind: 'progress'; progress: LoadProgress }
  | { kind: 'published'; summary: LoadSummary }
  | { kind: 'failed'; message: string; isOurFault: boolean };

const progressMs = 1_000;

// A thread of its own: parsing a county's shapes would hold up every answer of the server for minutes.
const port = parentPort!;
const stop = new AbortController();
port.once('message', () => stop.abort(new AppError('unavailable', 'The server was stopped. Send the file again.')));

let toldAt = 0;
const tell = (message: LoadMessage) => port.postMessage(message);
try {
  const summary = await loadCounty({
    ...(workerData as LoadInput),
    signal: stop.signal,
    onProgress: (progress) => {
      if (Date.now() - toldAt < progressMs) return;
      toldAt = Date.now();
      tell({ kind: 'progress', progress });
    },
  });
  tell({ kind: 'published', summary });
} catch (error) {
  tell({ kind: 'failed', message: (error as Error).message, isOurFault: !(error instanceof AppError) });
} finally {
  port.close();
}
