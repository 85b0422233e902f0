import { readdirSync, readFileSync } from 'node:fs';
import { type Request, type Response, Router } from 'express';
import { projectFile } from '../../core/project-files.js';
import { refuseMethod } from '../../core/refuse-method.js';
import { docPages, markdownPath } from '../../docs/doc-pages.js';
import { llmsText, markdownOf } from '../../docs/markdown.js';
import type { OpenApi } from '../../docs/openapi.js';
import type { DocsSource, PlanNumbers } from '../../docs/sections.js';
import { allowAnyOrigin } from '../any-origin.js';

/** The docs for programs: each page as Markdown, and `/llms.txt`, which lists them. */
export function docsRouter(contract: object, siteFor: (request: Request, response: Response) => Promise<object>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const texts = docsTexts();
  const files: [path: string, type: string, write: (source: DocsSource) => string][] = [
    ['/llms.txt', 'text/plain', llmsText],
    ...docPages.map((page): [string, string, (source: DocsSource) => string] => [
      markdownPath(page),
      'text/markdown',
      (source) => markdownOf(page, source),
    ]),
  ];
  for (const [path, type, write] of files) {
    router.all(path, allowAnyOrigin);
    router.get(path, async (request, response) => {
      const plans = (await siteFor(request, response)) as PlanNumbers;
      response.type(type).send(write({ contract: contract as OpenApi, plans, texts }));
    });
    router.all(path, refuseMethod(['get']));
  }
  return router;
}

/** The texts and programs of the docs, by file name. */
export const docsTexts = (): Record<string, string> =>
  Object.fromEntries(
    ['pages', 'programs'].flatMap((folder) =>
      readdirSync(projectFile('src/docs', folder)).map((name) => [name, readFileSync(projectFile('src/docs', folder, name), 'utf8')]),
    ),
  );
