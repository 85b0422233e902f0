import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { connectAlone } from '../database/service-client.js';
import { cutMap } from './cut-map.js';

/** The thread's task. */
export interface CutWork {
  url: string;
  releaseId: number;
}

const { url, releaseId } = workerData as CutWork;
// Of this thread alone, on Linux: reads go first.
setPriority(constants.priority.PRIORITY_LOW);
const stop = new AbortController();
parentPort!.once('message', () => stop.abort());
parentPort!.unref();
const db = await connectAlone(url, 'tiles');
try {
  await cutMap(db, releaseId, stop.signal);
} finally {
  await db.end();
}
