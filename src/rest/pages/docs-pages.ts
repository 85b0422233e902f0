import { readdirSync, readFileSync } from 'node:fs';
import compression from 'compression';
import type { RequestHandler } from 'express';
import { load } from 'js-yaml';
import type { Config } from '../../core/config.js';
import { projectFile } from '../../core/project-files.js';
import { docPages, markdownPath } from '../../docs/doc-pages.js';
import { llmsText, markdownOf } from '../../docs/markdown.js';
import type { OpenApi } from '../../docs/openapi.js';
import type { PlanNumbers } from '../../docs/sections.js';
import type { PublicPages } from './public-pages.js';

const written = load(readFileSync(projectFile('schema/openapi.yaml'), 'utf8')) as Contract;

/** schema/openapi.yaml with this service's URL, the name of its session cookie, and where to ask for help. */
export function contractAt({ baseUrl, supportEmail }: Pick<Config, 'baseUrl' | 'supportEmail'>): Contract {
  const contract = structuredClone(written);
  const { session } = contract.components.securitySchemes;
  if (baseUrl.startsWith('https:')) session.name = `__Host-${session.name}`;
  Object.assign(contract.info.contact, { url: `${baseUrl}/docs`, ...(supportEmail && { email: supportEmail }) });
  return { ...contract, servers: [{ url: baseUrl, description: 'Where this service runs.' }] };
}

type Contract = OpenApi & { components: { securitySchemes: { session: { name: string } } } };

/** The docs for programs: the contract, each page as Markdown, and `/llms.txt`, which lists them. */
export function docsForPrograms(contract: OpenApi, publicPages: PublicPages) {
  const openapi = JSON.stringify(contract);
  const texts = docsTexts();
  const docs: RequestHandler = async (request, response) => {
    const page = docPages.find((one) => markdownPath(one) === request.path);
    const plans = (await publicPages.siteFor(request, response)) as PlanNumbers;
    const source = { contract, plans, texts };
    response.type(page ? 'text/markdown' : 'text/plain').send(page ? markdownOf(page, source) : llmsText(source));
  };
  const sendContract: RequestHandler = (_request, response) => void response.type('json').send(openapi);
  return { contract: [compression(), sendContract], docs };
}

/** The texts and programs of the docs, by file name. */
export const docsTexts = (): Record<string, string> =>
  Object.fromEntries(
    ['pages', 'programs'].flatMap((folder) =>
      readdirSync(projectFile('src/docs', folder)).map((name) => [name, readFileSync(projectFile('src/docs', folder, name), 'utf8')]),
    ),
  );
