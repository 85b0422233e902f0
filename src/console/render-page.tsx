import { prerender } from 'react-dom/static';
import { PageRoot } from './page-root.js';

/**
 * The HTML of a page, for the server. Every part is waited for, those whose script a browser loads later, too.
 * @param path with its query
 * @param answers of the server, by the names that the page's parts ask for
 * @param nonce stands in the styles; a placeholder that each response replaces
 * @throws Error if a part of the page fails
 */
export async function renderPage(path: string, answers: Record<string, unknown>, nonce: string): Promise<string> {
  const remembered = { answers: new Map(Object.entries(answers)), fresh: new Set(Object.keys(answers)) };
  let failure: unknown;
  const { prelude } = await prerender(<PageRoot nonce={nonce} remembered={remembered} path={path} />, {
    onError: (error) => {
      failure ??= error;
    },
  });
  const html = await new Response(prelude).text();
  if (failure !== undefined) throw failure;
  return html;
}
