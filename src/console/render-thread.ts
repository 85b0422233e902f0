import { parentPort, workerData } from 'node:worker_threads';
import { createElement } from 'react';
import { prerender } from 'react-dom/static';

// The script of a thread of the server. What the page imports reads the site's data when it is loaded.
Object.assign(globalThis, { site: workerData.site });
const { PageRoot } = await import('./page-root.js');

parentPort!.on('message', async ({ id, path, answers }: { id: number; path: string; answers: Record<string, unknown> }) => {
  try {
    parentPort!.postMessage({ id, html: await renderPage(path, answers) });
  } catch (error) {
    parentPort!.postMessage({ id, error });
  }
});

/**
 * The HTML of a page. Every part is waited for, those whose script a browser loads later, too. The nonce of the styles is a placeholder that
 * each response replaces.
 * @param path with its query
 * @param answers of the server, by the paths that the page's parts ask for
 * @throws Error if a part of the page fails
 */
async function renderPage(path: string, answers: Record<string, unknown>): Promise<string> {
  const remembered = { answers: new Map(Object.entries(answers)), fresh: new Set(Object.keys(answers)) };
  let failure: unknown;
  const { prelude } = await prerender(createElement(PageRoot, { nonce: workerData.nonce, remembered, path }), {
    onError: (error) => {
      failure ??= error;
    },
  });
  const html = await new Response(prelude).text();
  if (failure !== undefined) throw failure;
  return html;
}
