import verifierUrl from 'virtual:verify-ledger.js';
import type { EntryCheck, EntryTask } from './check-entry.js';
import type { LedgerCheck, LedgerTask, Progress, Task } from './verifier-worker.js';

export const verifyFile = (task: LedgerTask, onProgress: (progress: Progress) => void, signal: AbortSignal): Promise<LedgerCheck> =>
  runWorker(task, onProgress, signal);

export const verifyEntry = (task: EntryTask): Promise<EntryCheck> => runWorker(task, () => {});

type Message<Report> = { progress: Progress } | { report: Report } | { failure: string };

/** Runs the verifier in a worker of its own, so the page stays usable. The worker imports the same file that customers download. */
function runWorker<Report>(task: Task, onProgress: (progress: Progress) => void, signal?: AbortSignal): Promise<Report> {
  const worker = new Worker(new URL('./verifier-worker.ts', import.meta.url), { type: 'module' });
  const done = new Promise<Report>((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
    worker.onerror = () => reject(new Error('The verifier could not be loaded. Check your connection, then try again.'));
    worker.onmessage = ({ data }: MessageEvent<Message<Report>>) => {
      if ('progress' in data) onProgress(data.progress);
      else if ('report' in data) resolve(data.report);
      else reject(new Error(data.failure));
    };
    worker.postMessage({ verifierUrl: new URL(verifierUrl, window.location.href).href, task });
  });
  return done.finally(() => worker.terminate());
}
