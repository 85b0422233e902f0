import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import staticFiles from 'express-static-gzip';
import type { Principal } from '../../core/context.js';
import { AppError, toPublicError } from '../../core/errors.js';
import { projectFile } from '../../core/project-files.js';
import { refuseUnknownPath, undecodablePath } from '../error-handler.js';
import { defaultHead, escaped, headTags, signedInUserTag, siteTag } from './page-head.js';
import { PageScripts } from './page-scripts.js';
import type { PublicPages } from './public-pages.js';
import { noncePlaceholder, type RenderedPage } from './rendered-pages.js';

const folder = projectFile('dist/console');
const headPlaceholder = '<!-- head -->';
const pagePlaceholder = /<!-- page -->.*<!-- \/page -->/s;

interface ConsoleOptions {
  publicPages: PublicPages;
  principalOf(request: Request): Promise<Principal>;
  pagePolicy(nonce: string): string;
  baseUrl: string;
}

/**
 * The pages: `/`, `/docs…`, `/counties/…` and `/console…` are public, `/admin…` is for operators; and their scripts and styles.
 * The pages protect nothing by themselves: every request that they make for data is authorized by the server.
 */
export function consolePages(options: ConsoleOptions) {
  const shell = sendShell(options);
  const notFound = notFoundPage(shell);
  return {
    operatorsOnly: requireAdmin(options.principalOf, shell),
    undecodablePath: refuseUndecodablePath(notFound),
    page: [compression(), shell],
    // A file whose name holds the hash of its content never changes. Compressed copies are made at build.
    assets: staticFiles(`${folder}/assets`, {
      enableBrotli: true,
      orderPreference: ['br'],
      index: false,
      serveStatic: { immutable: true, maxAge: '1y', redirect: false },
    }),
    picture: staticFiles(folder, { index: false, serveStatic: { maxAge: '1h', redirect: false } }),
    nothingHere: [notFound, refuseUnknownPath],
  };
}

/** Before the pages, where Express would not answer such a path as a page, and before express-static-gzip, which would answer text. */
const refuseUndecodablePath =
  (notFound: RequestHandler): RequestHandler =>
  (request, response, next) => {
    try {
      decodeURIComponent(request.path);
    } catch (error) {
      notFound(request, response, () => next(undecodablePath(error)));
      return;
    }
    next();
  };

/** The single HTML page of the client, with a new nonce in each response, and the head of the requested page. */
function sendShell({ publicPages, principalOf, pagePolicy, baseUrl }: ConsoleOptions): RequestHandler {
  const file = `${folder}/index.html`;
  const html = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const scripts = new PageScripts();
  return async (request: Request, response: Response) => {
    if (html === null) throw new AppError('unavailable', 'The console is not built: run npm run build.');
    const nonce = randomBytes(16).toString('base64');
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Security-Policy', pagePolicy(nonce));
    const head = await publicPages.headOf(request, response).catch((error) => {
      response.status(toPublicError(error).status);
      return defaultHead;
    });
    const site = await publicPages.siteFor(request, response);
    const principal = await readerOf(request, response);
    const content = response.statusCode === 200 ? await publicPages.contentOf(request, response) : null;
    const page = html
      .replace(headPlaceholder, () => `${headTags(head, baseUrl)}\n    ${siteTag(site)}${signedInUserTag(principal)}`)
      // After the first script and style sheet, which are more urgent.
      .replace('</head>', `${scripts.tagsOf(head.sources ?? [], content !== null)}${content ? preloadTags(content) : ''}\n  </head>`)
      .replace(pagePlaceholder, (waiting) => (content ? rootOf(content) : waiting))
      // As an attribute: data in the page has no such quotes.
      .replaceAll(`nonce="${noncePlaceholder}"`, `nonce="${nonce}"`);
    response.type('html').send(page);
  };

  /** Who opens a page behind the sign-in; undefined for the other pages, and while the session cannot be read: the page then asks itself. */
  async function readerOf(request: Request, response: Response): Promise<Principal | undefined> {
    if (!/^\/(console|admin)(\/|$)/.test(request.baseUrl + request.path)) return undefined;
    return response.locals.principal ?? principalOf(request).catch(() => undefined);
  }
}

const rootOf = ({ html, answers, coverage }: RenderedPage): string =>
  `<div id="root" data-answers="${escaped(JSON.stringify(answers))}" data-coverage="${coverage}">${html}</div>`;

const preloadTags = ({ answers }: RenderedPage): string =>
  answers.map((path) => `\n    <link rel="preload" as="fetch" crossorigin href="${escaped(path)}" />`).join('');

/**
 * Answers 401 without a session and 403 without the role, for every method and every path below, existing or not. A browser gets the HTML
 * page with that status, which shows the sign-in or the refusal.
 */
function requireAdmin(principalOf: (request: Request) => Promise<Principal>, shell: RequestHandler): RequestHandler {
  return async (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    response.locals.principal = await principalOf(request);
    const refusal = refusalOf(response.locals.principal);
    if (!refusal) return next();
    if (request.method !== 'GET' || !wantsHtml(request)) throw refusal;
    response.status(refusal.status);
    return shell(request, response, next);
  };
}

/** Browsers get an HTML page; programs, and all callers below these paths, JSON. */
function notFoundPage(shell: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const isPage = /^(GET|HEAD)$/.test(request.method) && !/^\/(api|graphql|page-data|assets|admin\/uploads)\//.test(request.path);
    if (!isPage || !wantsHtml(request)) return next();
    response.status(404);
    return shell(request, response, next);
  };
}

const wantsHtml = (request: Request): boolean => request.accepts(['json', 'html']) === 'html';

function refusalOf(principal: Principal): AppError | null {
  if (principal.kind !== 'user') return new AppError('unauthenticated', 'Sign in as an operator at /console/sign-in first.');
  return principal.user.role === 'admin' ? null : new AppError('forbidden', 'This is for operators only.');
}
