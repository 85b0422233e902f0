import { parentPort, workerData } from 'node:worker_threads';

// The script of a thread of the server. What it imports reads the site's data when it is loaded.
Object.assign(globalThis, { site: workerData.site });
const { renderPage } = await import('./render-page.js');

parentPort!.on('message', async ({ id, path, answers }: { id: number; path: string; answers: Record<string, unknown> }) => {
  try {
    parentPort!.postMessage({ id, html: await renderPage(path, answers, workerData.nonce) });
  } catch (error) {
    parentPort!.postMessage({ id, error });
  }
});
